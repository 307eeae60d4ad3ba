//! Evaluates a program.
//!
//! - [`frames`], [`states`], [`closures`], [`finding`], [`caches`], [`context`] the parts of a [`Worker`]
//! - [`evaluator`] a worker that owns its program and store
//! - [`expr`]     expressions; [`operator`] operators on two values; [`form`] conversions between forms of values
//! - [`bind`]     loops over sets
//! - [`member`]   membership without building the set; [`endless`] sets that cannot be built
//! - [`function`] functions and calls; [`except`] EXCEPT
//! - [`act`]      actions: [`successors`]; the rest of an action as a predicate on a [`step`]
//! - [`cache`]    successors of actions, looked up by what the actions read
//! - [`memo`]     values of expensive expressions, looked up by what they depend on
//! - [`table`]    the tables behind these two, which workers share without locks
//! - [`part`]     initial states in parts, one for each worker
//! - [`temporal`] temporal formulas: quantifiers expanded, literals evaluated
//! - [`guide`]    steps of some actions alone, with arguments that are known
//! - [`explain`]  why a formula is true or false; [`obstacles`] why an action is not enabled
//! - [`native`]   operators of the standard modules

mod act;
mod atomics;
mod bind;
mod cache;
mod caches;
mod closures;
mod context;
mod endless;
mod evaluator;
mod except;
mod explain;
mod expr;
mod finding;
mod form;
mod frames;
mod function;
mod guide;
mod member;
mod memo;
pub(crate) mod native;
mod obstacles;
mod operator;
mod part;
mod states;
mod step;
mod successors;
mod table;
#[cfg(test)]
mod table_tests;
mod temporal;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use kilter_base::Name;
use kilter_base::diagnostic::readable;
use kilter_base::memory::StackEnd;
use kilter_value::{HeapFull, Mismatch, SetError, Store, Value, within_heap};

use crate::error::{ErrorKind, Eval, EvalError, Failure, Raised};
use crate::node::Node;
use crate::origin::{CallSite, OriginId};
use crate::program::{Predicate, Program};
use caches::Caches;
use closures::Closures;
use context::Context;
pub use context::RunInfo;
pub use evaluator::Evaluator;
use finding::Finding;
use frames::Frames;
pub use guide::Wanted;
pub use part::Part;
use states::States;
pub use successors::{Label, Successors};

/// Evaluates a program. Each thread has a worker of its own.
pub struct Worker<'p> {
    program: &'p Program,
    store: &'p Store,
    frames: Frames,
    states: States,
    closures: Closures,
    finding: Finding,
    caches: Caches,
    context: Context,
    /// The error that is on its way out as [`Raised`].
    failure: Option<Box<Failure>>,
    stack_end: StackEnd,
    /// What TLCGet tells about the run. The caller keeps it up to date.
    pub info: RunInfo,
    /// The behavior up to the current state, for TLCExt's Trace. The caller fills it in if `Program::asks_behavior` is
    /// set.
    pub trace: Vec<Vec<Value>>,
}

impl<'p> Worker<'p> {
    /// Makes a worker. `stack_bytes` is the stack that its thread has.
    pub fn new(program: &'p Program, store: &'p Store, stack_bytes: usize) -> Self {
        Worker::with(program, store, stack_bytes, Caches::new(program, usize::MAX), Context::new())
    }

    /// Makes a worker for another thread. The two share what they compute. `store` must be a sibling of this worker's
    /// store. The new worker draws other random numbers, but gets the same values for constants.
    #[must_use]
    pub fn sibling(&self, store: &'p Store, number: u64, stack_bytes: usize) -> Self {
        let caches = self.caches.sibling(self.program);
        let mut worker = Worker::with(self.program, store, stack_bytes, caches, self.context.sibling(number));
        worker.info = self.info.clone();
        worker.finding.record = self.finding.record;
        worker
    }

    fn with(
        program: &'p Program,
        store: &'p Store,
        stack_bytes: usize,
        caches: Caches,
        context: Context,
    ) -> Self {
        Worker {
            program,
            store,
            frames: Frames::new(),
            states: States::new(program.variables.len()),
            closures: Closures::default(),
            finding: Finding::default(),
            caches,
            context,
            failure: None,
            stack_end: StackEnd::after(stack_bytes),
            info: RunInfo::default(),
            trace: Vec::new(),
        }
    }

    /// The program that it evaluates.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Says that the worker now runs in a thread with this much stack.
    pub fn set_stack(&mut self, stack_bytes: usize) {
        self.stack_end = StackEnd::after(stack_bytes);
    }

    /// Sets whether successors carry arguments and basic blocks.
    pub fn set_recording(&mut self, record: bool) {
        self.finding.record = record;
    }

    /// Sets the seed of RandomElement and other random operators.
    pub fn set_seed(&mut self, seed: u64) {
        self.context.set_seed(seed);
    }

    /// Sets how much memory its tables of results may take, about. It must not have worked before.
    pub fn set_table_bytes(&mut self, bytes_max: usize) {
        self.caches = Caches::new(self.program, bytes_max);
    }

    /// Makes evaluations end with [`ErrorKind::Stopped`] soon after the flag is set or the deadline has passed.
    pub fn set_stop(&mut self, flag: Arc<AtomicBool>, deadline: Option<Instant>) {
        self.context.stop = Some((flag, deadline));
    }

    /// Forgets all values but those of constants, because a sweep of the store is about to drop values. `first` is the worker that it
    /// shares what it computes with from now on, if it is not the first one.
    pub fn forget(&mut self, first: Option<&Worker<'p>>) {
        self.caches.forget(self.program, first.map(|first| &first.caches));
        if !self.closures.forget() {
            // A constant that is a function has values in it that nobody sees from outside.
            self.caches.cells.fill(Value::UNSET);
        }
    }

