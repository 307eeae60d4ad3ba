//! Turns a resolved specification into a [`Program`].
//!
//! - [`env`]      the meaning of names during compilation
//! - [`free`]     the dependencies of an expression, which decide what is evaluated once and what is looked up
//! - [`call`]     operator calls, expanded in place; arguments and LET definitions
//! - [`operator`] operators as arguments
//! - [`function`] functions with frames of their own, for recursive operators
//! - [`expr`]     expressions
//! - [`act`]      actions, and how Next splits into named actions; [`expansion`] expands calls there
//! - [`instance`] variables of instantiated modules inside of ENABLED
//! - [`narrow`]   loops over fewer elements: guards on the bound name are moved into the set
//! - [`cache`]    actions that keep their successors in a table
//! - [`conjunct`] invariants, split into conjuncts
//! - [`property`] PROPERTY formulas, sorted by how they are checked
//! - [`temporal`] temporal formulas and fairness, down to predicates on states and steps

mod act;
mod at;
mod cache;
mod call;
mod conjunct;
mod env;
mod expansion;
mod expr;
mod free;
mod function;
mod instance;
mod narrow;
mod operator;
mod property;
mod temporal;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use kilter_base::memory::{self, DEEP_STACK_BYTES, StackEnd};
use kilter_base::{Id, IdVec, Span};
use kilter_spec::ir::{DefId, Formula, Level, LocalId, Spec};
use kilter_value::Store;

use crate::node::{Action, ActionId, BlockId, CellId, FunctionId, Kind, Memo, Node, Slot};
use crate::origin::{ContextId, OriginId, Origins};
use crate::outside::Closed;
use crate::program::{Named, Predicate, Program};
use crate::temporal::Temporals;
use env::{Binding, Env};
use free::Free;
use function::{Capture, FunctionInfo};
use instance::Inside;

/// Once a program has this many nodes, calls are no longer expanded in place.
const EXPANSION_MAX: usize = 400_000;
/// Calls that are nested deeper than this are not expanded in place either.
const DEPTH_MAX: u32 = 200;
/// The most values that the key of a memo may have.
const MEMO_KEY_MAX: usize = 4;

/// After this many levels of nested expressions the compiler inserts a node that checks the stack.
const LEVELS_UNCHECKED: u32 = 32;

/// Compiles a specification. An expression that cannot be evaluated becomes a node that says so when it is reached.
pub fn compile(spec: &Spec, store: &Store) -> Program {
    memory::with_stack(DEEP_STACK_BYTES, |stack_bytes| compile_all(spec, store, StackEnd::after(stack_bytes)))
}

fn compile_all(spec: &Spec, store: &Store, stack_end: StackEnd) -> Program {
    let mut compiler = Compiler::new(spec, store, stack_end);
    let assumptions = compiler.formulas(&spec.assumptions);
    let init = spec.init.as_ref().map(|formula| compiler.init(formula));
    let next = spec.next.as_ref().map(|formula| compiler.next(formula));
    let invariants = spec.invariants.iter().flat_map(|formula| compiler.conjuncts(formula)).collect();
    let constraints = compiler.formulas(&spec.constraints);
    let action_constraints = compiler.formulas(&spec.action_constraints);
    let symmetry = compiler.formulas(&spec.symmetry);
    let view = spec.view.as_ref().map(|formula| compiler.formula(formula));
    let alias = spec.alias.as_ref().map(|formula| compiler.formula(formula));
    let postconditions = compiler.formulas(&spec.postconditions);
    let properties = compiler.properties(&spec.properties);
    compiler.fairness(&spec.fairness);
    Program {
        variables: spec.variables.iter().map(|variable| variable.name.clone()).collect(),
        assumptions,
        init,
        next,
        invariants,
        constraints,
        action_constraints,
        symmetry,
        view,
        alias,
        postconditions,
        properties,
        temporals: compiler.temporals,
        check_deadlock: spec.check_deadlock,
        actions: compiler.actions,
        sequential: compiler.sequential,
        asks_behavior: compiler.asks_behavior,
        blocks: compiler.blocks,
        origins: compiler.origins,
        functions: compiler
            .functions
            .into_iter()
            .map(|info| info.compiled.expect("every function that is called has been compiled"))
            .collect(),
        frame_sizes: compiler.frames.iter().map(|frame| frame.n_slots).collect(),
        n_cells: compiler.n_cells,
        n_memos: compiler.n_memos,
        n_cached: compiler.n_cached,
        outside: Arc::new(Closed),
    }
}

