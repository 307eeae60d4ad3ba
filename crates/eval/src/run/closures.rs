//! Functions and operators that exist only during an evaluation, because they have no form in the store.

use std::sync::{Arc, Mutex};

use kilter_value::Value;
use rustc_hash::FxHashMap;

use crate::error::Failure;
use crate::node::{FunctionId, Lambda};
use crate::origin::OriginId;

/// The closures of an evaluation. A transient value is the index of one.
#[derive(Default)]
pub(super) struct Closures {
    all: Vec<Closure>,
    /// Closures below this index belong to values of constants, and stay.
    n_kept: usize,
}

impl Closures {
    pub(super) fn add(&mut self, closure: Closure) -> Value {
        self.all.push(closure);
        Value::transient(self.all.len() as u32 - 1)
    }

    pub(super) fn get(&self, value: Value) -> Option<&Closure> {
        self.all.get(value.as_transient()? as usize)
    }

    pub(super) fn function(&self, value: Value) -> Option<Arc<LazyFunction>> {
        match self.get(value)? {
            Closure::Function(function) => Some(function.clone()),
            Closure::Operator { .. } | Closure::Poison(_) => None,
        }
    }

    /// Keeps all present closures, because the value of a constant may refer to any of them.
    pub(super) fn keep_all(&mut self) {
        self.n_kept = self.all.len();
    }

    /// Drops all closures. Returns whether no constant needed one.
    pub(super) fn forget(&mut self) -> bool {
        let none_kept = self.n_kept == 0;
        *self = Closures::default();
        none_kept
    }

    /// Drops the closures that no constant needs.
    pub(super) fn restart(&mut self) {
        self.all.truncate(self.n_kept);
    }
}

/// A value that exists only during an evaluation.
pub(super) enum Closure {
    /// A function whose values have not been computed.
    Function(Arc<LazyFunction>),
    /// An operator and the values that it captured.
    Operator { function: FunctionId, captures: Box<[Value]> },
    /// The error of an argument that could not be evaluated.
    Poison(Box<Failure>),
}

pub(super) struct LazyFunction {
    pub(super) lambda: Arc<Lambda>,
    /// The values of the slots that the body reads.
    pub(super) captures: Box<[Value]>,
    /// The sets that the bounds range over.
    pub(super) sets: Box<[Value]>,
    known: Mutex<FxHashMap<Value, Value>>,
    /// The values that EXCEPT has replaced, by argument.
    replaced: FxHashMap<Value, Value>,
    /// The function that the body means when it calls itself. Set where EXCEPT has made this function from another one.
    original: Option<Value>,
    pub(super) origin: OriginId,
}

impl LazyFunction {
    pub(super) fn new(
        lambda: Arc<Lambda>,
        captures: Box<[Value]>,
        sets: Box<[Value]>,
        origin: OriginId,
    ) -> LazyFunction {
        LazyFunction {
            lambda,
            captures,
            sets,
            known: Mutex::default(),
            replaced: FxHashMap::default(),
            original: None,
            origin,
        }
    }

    /// Makes a copy of the function `value` with another value for one argument.
    pub(super) fn replaced(&self, value: Value, arg: Value, new: Value) -> LazyFunction {
        let mut replaced = self.replaced.clone();
        replaced.insert(arg, new);
        LazyFunction {
            lambda: self.lambda.clone(),
            captures: self.captures.clone(),
            sets: self.sets.clone(),
            known: Mutex::default(),
            replaced,
            original: Some(self.original.unwrap_or(value)),
            origin: self.origin,
        }
    }

    pub(super) fn is_replaced(&self, arg: Value) -> bool {
        self.replaced.contains_key(&arg)
    }

    /// The function that the body means when it calls itself. `value` is this function.
    pub(super) fn itself(&self, value: Value) -> Value {
        self.original.unwrap_or(value)
    }

    /// The value for an argument, if EXCEPT replaced it or it was computed before.
    pub(super) fn value_at(&self, arg: Value) -> Option<Value> {
        self.replaced.get(&arg).or(self.known().get(&arg)).copied()
    }

    pub(super) fn remember(&self, arg: Value, value: Value) {
        self.known().insert(arg, value);
    }

    /// The values computed so far. The lock is never contended: a worker may move between threads, but one thread at a
    /// time uses it.
    fn known(&self) -> std::sync::MutexGuard<'_, FxHashMap<Value, Value>> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
