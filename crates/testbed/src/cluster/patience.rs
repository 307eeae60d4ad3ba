//! Decides how long to wait: for what must come, and for what may never come from nodes that do not say whether they
//! wait.

use std::time::{Duration, Instant};

use super::process::Pulse;

/// How often a deadline is extended for a node that would run if it got a processor.
const EXTENSIONS_MAX: u32 = 9;

/// The deadline for something that must come. It can be extended, because on a busy machine a node may be late through
/// no fault of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    begin: Instant,
    patience: Duration,
    n_extended: u32,
    /// The node that was late, and the processor time that it had used by then.
    late: Option<(usize, Duration)>,
}

impl Deadline {
    /// Makes a deadline that ends after `patience`.
    pub(super) fn new(patience: Duration) -> Deadline {
        Deadline { begin: Instant::now(), patience, n_extended: 0, late: None }
    }

    pub(super) fn at(&self) -> Instant {
        self.begin + self.granted()
    }

    pub(super) fn has_passed(&self) -> bool {
        Instant::now() >= self.at()
    }

    /// The time from the start to the deadline, with its extensions.
    pub(super) fn granted(&self) -> Duration {
        self.patience * (1 + self.n_extended)
    }

    /// Extends the deadline if a node is ready to run but did not get the chance. Returns `false` if the node itself is
    /// to blame: it waits for something, or it had a processor for half of the time and has still not finished.
    pub(super) fn extend(&mut self, node: usize, pulse: Option<Pulse>) -> bool {
        let Some(pulse) = pulse.filter(|pulse| pulse.ready && self.n_extended < EXTENSIONS_MAX) else {
            return false;
        };
        let before = self.late.filter(|(late, _)| *late == node).map(|(_, used)| used);
        if before.is_some_and(|before| pulse.used.saturating_sub(before) >= self.patience / 2) {
            return false;
        }
        self.late = Some((node, pulse.used));
        self.n_extended += 1;
        true
    }
}

/// Before this many samples, the limit is the longest time.
const SAMPLES_MIN: u32 = 8;
/// The limit is never shorter than this, because a busy machine may not run a process for a while.
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
    /// Makes a patience whose limit is never longer than this.
    pub(super) fn new(longest: Duration) -> Patience {
        Patience { longest, usual: Duration::ZERO, spread: Duration::ZERO, n_samples: 0 }
    }

    /// Learns from one sample. The two averages are updated as TCP does it for round-trip times.
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
        // The limit is ten times what is likely. Giving up too early costs a false finding; waiting costs a moment.
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

    #[test]
    fn who_can_not_run_gets_more_time_and_who_waits_or_loops_does_not() {
        let pulse = |ready, used| Some(Pulse { ready, used: ms(used) });
        let mut deadline = Deadline::new(ms(100));
        assert!(!deadline.extend(0, None));
        assert!(!deadline.extend(0, pulse(false, 10)), "it waits");
        assert!(deadline.extend(0, pulse(true, 10)));
        assert!(deadline.extend(0, pulse(true, 20)));
        assert_eq!(deadline.granted(), ms(300));
        assert!(!deadline.extend(0, pulse(true, 70)), "it had its share");
        assert!(deadline.extend(1, pulse(true, 70)), "somebody else");
        let mut deadline = Deadline::new(ms(100));
        let n_extended = (0..100).filter(|_| deadline.extend(0, pulse(true, 0))).count();
        assert_eq!(n_extended, EXTENSIONS_MAX as usize, "there is an end to it");
    }
}