/// A frame under construction.
#[derive(Default)]
struct Frame<'s> {
    n_slots: u32,
    captures: Vec<(Capture<'s>, Slot)>,
}

pub(crate) struct Compiler<'s> {
    spec: &'s Spec,
    store: &'s Store,
    origins: Origins,
    /// The chain of expanded calls around the expression that is being compiled.
    context: Option<ContextId>,
    /// The dependencies of each expression that is being compiled, innermost last.
    free: Vec<Free>,
    frames: Vec<Frame<'s>>,
    /// The frame in which slots are allocated.
    frame: u32,
    functions: Vec<FunctionInfo<'s>>,
    function_of_def: HashMap<(DefId, bool), FunctionId>,
    constant_defs: HashMap<DefId, (CellId, Arc<Node>)>,
    /// The constants and recursive functions whose bodies are being compiled.
    open_functions: Vec<DefId>,
    n_cells: usize,
    n_memos: u32,
    actions: IdVec<ActionId, Action>,
    blocks: IdVec<BlockId, OriginId>,
    /// The dependencies of each compiled expression, by its origin.
    deps: HashMap<OriginId, Rc<Free>>,
    /// What each action reads, by its origin. UNCHANGED does not count as reading.
    act_deps: HashMap<OriginId, Free>,
    n_cached: u32,
    temporals: Temporals,
    sequential: bool,
    asks_behavior: bool,
    /// The nesting depth of the calls and arguments that are being expanded.
    depth: u32,
    /// The nesting depth of the expressions that are being compiled.
    level: u32,
    /// The end of the stack that the compiler may use.
    stack_end: StackEnd,
    /// Whether the compiler is below ENABLED. Primed variables mean something else there, so nothing is shared with the
    /// outside.
    in_enabled: bool,
    /// The innermost ENABLED around the expression that is being compiled.
    inside: Option<Inside>,
}

impl<'s> Compiler<'s> {
    fn new(spec: &'s Spec, store: &'s Store, stack_end: StackEnd) -> Self {
        Compiler {
            spec,
            store,
            origins: Origins::default(),
            context: None,
            free: vec![Free::default()],
            frames: Vec::new(),
            frame: 0,
            functions: Vec::new(),
            function_of_def: HashMap::new(),
            constant_defs: HashMap::new(),
            open_functions: Vec::new(),
            n_cells: 0,
            n_memos: 0,
            actions: IdVec::new(),
            blocks: IdVec::new(),
            deps: HashMap::new(),
            act_deps: HashMap::new(),
            n_cached: 0,
            temporals: Temporals::default(),
            sequential: false,
            asks_behavior: false,
            depth: 0,
            level: 0,
            stack_end,
            in_enabled: false,
            inside: None,
        }
    }

    fn formulas(&mut self, formulas: &'s [Formula]) -> Vec<Predicate> {
        formulas.iter().map(|formula| self.formula(formula)).collect()
    }

    /// Compiles a formula of the configuration in a frame of its own.
    fn formula(&mut self, formula: &'s Formula) -> Predicate {
        self.root_frame();
        self.free.push(Free::default());
        let node = self.expr(&formula.expr, &Env::default(), false);
        let free = self.free.pop().expect("pushed above");
        Named {
            name: formula.name.clone(),
            span: formula.expr.span,
            frame: self.frame,
            vars: free.vars.into_iter().collect(),
            primed: free.primed.into_iter().collect(),
            impure: free.impure,
            body: node,
        }
    }

    /// Begins a new frame that no other code shares.
    fn root_frame(&mut self) {
        self.frame = self.frames.len() as u32;
        self.frames.push(Frame::default());
    }

    fn new_slot(&mut self) -> Slot {
        let frame = &mut self.frames[self.frame as usize];
        frame.n_slots += 1;
        frame.n_slots - 1
    }

    /// Binds a local to a new slot of the current frame.
    fn bind_slot(&mut self, env: &Env<'s>, local: LocalId) -> (Env<'s>, Slot) {
        let slot = self.new_slot();
        (env.bind(local, Binding::Slot { slot, frame: self.frame, param: false }), slot)
    }

