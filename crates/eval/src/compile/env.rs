//! What names mean while compiling: bindings of locals and LET definitions, as a persistent list.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use kilter_spec::ir::{DefId, Expr, LocalId, OpArg};

use super::free::Free;
use crate::node::{FunctionId, Node, Slot};

/// A list of bindings, innermost first.
#[derive(Clone, Default)]
pub struct Env<'s>(Option<Rc<Entry<'s>>>);

struct Entry<'s> {
    binding: Key<'s>,
    parent: Env<'s>,
}

enum Key<'s> {
    Local(LocalId, Binding<'s>),
    Let(DefId, LetBinding<'s>),
}

/// What a local stands for.
#[derive(Clone)]
pub enum Binding<'s> {
    /// The value in a slot of a frame.
    Slot { slot: Slot, frame: u32, param: bool },
    /// An argument.
    Thunk(Rc<Thunk<'s>>),
    /// An operator argument that is known at compile time.
    Op(Rc<OpThunk<'s>>),
}

/// What a LET definition stands for.
#[derive(Clone)]
pub enum LetBinding<'s> {
    /// Without parameters: a thunk.
    Thunk(Rc<Thunk<'s>>),
    /// With parameters: expanded at each call, in the environment of the LET.
    Operator(Rc<LetOperator<'s>>),
    /// The recursive function whose body is being compiled: reached through a slot.
    Itself { slot: Slot, frame: u32 },
}

/// A LET operator with parameters.
pub struct LetOperator<'s> {
    /// The environment of the LET, which includes the operator itself.
    pub env: RefCell<Env<'s>>,
    /// Whether the LET stands below a prime.
    pub primed: bool,
    /// The compiled function, for recursive operators, without and with prime.
    pub function: [Cell<Option<FunctionId>>; 2],
}

/// An expression in its environment, compiled at most once for each of unprimed and primed use.
pub struct Thunk<'s> {
    /// The expression.
    pub expr: &'s Expr,
    /// Its environment; a cell because a LET's definitions see each other.
    pub env: RefCell<Env<'s>>,
    /// Whether it stands below a prime itself.
    pub primed: bool,
    /// The frame in which it is evaluated.
    pub frame: u32,
    /// Set for a recursive function definition.
    pub def: Option<DefId>,
    /// The compiled forms, without and with prime.
    pub compiled: RefCell<[Option<Compiled>; 2]>,
}

/// A compiled thunk.
#[derive(Clone)]
pub struct Compiled {
    /// The expression.
    pub node: Arc<Node>,
    /// Where its value is kept, if it may be.
    pub slot: Option<Slot>,
    /// What it depends on.
    pub free: Rc<Free>,
}

/// An operator argument in its environment.
pub struct OpThunk<'s> {
    /// The operator.
    pub op: &'s OpArg,
    /// Its environment.
    pub env: Env<'s>,
    /// Whether it stands below a prime.
    pub primed: bool,
}

impl<'s> Thunk<'s> {
    pub fn new(expr: &'s Expr, env: Env<'s>, primed: bool, frame: u32) -> Self {
        Thunk { expr, env: RefCell::new(env), primed, frame, def: None, compiled: RefCell::default() }
    }

    /// The slots that hold its values.
    pub fn slots(&self) -> Vec<Slot> {
        self.compiled.borrow().iter().flatten().filter_map(|compiled| compiled.slot).collect()
    }
}

impl<'s> Env<'s> {
    /// The list with one more local.
    #[must_use]
    pub fn bind(&self, local: LocalId, binding: Binding<'s>) -> Env<'s> {
        self.push(Key::Local(local, binding))
    }

    /// The list with one more LET definition.
    #[must_use]
    pub fn bind_let(&self, def: DefId, binding: LetBinding<'s>) -> Env<'s> {
        self.push(Key::Let(def, binding))
    }

    fn push(&self, binding: Key<'s>) -> Env<'s> {
        Env(Some(Rc::new(Entry { binding, parent: self.clone() })))
    }

    /// The meaning of a local.
    pub fn local(&self, local: LocalId) -> Option<&Binding<'s>> {
        self.iter().find_map(|entry| match &entry.binding {
            Key::Local(id, binding) if *id == local => Some(binding),
            _ => None,
        })
    }

    /// The meaning of a LET definition.
    pub fn let_def(&self, def: DefId) -> Option<&LetBinding<'s>> {
        self.iter().find_map(|entry| match &entry.binding {
            Key::Let(id, binding) if *id == def => Some(binding),
            _ => None,
        })
    }

    fn iter(&self) -> impl Iterator<Item = &Entry<'s>> {
        std::iter::successors(self.0.as_deref(), |entry| entry.parent.0.as_deref())
    }
}
