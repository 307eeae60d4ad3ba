//! How long to wait for what may never come, from nodes that do not say whether they wait.

use std::time::Duration;

/// So many things have to have come before the limit is less than the longest.
const SAMPLES_MIN: u32 = 8;
/// Never less than this: a busy machine may leave a process alone for a while.
const LIMIT_MIN: Duration = Duration::from_millis(100);

/// Learns how long things take when they do come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    longest: Duration,
    usual: Duration,
    spread: Duration,
    n_samples: u32,
}

impl Patience {
    /// One that never waits longer than this.
    pub(super) fn new(longest: Duration) -> Patience {
        Patience { longest, usual: Duration::ZERO, spread: Duration::ZERO, n_samples: 0 }
    }

    /// Something came after so long. The two averages move as TCP's do for the time that an answer takes.
    pub(super) fn learn(&mut self, took: Duration) {
        if self.n_samples == 0 {
            (self.usual, self.spread) = (took, took / 2);
        } else {
            self.spread = (self.spread * 3 + self.usual.abs_diff(took)) / 4;
            self.usual = (self.usual * 7 + took) / 8;
        }
        self.n_samples += 1;
    }

    /// How long to wait before giving up.
    pub(super) fn limit(&self) -> Duration {
        if self.n_samples < SAMPLES_MIN {
            return self.longest;
        }
        // Ten times what is likely: giving up wrongly costs a false finding, waiting costs a moment.
        ((self.usual + self.spread * 4) * 10).max(LIMIT_MIN).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn it_starts_patient_and_learns() {
        let mut patience = Patience::new(ms(2_000));
        for _ in 0..SAMPLES_MIN {
            assert_eq!(patience.limit(), ms(2_000));
            patience.learn(ms(1));
        }
        assert_eq!(patience.limit(), LIMIT_MIN);
        for _ in 0..100 {
            patience.learn(ms(50));
        }
        assert!(patience.limit() >= ms(500) && patience.limit() < ms(2_000), "{:?}", patience.limit());
        patience.learn(ms(1_500));
        assert_eq!(patience.limit(), ms(2_000), "something slow makes it patient at once");
    }
}
