//! What ends a run early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::played::Stop;

/// The conditions that end a run early.
pub(crate) struct Limits<'r> {
    interrupted: &'r AtomicBool,
    deadline: Option<Instant>,
    /// When cases end if there are findings, so that there is time to make these shorter.
    early: Option<Instant>,
    has_findings: AtomicBool,
    /// Set by the clerk when no more cases are needed.
    has_enough: AtomicBool,
}

impl<'r> Limits<'r> {
    pub(crate) fn new(interrupted: &'r AtomicBool, begun: Instant, time_max: Option<Duration>) -> Limits<'r> {
        // A time beyond the end of the clock means no limit.
        let after = |time: Duration| begun.checked_add(time);
        Limits {
            interrupted,
            deadline: time_max.and_then(after),
            early: time_max.and_then(|time| after(time / 5 * 4)),
            has_findings: AtomicBool::new(false),
            has_enough: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Why no more cases should be played. `None` if they should.
    pub(crate) fn reached(&self) -> Option<Stop> {
        if self.is_interrupted() {
            return Some(Stop::Interrupted);
        }
        let has_findings = self.has_findings.load(Ordering::Relaxed);
        let end = if has_findings { self.early } else { self.deadline };
        end.is_some_and(|end| Instant::now() >= end).then_some(Stop::Time)
    }

    /// Whether everything should end.
    pub(crate) fn is_over(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Says that something was found.
    pub(crate) fn note_finding(&self) {
        self.has_findings.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_enough(&self) -> bool {
        self.has_enough.load(Ordering::Relaxed)
    }

    pub(crate) fn enough(&self) {
        self.has_enough.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_beyond_the_end_of_the_clock_is_no_limit() {
        let interrupted = AtomicBool::new(false);
        let limits = Limits::new(&interrupted, Instant::now(), Some(Duration::MAX));
        limits.note_finding();
        assert_eq!((limits.reached(), limits.is_over()), (None, false));
    }

    #[test]
    fn cases_end_earlier_if_there_are_findings() {
        let interrupted = AtomicBool::new(false);
        let mut limits = Limits::new(&interrupted, Instant::now(), Some(Duration::from_secs(3600)));
        limits.early = Some(Instant::now());
        assert_eq!(limits.reached(), None);
        limits.note_finding();
        assert_eq!((limits.reached(), limits.is_over()), (Some(Stop::Time), false));
    }
}
