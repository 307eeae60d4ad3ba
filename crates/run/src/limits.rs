//! What ends a run early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::played::Stop;

/// The conditions that end a run early.
pub(crate) struct Limits<'r> {
    interrupted: &'r AtomicBool,
    deadline: Option<Instant>,
    /// Set by the clerk when no more cases are needed.
    has_enough: AtomicBool,
}

impl<'r> Limits<'r> {
    pub(crate) fn new(interrupted: &'r AtomicBool, time_max: Option<Duration>) -> Limits<'r> {
        // A time beyond the end of the clock means no limit.
        let deadline = time_max.and_then(|time| Instant::now().checked_add(time));
        Limits { interrupted, deadline, has_enough: AtomicBool::new(false) }
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Why everything should end. `None` if it should not.
    pub(crate) fn reached(&self) -> Option<Stop> {
        if self.is_interrupted() {
            return Some(Stop::Interrupted);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stop::Time)
    }

    pub(crate) fn has_enough(&self) -> bool {
        self.has_enough.load(Ordering::Relaxed)
    }

    pub(crate) fn enough(&self) {
        self.has_enough.store(true, Ordering::Relaxed);
    }
}
