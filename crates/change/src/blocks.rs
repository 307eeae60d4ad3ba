//! Cuts the next-state action of a specification into basic blocks, at its branches.
//!
//! A block is an arm of a disjunction, of IF or of CASE. The evaluator records the blocks of each step on the edges of
//! a state graph. The text of a block ends where the block branches; the arms of the branch are blocks of their own,
//! its children. A step that takes a block also takes all blocks around it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kilter_base::{Sources, Span};
use kilter_spec::Spec;
use kilter_spec::ir::{Arg, Bound, Core, DefBody, DefId, Expr, ExprKind, LocalId};
use kilter_value::Store;

use crate::canon::{Canon, write_unchanged};

/// A place in a specification's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The name of the file, without its folder.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A basic block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The definition that the block calls, or else the one that it is part of.
    pub name: String,
    /// Where the block begins.
    pub place: Place,
    /// The kind of arm that the block is, and the number of the branching of its parent that it belongs to.
    pub arm_of: String,
    /// The text of the block, without the text of its children.
    pub text: String,
    /// The blocks inside this one, by number.
    pub children: Vec<usize>,
    /// The block around this one, by number.
    pub parent: Option<usize>,
}

/// The blocks of an action. The first one is the whole action.
pub fn blocks(
    spec: &Spec,
    root: &Expr,
    store: &Store,
    sources: &Sources,
    ignored: &BTreeSet<String>,
) -> Vec<Block> {
    let mut cutter = Cutter {
        canon: Canon::new(spec, store, ignored),
        sources,
        blocks: Vec::new(),
        n_branchings: vec![0],
    };
    cutter.blocks.push(Block { place: place(sources, root.span), ..Block::default() });
    let mut at = At { block: 0, name: "Next" };
    let text = cutter.act(root, &mut at);
    cutter.blocks[0].text = text;
    cutter.blocks
}

/// Where a span begins. The place does not depend on the folder of the specification.
pub fn place(sources: &Sources, span: Span) -> Place {
    let file = sources.file(span.file);
    let position = file.position(span.start);
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
    Place { file: name.to_owned(), line: position.line, column: position.column }
}

/// Where in the action the cutter is.
#[derive(Clone, Copy)]
struct At<'s> {
    block: usize,
    name: &'s str,
}

/// The parts of a conjunction.
#[derive(Default)]
struct Conjunction {
    items: Vec<String>,
    unchanged: BTreeSet<String>,
}

struct Cutter<'s> {
    canon: Canon<'s>,
    sources: &'s Sources,
    blocks: Vec<Block>,
    /// How many branchings each block has so far.
    n_branchings: Vec<u32>,
}

impl<'s> Cutter<'s> {
    /// The text of an action up to where it branches.
    fn act(&mut self, expr: &'s Expr, at: &mut At<'s>) -> String {
        let mut all = Conjunction::default();
        self.conjunct(expr, at, &mut all);
        let mut text = all.items.join(" /\\ ");
        write_unchanged(&all.unchanged, &mut text);
        text
    }

    fn conjunct(&mut self, expr: &'s Expr, at: &mut At<'s>, all: &mut Conjunction) {
        match &*expr.kind {
            ExprKind::Core { op: Core::And, args } => {
                for arg in args {
                    self.conjunct(arg, at, all);
                }
            }
            ExprKind::Let { defs, body } => {
                self.canon.enter_let(defs);
                self.conjunct(body, at, all);
            }
            ExprKind::Call { def, .. } if self.canon.plain_body(*def).is_some() => {
                if let Some(body) = self.canon.plain_body(*def) {
                    let mut inner = At { name: self.canon.spec().defs[*def].name.as_str(), ..*at };
                    self.conjunct(body, &mut inner, all);
                }
            }
            ExprKind::Core { op: Core::Unchanged, args }
                if self.canon.unchanged_variables(&args[0], &mut BTreeSet::new()) =>
            {
                self.canon.unchanged_variables(&args[0], &mut all.unchanged);
            }
            ExprKind::Core { op: Core::Eq, args } if stays(&args[0], &args[1]) => {
                self.canon.unchanged_variables(&args[1], &mut all.unchanged);
            }
            _ => {
                let text = self.part(expr, at);
                all.items.push(text);
            }
        }
    }

