//! Waiting for a system's own signals, and what it costs when they do not come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::trouble::Trouble;

/// How often we look, at first and at most: looking costs the system under test time too.
const LOOK_FIRST: Duration = Duration::from_millis(1);
const LOOK_MOST: Duration = Duration::from_millis(20);

/// Waits, and keeps account.
#[derive(Clone, Debug)]
pub struct Watch {
    /// How long to wait for what may never come.
    pub limit: Duration,
    /// Set when somebody wants everything to end.
    pub interrupted: Arc<AtomicBool>,
    /// Time that was spent on waits that ended without what was waited for.
    pub in_vain: Duration,
}

impl Watch {
    /// A watch that waits this long at most.
    pub fn new(limit: Duration, interrupted: Arc<AtomicBool>) -> Self {
        Self { limit, interrupted, in_vain: Duration::ZERO }
    }

    /// Looks until there is something to see; `None` when the limit has passed.
    pub fn until<T>(&mut self, mut look: impl FnMut() -> Option<T>) -> Result<Option<T>, Trouble> {
        let (started, mut pause) = (Instant::now(), LOOK_FIRST);
        loop {
            if let Some(seen) = look() {
                return Ok(Some(seen));
            }
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(Trouble::Interrupted);
            }
            if started.elapsed() >= self.limit {
                self.in_vain += started.elapsed();
                return Ok(None);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LOOK_MOST);
        }
    }
}
