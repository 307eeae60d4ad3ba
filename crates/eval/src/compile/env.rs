//! The meaning of names during compilation: bindings of locals and LET definitions, as a persistent list.

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

/// The meaning of a local name.
#[derive(Clone)]
pub enum Binding<'s> {
    /// A value in a slot of a frame. `param` is set if it is a parameter, whose evaluation may have failed.
    Slot { slot: Slot, frame: u32, param: bool },
    /// An argument that is expanded in place.
    Thunk(Rc<Thunk<'s>>),
    /// An operator argument that is known at compile time.
    Op(Rc<OpThunk<'s>>),
}

/// The meaning of a LET definition.
#[derive(Clone)]
pub enum LetBinding<'s> {
    /// A definition without parameters is a thunk.
    Thunk(Rc<Thunk<'s>>),
    /// A definition with parameters is expanded at each call, in the environment of the LET.
    Operator(Rc<LetOperator<'s>>),
    /// The recursive function whose body is being compiled. The body reaches it through a slot.
    Itself { slot: Slot, frame: u32 },
}

/// A LET operator with parameters.
pub struct LetOperator<'s> {
    /// The environment of the LET, which includes the operator itself.
    pub env: RefCell<Env<'s>>,
    /// Whether the LET stands below a prime.
    pub primed: bool,
    /// The compiled function of a recursive operator: first for unprimed, then for primed use.
    pub function: [Cell<Option<FunctionId>>; 2],
}

/// An expression in its environment, compiled at most once for each of unprimed and primed use.
pub struct Thunk<'s> {
    /// The expression.
    pub expr: &'s Expr,
    /// Its environment. It is filled in later for LET definitions, which see each other.
    pub env: RefCell<Env<'s>>,
    /// Whether the expression itself stands below a prime.
    pub primed: bool,
    /// The frame in which it is evaluated.
    pub frame: u32,
    /// The definition, if it is a recursive function.
    pub def: Option<DefId>,
    /// The compiled forms: first for unprimed, then for primed use.
    pub compiled: RefCell<[Option<Compiled>; 2]>,
}

/// A compiled thunk.
#[derive(Clone)]
pub struct Compiled {
    /// The compiled expression.
    pub node: Arc<Node>,
    /// The slot that keeps its value. `None` if the value must not be kept.
    pub slot: Option<Slot>,
    /// What it depends on.
    pub free: Rc<Free>,
}

/// An operator argument in its environment.
pub struct OpThunk<'s> {
    /// The operator as it is written.
    pub op: &'s OpArg,
    /// The environment in which it is written.
    pub env: Env<'s>,
    /// Whether it stands below a prime.
    pub primed: bool,
}

impl<'s> Thunk<'s> {
    pub fn new(expr: &'s Expr, env: Env<'s>, primed: bool, frame: u32) -> Self {
        Thunk { expr, env: RefCell::new(env), primed, frame, def: None, compiled: RefCell::default() }
    }

    /// The slots that keep its values.
    pub fn slots(&self) -> Vec<Slot> {
        self.compiled.borrow().iter().flatten().filter_map(|compiled| compiled.slot).collect()
    }
}

impl<'s> Env<'s> {
    /// Returns the list with one more local in front.
    #[must_use]
    pub fn bind(&self, local: LocalId, binding: Binding<'s>) -> Env<'s> {
        self.push(Key::Local(local, binding))
    }

    /// Returns the list with one more LET definition in front.
    #[must_use]
    pub fn bind_let(&self, def: DefId, binding: LetBinding<'s>) -> Env<'s> {
        self.push(Key::Let(def, binding))
    }

    fn push(&self, binding: Key<'s>) -> Env<'s> {
        Env(Some(Rc::new(Entry { binding, parent: self.clone() })))
    }

    /// The meaning of a local. `None` if the name is not bound here.
    pub fn local(&self, local: LocalId) -> Option<&Binding<'s>> {
        self.iter().find_map(|entry| match &entry.binding {
            Key::Local(id, binding) if *id == local => Some(binding),
            _ => None,
        })
    }

    /// The meaning of a LET definition. `None` if it is not bound here.
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