    /// The values of constants that it has computed so far.
    pub fn constants(&mut self) -> &mut [Value] {
        &mut self.caches.cells
    }

    /// This worker's store.
    pub fn store(&self) -> &'p Store {
        self.store
    }

    /// The lines that Print and PrintT have printed since the last call.
    pub fn take_printed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.context.printed)
    }

    /// Evaluates a predicate in a state, or in a step if `next` is given.
    pub fn holds(
        &mut self,
        predicate: &Predicate,
        now: &[Value],
        next: Option<&[Value]>,
    ) -> Result<bool, EvalError> {
        self.enter(predicate.frame, now, next);
        let result = self.guarded(|worker| worker.eval_bool(&predicate.body));
        self.leave(result)
    }

    /// Evaluates an expression in a state, or in a step if `next` is given. The value is canonical.
    pub fn value(
        &mut self,
        expression: &Predicate,
        now: &[Value],
        next: Option<&[Value]>,
    ) -> Result<Value, EvalError> {
        self.enter(expression.frame, now, next);
        let result = self.guarded(|worker| {
            let value = worker.eval(&expression.body)?;
            worker.canonical(value, expression.body.origin)
        });
        self.leave(result)
    }

    /// Finds a part of the initial states. Each part evaluates what stands before the first choice. If that can have
    /// an effect or another value each time, the first part is everything.
    pub fn initial(&mut self, part: Part, out: &mut Successors) -> Result<(), EvalError> {
        let Some(init) = &self.program.init else { return Ok(()) };
        let part = match part {
            _ if !init.impure => part,
            first if first.is_first() => Part::WHOLE,
            _ => {
                out.clear();
                return Ok(());
            }
        };
        self.enter(init.frame, &[], None);
        self.finding.begin(out);
        self.finding.part = Some(part);
        let result = self.guarded(|worker| worker.run_action(&init.body).map(drop));
        self.finding.part = None;
        std::mem::swap(out, &mut self.finding.out);
        self.leave(result)
    }

    /// Finds the successors of a state. Without a next-state action there are none.
    pub fn successors(&mut self, now: &[Value], out: &mut Successors) -> Result<(), EvalError> {
        let Some(next) = &self.program.next else {
            out.clear();
            return Ok(());
        };
        self.enter(next.frame, now, None);
        self.finding.begin(out);
        let result = self.guarded(|worker| worker.run_action(&next.body).map(drop));
        std::mem::swap(out, &mut self.finding.out);
        self.leave(result)
    }

    fn enter(&mut self, frame: u32, now: &[Value], next: Option<&[Value]>) {
        self.states.enter(now, next, self.program.variables.len());
        self.closures.restart();
        self.frames.open(0, self.program.frame_sizes[frame as usize]);
    }

    /// Runs an evaluation. A full heap becomes an error like any other.
    fn guarded<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        within_heap(|| evaluate(self)).unwrap_or_else(|HeapFull| {
            let message = "out of memory for values: the specification makes more distinct values than fit";
            self.raise(ErrorKind::OutOfMemory, None, message.to_owned())
        })
    }

    fn leave<T>(&mut self, result: Eval<T>) -> Result<T, EvalError> {
        result.map_err(|Raised| {
            let failure = self.failure.take().expect("whoever raises says why");
            self.explain(*failure)
        })
    }

    fn explain(&self, failure: Failure) -> EvalError {
        let origins = &self.program.origins;
        let mut chain = failure.origin.map(|origin| origins.chain(origin)).unwrap_or_default();
        for (name, origin) in failure.calls {
            chain.push(CallSite { name, span: origins.span(origin) });
            chain.extend(origins.chain(origin));
        }
        EvalError {
            kind: failure.kind,
            message: readable(failure.message),
            span: failure.origin.map(|origin| origins.span(origin)),
            chain,
        }
    }

    #[cold]
    fn raise<T>(&mut self, kind: ErrorKind, origin: Option<OriginId>, message: String) -> Eval<T> {
        self.failure = Some(Box::new(Failure { kind, message, origin, calls: Vec::new() }));
        Err(Raised)
    }

    #[cold]
    fn fail<T>(&mut self, origin: OriginId, message: impl Into<String>) -> Eval<T> {
        self.raise(ErrorKind::Evaluation, Some(origin), message.into())
    }

    #[cold]
    fn fail_mismatch<T>(&mut self, origin: OriginId, mismatch: &Mismatch) -> Eval<T> {
        let message = self.store.mismatch_message(mismatch);
        self.fail(origin, message)
    }

    #[cold]
    fn fail_set<T>(&mut self, origin: OriginId, error: &SetError) -> Eval<T> {
        let message = self.store.set_error_message(error);
        self.fail(origin, message)
    }

    /// Adds a call to the chain of an error that is on its way out.
    #[cold]
    fn note_call(&mut self, name: &Name, origin: OriginId) {
        if let Some(failure) = &mut self.failure {
            // An endless recursion would list itself a hundred thousand times.
            if failure.calls.len() < 20 {
                failure.calls.push((name.clone(), origin));
            }
        }
    }

    /// Checks before a call that there is stack left and that the evaluation need not stop.
    fn check_stack(&mut self, node: &Node) -> Eval<()> {
        self.tick(node.origin)?;
        self.check_depth(node.origin)
    }

    /// Checks that there is stack left to go deeper.
    #[inline]
    fn check_depth(&mut self, origin: OriginId) -> Eval<()> {
        if self.stack_end.is_near() { self.fail_too_deep(origin) } else { Ok(()) }
    }

    #[cold]
    fn fail_too_deep(&mut self, origin: OriginId) -> Eval<()> {
        self.fail(origin, "the evaluation is nested too deeply: probably a recursion that does not end")
    }
}
