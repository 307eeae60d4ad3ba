//! Waits for what a system reports, and measures waits without result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::trouble::Trouble;

/// The pause between two looks, at first and at most. Looking costs the system under test time too.
const LOOK_FIRST: Duration = Duration::from_millis(1);
const LOOK_MOST: Duration = Duration::from_millis(20);

/// When everything ends, whatever is waited for.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// Set when the user wants everything to end.
    pub interrupted: Arc<AtomicBool>,
    /// When the time is up.
    pub deadline: Option<Instant>,
}

impl End {
    /// An error once everything should end.
    pub fn check(&self) -> Result<(), Trouble> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Trouble::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Trouble::Late);
        }
        Ok(())
    }
}

/// Waits, and keeps account of the time.
#[derive(Clone, Debug)]
pub struct Watch {
    /// The longest wait for something that may never come.
    pub limit: Duration,
    /// When waits end before that.
    pub end: End,
    /// The time that was spent on waits without result.
    pub in_vain: Duration,
}

impl Watch {
    /// Makes a watch that waits this long at most.
    pub fn new(limit: Duration, end: End) -> Self {
        Self { limit, end, in_vain: Duration::ZERO }
    }

    /// Calls `look` until it returns something. Returns `None` when the limit has passed.
    pub fn until<T>(&mut self, mut look: impl FnMut() -> Option<T>) -> Result<Option<T>, Trouble> {
        let (started, mut pause) = (Instant::now(), LOOK_FIRST);
        loop {
            if let Some(seen) = look() {
                return Ok(Some(seen));
            }
            self.end.check()?;
            if started.elapsed() >= self.limit {
                self.in_vain += started.elapsed();
                return Ok(None);
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LOOK_MOST);
        }
    }

    /// Lets time pass. This is not a wait for something, so it is not counted as one in vain.
    pub fn rest(&self, time: Duration) -> Result<(), Trouble> {
        let started = Instant::now();
        while started.elapsed() < time {
            self.end.check()?;
            thread::sleep(LOOK_MOST.min(time.saturating_sub(started.elapsed())));
        }
        Ok(())
    }
}
