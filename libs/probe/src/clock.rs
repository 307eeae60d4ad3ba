//! The time, by a clock that a testbed can make jump.

#![expect(clippy::disallowed_methods, reason = "asks the machine for the time, on behalf of a node")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// How far the clock jumps.
const JUMP: Duration = Duration::from_secs(3600);

/// A clock that runs as the machine's does until it jumps ahead. A node that asks it for the time can be tested with `fault = "clock"`.
#[derive(Debug, Default)]
pub struct Clock {
    n_jumps: AtomicU64,
}

impl Clock {
    /// What the testbed asks for when the clock is to jump.
    pub const JUMPS: &str = "kilter.clock";

    /// The time.
    pub fn now(&self) -> SystemTime {
        let n_jumps = u32::try_from(self.n_jumps.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        SystemTime::now() + JUMP.saturating_mul(n_jumps)
    }

    /// The clock jumps an hour ahead.
    pub fn jump(&self) {
        self.n_jumps.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_an_hour() {
        let clock = Clock::default();
        let before = clock.now();
        clock.jump();
        assert!(clock.now() >= before + JUMP);
    }
}
