//! Evaluates `[f EXCEPT ![x] = e]`, also for an `f` with an infinite domain.

use std::sync::Arc;

use kilter_value::{SetError, Value};

use super::Worker;
use super::closures::{Closure, LazyFunction};
use crate::error::Eval;
use crate::node::{Node, Update};
use crate::origin::OriginId;

impl Worker<'_> {
    pub(super) fn except(&mut self, function: &Node, updates: &[Update], node: &Node) -> Eval<Value> {
        let function = self.eval(function)?;
        let mut function = self.finite_function(function, node.origin)?;
        for update in updates {
            function = self.update(function, update, 0, node)?;
        }
        Ok(function)
    }

    /// The function with all its values computed, unless its domain cannot be listed.
    fn finite_function(&mut self, function: Value, origin: OriginId) -> Eval<Value> {
        if function.as_transient().is_some() && self.closures.function(function).is_some() {
            let domain = self.closure_domain(function, origin)?;
            if let Err(SetError::Infinite(_) | SetError::TooLarge(_)) = self.store.cardinality(domain) {
                return Ok(function);
            }
        }
        self.canonical(function, origin)
    }

    fn update(&mut self, function: Value, update: &Update, depth: usize, node: &Node) -> Eval<Value> {
        if let Some(lazy) = self.closures.function(function) {
            return self.update_lazy(function, &lazy, update, depth, node);
        }
        if !self.store.is_function(function) {
            let shown = self.show(function);
            return self.fail(
                node.origin,
                format!("EXCEPT was applied to a value that is not a function:\n{shown}"),
            );
        }
        let arg = self.eval(&update.path[depth])?;
        let arg = self.canonical(arg, update.path[depth].origin)?;
        let old = match self.store.apply(function, arg) {
            Ok(Some(old)) => old,
            // As in TLC, an update at an argument outside of the domain changes nothing.
            Ok(None) => return Ok(function),
            Err(mismatch) => return self.fail_mismatch(node.origin, &mismatch),
        };
        let new = self.updated(old, update, depth, node)?;
        let new = self.canonical(new, update.value.origin)?;
        if new == old {
            return Ok(function);
        }
        match self.store.except(function, arg, new) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Ok(function),
            Err(mismatch) => self.fail_mismatch(node.origin, &mismatch),
        }
    }

    /// The value that replaces `old`. If the path goes on, it is `old` with an update further down.
    fn updated(&mut self, old: Value, update: &Update, depth: usize, node: &Node) -> Eval<Value> {
        if depth + 1 < update.path.len() {
            return self.update(old, update, depth + 1, node);
        }
        if let Some(at) = update.at {
            self.frames.set(at, old);
        }
        self.eval(&update.value)
    }

    /// Like `update`, for a function whose values are computed when it is applied.
    #[cold]
    fn update_lazy(
        &mut self,
        function: Value,
        lazy: &Arc<LazyFunction>,
        update: &Update,
        depth: usize,
        node: &Node,
    ) -> Eval<Value> {
        let arg = self.eval(&update.path[depth])?;
        let arg = self.canonical(arg, update.path[depth].origin)?;
        let domain = self.closure_domain(function, node.origin)?;
        if !self.contains(domain, arg, node.origin)? {
            return Ok(function);
        }
        let old = self.apply(function, arg, node)?;
        let new = self.updated(old, update, depth, node)?;
        let new = self.finite_function(new, update.value.origin)?;
        let replaced = LazyFunction::replaced(lazy, function, arg, new);
        Ok(self.closures.add(Closure::Function(Arc::new(replaced))))
    }
}
