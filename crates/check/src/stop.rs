//! When to end early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::memory::{Allowance, Need};

/// Set by somebody else, or by the clock.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    pub(crate) flag: Arc<AtomicBool>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) memory: Allowance,
}

impl Stop {
    pub(crate) fn is_due(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.memory.exceeded(Need::default()).is_some()
    }
}
