//! Converts values between their forms: lazy, explicit, canonical.

use kilter_value::Value;

use super::Worker;
use crate::error::Eval;
use crate::node::Node;
use crate::origin::OriginId;

impl Worker<'_> {
    /// Evaluates to a set, in any form. Fails if the value is not a set.
    pub(super) fn eval_set(&mut self, node: &Node) -> Eval<Value> {
        let value = self.eval(node)?;
        if self.store.is_set(value) {
            return Ok(value);
        }
        let shown = self.show(value);
        self.fail(node.origin, format!("a set is needed here, but the value is\n{shown}"))
    }

    /// Converts a value to the form that can be part of other values and can be compared by handle.
    #[inline]
    pub(super) fn canonical(&mut self, value: Value, origin: OriginId) -> Eval<Value> {
        if value.is_canonical() { Ok(value) } else { self.canonical_slowly(value, origin) }
    }

    fn canonical_slowly(&mut self, value: Value, origin: OriginId) -> Eval<Value> {
        if value.as_transient().is_some() {
            return self.enumerate_closure(value, origin);
        }
        self.store.normalize(value).or_else(|error| self.fail_set(origin, &error))
    }

    /// Converts the worker's own closures to values of the store. Sets may stay lazy.
    pub(super) fn explicit(&mut self, value: Value, origin: OriginId) -> Eval<Value> {
        if value.as_transient().is_some() { self.enumerate_closure(value, origin) } else { Ok(value) }
    }

    pub(super) fn canonical_or_none(&mut self, value: Value) -> Option<Value> {
        let saved = self.failure.take();
        let result = self.canonical(value, OriginId(0)).ok();
        self.failure = saved;
        result
    }
}
