//! A worker that owns what it evaluates, for those who evaluate now and then.

use std::sync::Arc;

use kilter_value::Store;

use super::Worker;
use super::caches::Caches;
use super::closures::Closures;
use super::context::Context;
use crate::program::Program;

/// A program with a store, and what was found out about it.
///
/// A [`Worker`] borrows its program and its store, because it looks at them all the time. This one lends them to a worker
/// for as long as somebody evaluates.
pub struct Evaluator {
    program: Arc<Program>,
    store: Store,
    stack_bytes: usize,
    /// What lasts from one use to the next; nothing before the first, and after one that panicked.
    kept: Option<(Closures, Caches, Context)>,
}

impl Evaluator {
    /// An evaluator that may use so much of the stack of whoever asks. `store` is the one that the program was compiled with,
    /// or a sibling of it.
    pub fn new(program: Arc<Program>, store: Store, stack_bytes: usize) -> Self {
        Evaluator { program, store, stack_bytes, kept: None }
    }

    /// Evaluates something.
    pub fn with<T>(&mut self, evaluate: impl FnOnce(&mut Worker<'_>) -> T) -> T {
        let mut worker = match self.kept.take() {
            None => Worker::new(&self.program, &self.store, self.stack_bytes),
            // Values of constants, which are in the caches, may be closures.
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
