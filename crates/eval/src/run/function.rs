//! Evaluates functions, closures and calls.
//!
//! A function constructor over a small set is evaluated at once. A constructor over a large or infinite set, a
//! recursive one, or one that fails for some argument becomes a closure. A closure is evaluated where it is applied, as
//! TLC does with every function.

use std::sync::Arc;

use kilter_value::{SetError, Value, View};

use super::Worker;
use super::closures::{Closure, LazyFunction};
use super::frames::Mark;
use crate::error::{ErrorKind, Eval, Raised};
use crate::node::{Bound, FunctionId, Kind, Lambda, Node, Target};
use crate::origin::OriginId;

/// A function constructor over more elements than this becomes a closure.
const EAGER_MAX: usize = 1024;

impl<'p> Worker<'p> {
    /// Evaluates `[x \in S |-> e]`.
    pub(super) fn function(&mut self, lambda: &Arc<Lambda>, node: &Node) -> Eval<Value> {
        let mut sets = Vec::with_capacity(lambda.bounds.len());
        for bound in &lambda.bounds {
            sets.push(self.eval_set(&bound.set)?);
        }
        if lambda.itself.is_none()
            && let Some(domain) = self.small_domain(&lambda.bounds, &sets, node.origin)?
        {
            let saved = self.frames.mark();
            match self.enumerate(lambda, domain) {
                Ok(value) => return Ok(value),
                Err(Raised) => {
                    // The function may be applied only where it does not fail. So the error is dropped, and a closure
                    // is made.
                    if self.failure.as_ref().is_some_and(|failure| failure.kind != ErrorKind::Evaluation) {
                        return Err(Raised);
                    }
                    self.frames.restore(saved);
                    self.failure = None;
                }
            }
        }
        let captures = lambda.captures.iter().map(|slot| self.frames.get(*slot)).collect();
        let function = LazyFunction::new(lambda.clone(), captures, sets.into(), node.origin);
        Ok(self.closures.add(Closure::Function(Arc::new(function))))
    }

    /// The domain in canonical form. `None` if it is too large or infinite.
    fn small_domain(&mut self, bounds: &[Bound], sets: &[Value], origin: OriginId) -> Eval<Option<Value>> {
        let mut size = 1usize;
        for (bound, set) in bounds.iter().zip(sets) {
            let n_elems = match self.store.cardinality(*set) {
                Ok(n_elems) => n_elems,
                Err(SetError::Infinite(_) | SetError::TooLarge(_)) => return Ok(None),
                Err(error) => return self.fail_set(origin, &error),
            };
            for _ in 0..n_names(bound) {
                size = size.saturating_mul(n_elems);
            }
        }
        if size > EAGER_MAX {
            return Ok(None);
        }
        self.whole_domain(bounds, sets, origin).map(Some)
    }

    /// The domain as one set. With several arguments it is a set of tuples.
    fn whole_domain(&mut self, bounds: &[Bound], sets: &[Value], origin: OriginId) -> Eval<Value> {
        let domain = self.lazy_domain(bounds, sets);
        self.canonical(domain, origin)
    }

    fn lazy_domain(&mut self, bounds: &[Bound], sets: &[Value]) -> Value {
        if let ([bound], [set]) = (bounds, sets)
            && n_names(bound) == 1
        {
            return *set;
        }
        let factors: Vec<Value> = bounds
            .iter()
            .zip(sets)
            .flat_map(|(bound, set)| std::iter::repeat_n(*set, n_names(bound)))
            .collect();
        self.store.product(&factors)
    }

    /// Evaluates the body for each element of the domain.
    fn enumerate(&mut self, lambda: &Lambda, domain: Value) -> Eval<Value> {
        let start = self.frames.top();
        let single = lambda.bounds.len() == 1 && n_names(&lambda.bounds[0]) == 1;
        self.each(domain, lambda.body.origin, |worker, elem| {
            if single {
                worker.bind_one(&lambda.bounds[0].target, elem, lambda.bounds[0].set.origin)?;
            } else {
                worker.bind_components(&lambda.bounds, elem)?;
            }
            let value = worker.eval(&lambda.body)?;
            let value = worker.canonical(value, lambda.body.origin)?;
            worker.frames.push(value);
            Ok(true)
        })?;
        let value = self.store.function(domain, self.frames.pushed(start));
        self.frames.pop_to(start);
        Ok(value)
    }

