//! A worker that owns its program and store, for callers that evaluate now and then.

use std::sync::Arc;

use kilter_value::Store;

use super::Worker;
use super::caches::Caches;
use super::closures::Closures;
use super::context::Context;
use crate::program::Program;

/// A program, a store, and the results of earlier evaluations.
///
/// A [`Worker`] borrows its program and its store, because it uses them all the time. An evaluator owns them, and lends
/// them to a worker for the time of one call.
pub struct Evaluator {
    program: Arc<Program>,
    store: Store,
    stack_bytes: usize,
    /// What lasts from one call to the next. `None` before the first call, and after a call that panicked.
    kept: Option<(Closures, Caches, Context)>,
}

impl Evaluator {
    /// Makes an evaluator that may use `stack_bytes` of the caller's stack. `store` must be the store that the program
    /// was compiled with, or a sibling of it.
    pub fn new(program: Arc<Program>, store: Store, stack_bytes: usize) -> Self {
        Evaluator { program, store, stack_bytes, kept: None }
    }

    /// Calls `evaluate` with a worker.
    pub fn with<T>(&mut self, evaluate: impl FnOnce(&mut Worker<'_>) -> T) -> T {
        let mut worker = match self.kept.take() {
            None => Worker::new(&self.program, &self.store, self.stack_bytes),
            // The caches hold values of constants, and these may be closures. So the closures are kept too.
            Some((closures, caches, context)) => Worker {
                closures,
                ..Worker::with(&self.program, &self.store, self.stack_bytes, caches, context)
            },
        };
        let result = evaluate(&mut worker);
        self.kept = Some((worker.closures, worker.caches, worker.context));
        result
    }
}
