//! The module `FiniteSets`, operators of the module TLC that make functions, and the largest and smallest element.

use kilter_value::{SetError, Value};

use crate::error::Eval;
use crate::node::NativeCall;
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn cardinality(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let set = self.eval(&call.args[0])?;
        match self.store.cardinality(set) {
            Ok(size) => self.size_value(size, origin),
            Err(SetError::TooLarge(_)) => {
                self.fail(origin, "overflow: the set has more elements than an integer of 32 bits can count")
            }
            Err(_) => {
                let shown = self.show(set);
                self.fail(
                    origin,
                    format!("the argument of Cardinality must be a finite set, but instead it is:\n{shown}"),
                )
            }
        }
    }

    pub(super) fn is_finite_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let set = self.eval_set(&call.args[0])?;
        match self.store.is_finite(set) {
            Ok(finite) => Ok(Value::bool(finite)),
            Err(error) => self.fail_set(origin, &error),
        }
    }

    pub(super) fn singleton_function(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let arg = self.eval_canonical(&call.args[0])?;
        let value = self.eval_canonical(&call.args[1])?;
        Ok(self.store.singleton_function(arg, value))
    }

    pub(super) fn merge_functions(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let left = self.eval_canonical(&call.args[0])?;
        let right = self.eval_canonical(&call.args[1])?;
        match self.store.merge(left, right) {
            Ok(Some(value)) => Ok(value),
            Ok(None) if self.store.is_function(left) => {
                self.expected("second argument", "@@", "a function", right, origin)
            }
            Ok(None) => self.expected("first argument", "@@", "a function", left, origin),
            Err(mismatch) => self.fail_mismatch(origin, &mismatch),
        }
    }

    pub(super) fn permutations(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let domain = self.eval_canonical(&call.args[0])?;
        let Some(items) = self.store.items(domain) else {
            return self.expected("argument", "Permutations", "a finite set", domain, origin);
        };
        let elems: Vec<Value> = items.iter().collect();
        if elems.len() > 9 {
            return self
                .fail(origin, format!("Permutations of a set with {} elements are too many", elems.len()));
        }
        let mut functions = Vec::new();
        let mut images = elems.clone();
        let store = self.store;
        permute(&mut images, 0, &mut |images| functions.push(store.function(domain, images)));
        store.set(&mut functions).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    pub(super) fn max_of_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.extremum(call, ">=", i32::max, origin)
    }

    pub(super) fn min_of_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.extremum(call, "<=", i32::min, origin)
    }

    /// The best element of a set of integers. `op` is the comparison that the module uses, for errors.
    fn extremum(
        &mut self,
        call: &NativeCall,
        op: &str,
        better: impl Fn(i32, i32) -> i32,
        origin: OriginId,
    ) -> Eval<Value> {
        let set = self.eval(&call.args[0])?;
        let mut best: Option<i32> = None;
        self.each(set, origin, |worker, elem| {
            let i = worker.int_operand(elem, op, true, origin)?;
            best = Some(best.map_or(i, |other| better(other, i)));
            Ok(true)
        })?;
        match best {
            Some(i) => Ok(self.store.int(i)),
            None => self.fail(origin, format!("{} was applied to the empty set", call.native.name())),
        }
    }
}

/// Calls `visit` with each permutation of `items` that keeps the first `fixed` of them.
fn permute(items: &mut Vec<Value>, fixed: usize, visit: &mut dyn FnMut(&[Value])) {
    if fixed == items.len() {
        return visit(items);
    }
    for i in fixed..items.len() {
        items.swap(fixed, i);
        permute(items, fixed + 1, visit);
        items.swap(fixed, i);
    }
}