    /// Puts the components of an argument tuple into the slots of several bounds.
    fn bind_components(&mut self, bounds: &[Bound], tuple: Value) -> Eval<()> {
        let View::Tuple(elems) = self.store.view(tuple) else { return Ok(()) };
        let mut components = elems.iter();
        for bound in bounds {
            match &bound.target {
                Target::Slots(slots) => {
                    for slot in slots {
                        if let Some(component) = components.next() {
                            self.frames.set(*slot, component);
                        }
                    }
                }
                Target::Tuple(slots) => {
                    if let Some(component) = components.next() {
                        self.bind_tuple(slots, component, bound.set.origin)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Evaluates `f[x]`.
    pub(super) fn index(&mut self, function: &Node, arg: &Node, node: &Node) -> Eval<Value> {
        let value = self.eval(function)?;
        let arg = self.eval(arg)?;
        let arg = self.canonical(arg, node.origin)?;
        self.apply(value, arg, node)
    }

    pub(super) fn apply(&mut self, function: Value, arg: Value, node: &Node) -> Eval<Value> {
        match self.store.apply(function, arg) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => self.apply_slowly(function, arg, node),
            Err(_) => self.fail_application(function, arg, node.origin),
        }
    }

    #[cold]
    fn apply_slowly(&mut self, function: Value, arg: Value, node: &Node) -> Eval<Value> {
        if let Some(lazy) = self.closures.function(function) {
            return self.apply_lazy(function, &lazy, arg, node);
        }
        self.fail_application(function, arg, node.origin)
    }

    /// Raises the error for a value that cannot be applied to an argument.
    #[cold]
    fn fail_application<T>(&mut self, function: Value, arg: Value, origin: OriginId) -> Eval<T> {
        let (shown, shown_arg) = (self.show(function), self.show(arg));
        let message = match (self.store.view(function), self.store.view(arg)) {
            // A function whose domain is 1..n is a tuple too.
            (View::Tuple(elems), View::Int(_)) => format!(
                "the index {shown_arg} is out of bounds: it is not in the domain 1..{} of\n{shown}",
                elems.len()
            ),
            (View::Tuple(_), _) => {
                format!(
                    "the index of a tuple must be an integer, but it is\n{shown_arg}\nthe tuple is\n{shown}"
                )
            }
            (View::Record { .. }, View::String(_)) => {
                format!("the record has no field named {shown_arg}; it is\n{shown}")
            }
            (View::Record { .. }, _) => format!(
                "the argument of a record must be the name of a field, but it is\n{shown_arg}\nthe record is\n{shown}"
            ),
            (View::Function { .. }, _) => {
                format!("the argument\n{shown_arg}\nis not in the domain of the function\n{shown}")
            }
            _ => {
                format!("a value that is not a function was applied to\n{shown_arg}\nthe value is\n{shown}")
            }
        };
        self.fail(origin, message)
    }

    fn apply_lazy(&mut self, value: Value, lazy: &Arc<LazyFunction>, arg: Value, node: &Node) -> Eval<Value> {
        if let Some(known) = lazy.value_at(arg) {
            return Ok(known);
        }
        self.check_domain(lazy, arg, node)?;
        self.check_stack(node)?;
        let outer = self.frames.mark();
        self.open_frame(lazy.lambda.frame);
        let result = self.bind_lazy(value, lazy, arg).and_then(|()| self.eval(&lazy.lambda.body));
        self.frames.restore(outer);
        let result = result?;
        if result.as_transient().is_none() {
            lazy.remember(arg, result);
        }
        Ok(result)
    }

    pub(super) fn check_domain(&mut self, lazy: &Arc<LazyFunction>, arg: Value, node: &Node) -> Eval<()> {
        let domain = self.lazy_domain(&lazy.lambda.bounds, &lazy.sets);
        if self.contains(domain, arg, node.origin)? {
            return Ok(());
        }
        let (shown, shown_arg) = (self.show(domain), self.show(arg));
        self.fail(
            node.origin,
            format!(
                "the argument\n{shown_arg}\nis not in the domain of the function; the domain is\n{shown}"
            ),
        )
    }

    /// Opens a frame above everything in use. The caller restores the frame before.
    pub(super) fn open_frame(&mut self, frame: u32) {
        self.frames.open(self.frames.top(), self.program.frame_sizes[frame as usize]);
    }

    /// Fills a new frame with the captures of a lazy function, the function itself, and its argument.
    pub(super) fn bind_lazy(&mut self, value: Value, lazy: &Arc<LazyFunction>, arg: Value) -> Eval<()> {
        let lambda = &lazy.lambda;
        for (slot, captured) in lambda.captures.iter().zip(&lazy.captures) {
            self.frames.set(*slot, *captured);
        }
        if let Some(slot) = lambda.itself {
            self.frames.set(slot, lazy.itself(value));
        }
        if let ([bound], 1) = (&*lambda.bounds, n_names(&lambda.bounds[0])) {
            self.bind_one(&bound.target, arg, lazy.origin)
        } else {
            self.bind_components(&lambda.bounds, arg)
        }
    }

    pub(super) fn closure_domain(&mut self, value: Value, origin: OriginId) -> Eval<Value> {
        match self.closures.function(value) {
            Some(lazy) => Ok(self.lazy_domain(&lazy.lambda.bounds, &lazy.sets)),
            None => self.fail(origin, "an operator was used where a value is needed"),
        }
    }

    /// Computes all values of a closure and makes a function of the store. Fails if the closure is an operator.
    pub(super) fn enumerate_closure(&mut self, value: Value, origin: OriginId) -> Eval<Value> {
        let Some(lazy) = self.closures.function(value) else {
            return self.fail(origin, "an operator was used where a value is needed");
        };
        let domain = self.whole_domain(&lazy.lambda.bounds, &lazy.sets, origin)?;
        let start = self.frames.top();
        let node = Node { kind: Kind::Value(value), origin };
        let result = self.each(domain, origin, |worker, elem| {
            let result = worker.apply_lazy(value, &lazy, elem, &node)?;
            let result = worker.canonical(result, origin)?;
            worker.frames.push(result);
            Ok(true)
        });
        if result.is_err() {
            self.frames.pop_to(start);
        }
        result?;
        let function = self.store.function(domain, self.frames.pushed(start));
        self.frames.pop_to(start);
        Ok(function)
    }

    /// Calls a function of the program.
    pub(super) fn call(&mut self, function: FunctionId, args: &[Node], node: &Node) -> Eval<Value> {
        self.check_stack(node)?;
        let top = self.frames.top();
        for arg in args {
            let value = self.argument(arg);
            self.frames.push(value);
        }
        self.invoke(function, top, node)
    }

    /// Evaluates an argument. An argument that fails becomes a value that raises the error when it is used.
    pub(super) fn argument(&mut self, arg: &Node) -> Value {
        let saved = self.frames.mark();
        match self.eval(arg) {
            Ok(value) => value,
            Err(Raised) => {
                self.frames.restore(saved);
                let failure = self.failure.take().expect("whoever raises says why");
                self.closures.add(Closure::Poison(failure))
            }
        }
    }

    /// Runs a function whose arguments were pushed from `start` on. They become the first slots of its frame.
    fn invoke(&mut self, function: FunctionId, start: usize, node: &Node) -> Eval<Value> {
        let program: &'p crate::Program = self.program;
        let code = &program.functions[function.0 as usize];
        let base = self.frames.mark().base;
        self.frames.open(start, program.frame_sizes[code.frame as usize]);
        let result = self.eval(&code.body);
        self.frames.restore(Mark { base, top: start });
        if result.is_err() {
            self.note_call(&code.name, node.origin);
        }
        result
    }

    pub(super) fn closure(&mut self, function: FunctionId, captures: &[Node]) -> Value {
        let captures = captures.iter().map(|capture| self.argument(capture)).collect();
        self.closures.add(Closure::Operator { function, captures })
    }

    /// Applies an operator that was passed at run time.
    pub(super) fn apply_operator(&mut self, operator: &Node, args: &[Node], node: &Node) -> Eval<Value> {
        let operator = self.eval(operator)?;
        let Some(Closure::Operator { function, captures }) = self.closures.get(operator) else {
            return self.fail(node.origin, "a value was used as an operator");
        };
        let (function, captures) = (*function, captures.clone());
        self.check_stack(node)?;
        let start = self.frames.top();
        for arg in args {
            let value = self.argument(arg);
            self.frames.push(value);
        }
        for capture in &captures {
            self.frames.push(*capture);
        }
        self.invoke(function, start, node)
    }

    /// Reads a parameter. Raises the error of its argument, if the argument failed.
    #[inline]
    pub(super) fn param(&mut self, slot: u32) -> Eval<Value> {
        let value = self.frames.get(slot);
        if value.as_transient().is_some() { self.param_slowly(value) } else { Ok(value) }
    }

    #[cold]
    fn param_slowly(&mut self, value: Value) -> Eval<Value> {
        if let Some(Closure::Poison(failure)) = self.closures.get(value) {
            self.failure = Some(failure.clone());
            return Err(Raised);
        }
        Ok(value)
    }
}

/// The number of arguments that a bound stands for.
fn n_names(bound: &Bound) -> usize {
    match &bound.target {
        Target::Slots(slots) => slots.len(),
        Target::Tuple(_) => 1,
    }
}