    fn node(&mut self, kind: Kind, span: Span) -> Node {
        let origin = self.origins.add(span, self.context);
        Node { kind, origin }
    }

    fn block(&mut self, span: Span) -> BlockId {
        let origin = self.origins.add(span, self.context);
        self.blocks.push(origin)
    }

    fn top(&mut self) -> &mut Free {
        self.free.last_mut().expect("the bottom of the stack is never popped")
    }

    /// Compiles something with `build` and returns its dependencies. The caller merges them into those of the
    /// expression around it.
    fn tracked<T>(&mut self, build: impl FnOnce(&mut Self) -> T) -> (T, Free) {
        self.free.push(Free::default());
        let result = build(self);
        let free = self.free.pop().expect("pushed above");
        (result, free)
    }

    fn unbind(free: &mut Free, slots: &[Slot]) {
        for slot in slots {
            free.slots.remove(slot);
            free.lazies.remove(slot);
        }
    }

    /// Wraps an expression so that it is evaluated as seldom as its dependencies allow: in a cell if it is constant, in
    /// a memo if it is expensive and reads few values.
    fn economize(&mut self, node: Node, free: &Free, span: Span) -> Node {
        if matches!(
            node.kind,
            Kind::Value(_)
                | Kind::Cell(..)
                | Kind::Var(_)
                | Kind::VarPrimed(_)
                | Kind::Slot(_)
                | Kind::Param(_)
                | Kind::Lazy(..)
                | Kind::Shared(_)
                | Kind::Memo(_)
                | Kind::Closure(..)
                | Kind::Refuse(_)
        ) {
            return node;
        }
        if free.is_constant() {
            let cell = self.new_cell();
            return self.node(Kind::Cell(cell, Arc::new(node)), span);
        }
        let worth = matches!(
            node.kind,
            Kind::Quantifier(..)
                | Kind::Choose(_)
                | Kind::Filter(_)
                | Kind::Map(_)
                | Kind::Function(_)
                | Kind::BigUnion(_)
                | Kind::Call(..)
                | Kind::Native(..)
        );
        if worth && free.loops && !free.impure && !self.in_enabled && free.len() <= MEMO_KEY_MAX {
            return self.memo(node, free, span);
        }
        node
    }

    /// Wraps a node in a [`Kind::Scope`], which checks the stack before it goes deeper.
    fn checked(node: Node) -> Node {
        match node.kind {
            // These check the stack themselves, have nothing below them, or must stay visible as the kind of set that
            // they are.
            Kind::Value(_)
            | Kind::Cell(..)
            | Kind::Var(_)
            | Kind::VarPrimed(_)
            | Kind::Slot(_)
            | Kind::Param(_)
            | Kind::Lazy(..)
            | Kind::Shared(_)
            | Kind::Scope(..)
            | Kind::Closure(..)
            | Kind::Refuse(_)
            | Kind::Filter(_)
            | Kind::Enabled(..)
            | Kind::Powerset(_)
            | Kind::FunctionSet(_)
            | Kind::RecordSet(_)
            | Kind::Product(_) => node,
            _ => Node { origin: node.origin, kind: Kind::Scope(Box::default(), Box::new(node)) },
        }
    }

    /// Wraps an expression in a memo, keyed by what it reads.
    fn memo(&mut self, body: Node, free: &Free, span: Span) -> Node {
        let memo = Memo {
            number: self.n_memos,
            slots: free.slots.iter().copied().collect(),
            vars: free.vars.iter().copied().collect(),
            primed: free.primed.iter().copied().collect(),
            body,
        };
        self.n_memos += 1;
        self.node(Kind::Memo(Box::new(memo)), span)
    }

    fn new_cell(&mut self) -> CellId {
        self.n_cells += 1;
        CellId::from_index(self.n_cells - 1)
    }

    /// The dependencies that a definition of this level can have at most.
    fn free_of_level(&self, level: Level) -> Free {
        let all = || (0..self.spec.variables.len() as u32).collect();
        Free {
            vars: if level >= Level::State { all() } else { BTreeSet::default() },
            primed: if level >= Level::Action { all() } else { BTreeSet::default() },
            loops: true,
            ..Free::default()
        }
    }
}