    /// Handles a conjunct that is not itself a conjunction.
    fn part(&mut self, expr: &'s Expr, at: &mut At<'s>) -> String {
        match &*expr.kind {
            ExprKind::Core { op: Core::Or, args } => {
                let branching = self.branching(at);
                self.disjuncts(args, branching, at);
                format!("(or {branching})")
            }
            ExprKind::If { condition, then, otherwise } => {
                let branching = self.branching(at);
                let mut text = format!("(if {branching} ");
                self.canon.expr(condition, &mut text);
                self.arm(then, None, format!("then {branching}"), at);
                self.arm(otherwise, None, format!("else {branching}"), at);
                text + ")"
            }
            ExprKind::Case { arms, other } => {
                let branching = self.branching(at);
                for (test, value) in arms {
                    self.arm(value, Some(test), format!("case {branching}"), at);
                }
                if let Some(other) = other {
                    self.arm(other, None, format!("other {branching}"), at);
                }
                format!("(case {branching})")
            }
            ExprKind::SubscriptAction { angle: false, action, subscript } => {
                let branching = self.branching(at);
                self.arm(action, None, format!("box {branching}"), at);
                let mut text = format!("(box {branching} ");
                self.canon.expr(subscript, &mut text);
                text + ")"
            }
            ExprKind::Quantifier { all, bounds, body } => self.quantifier(*all, bounds, body, at),
            ExprKind::Call { def, args } => self.call(expr, *def, args, at),
            _ => {
                let mut text = String::new();
                self.canon.expr(expr, &mut text);
                text
            }
        }
    }

    fn quantifier(&mut self, all: bool, bounds: &'s [Bound], body: &'s Expr, at: &mut At<'s>) -> String {
        let mut text = String::from(if all { "(all" } else { "(some" });
        self.canon.bounds(bounds, &mut text);
        let locals: Vec<LocalId> = bounds.iter().flat_map(|bound| bound.locals.iter().copied()).collect();
        text += &self.within(&locals, body, at);
        text + ")"
    }

    fn call(&mut self, expr: &'s Expr, def: DefId, args: &'s [Arg], at: &mut At<'s>) -> String {
        let mut text = String::new();
        let definition = &self.canon.spec().defs[def];
        match &definition.body {
            DefBody::Expr(body) if !definition.recursive => {
                text.push_str("(with ");
                self.canon.args(args, &mut text);
                let mut inner = At { name: definition.name.as_str(), ..*at };
                text += &self.within(&definition.params, body, &mut inner);
                text.push(')');
            }
            _ => self.canon.expr(expr, &mut text),
        }
        text
    }

    /// The text of an action in which names are bound.
    fn within(&mut self, locals: &[LocalId], body: &'s Expr, at: &mut At<'s>) -> String {
        let depth = self.canon.bind(locals);
        let text = self.act(body, at);
        self.canon.unbind(depth);
        text
    }

    fn branching(&mut self, at: &At<'s>) -> u32 {
        let n = &mut self.n_branchings[at.block];
        *n += 1;
        *n - 1
    }

    /// Adds an arm as a block of its own.
    fn arm(&mut self, expr: &'s Expr, guard: Option<&'s Expr>, arm_of: String, at: &At<'s>) {
        let number = self.blocks.len();
        let name = self.called(expr).unwrap_or(at.name);
        self.blocks.push(Block {
            name: name.to_owned(),
            place: place(self.sources, expr.span),
            arm_of,
            parent: Some(at.block),
            ..Block::default()
        });
        self.n_branchings.push(0);
        self.blocks[at.block].children.push(number);
        let mut text = String::new();
        if let Some(guard) = guard {
            self.canon.expr(guard, &mut text);
            let _ = write!(text, " -> ");
        }
        text += &self.act(expr, &mut At { block: number, name });
        self.blocks[number].text = text;
    }

    /// Adds the arms of a disjunction. Arms of a disjunction inside it are arms as well.
    fn disjuncts(&mut self, args: &'s [Expr], branching: u32, at: &At<'s>) {
        for arg in args {
            let (inner, name) = match &*arg.kind {
                ExprKind::Call { def, .. } => match self.canon.plain_body(*def) {
                    Some(body) => (body, self.canon.spec().defs[*def].name.as_str()),
                    None => (arg, at.name),
                },
                _ => (arg, at.name),
            };
            match &*inner.kind {
                ExprKind::Core { op: Core::Or, args } => self.disjuncts(args, branching, &At { name, ..*at }),
                _ => self.arm(arg, None, format!("or {branching}"), at),
            }
        }
    }

    /// The definition that an arm calls.
    fn called(&self, expr: &'s Expr) -> Option<&'s str> {
        match &*expr.kind {
            ExprKind::Call { def, .. } => Some(self.canon.spec().defs[*def].name.as_str()),
            ExprKind::Quantifier { all: false, body, .. } | ExprKind::Let { body, .. } => self.called(body),
            _ => None,
        }
    }
}

/// Whether an equation says `x' = x`.
fn stays(left: &Expr, right: &Expr) -> bool {
    match (&*left.kind, &*right.kind) {
        (ExprKind::Core { op: Core::Prime, args }, ExprKind::Var(after)) => {
            matches!(&*args[0].kind, ExprKind::Var(before) if before == after)
        }
        _ => false,
    }
}
