//! How cases are run.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How cases are run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// The number of systems that run side by side.
    pub jobs: usize,
    /// The number of cases that a job takes at once. More than one is useful where neighbours have much in common.
    pub batch: usize,
    /// The run stops after this many findings.
    pub findings_max: Option<u64>,
    /// When the run began. What is done before the first case takes time, too.
    pub begun: Instant,
    /// The run stops after this time.
    pub time_max: Option<Duration>,
    /// Whether further cases are planned when all have ended. Otherwise somebody else does it.
    pub plans_more: bool,
    /// Set by somebody else to end the run.
    pub interrupted: &'o AtomicBool,
    /// What earlier sittings of the run have covered, by number.
    pub covered: &'o [u32],
    /// The places that are to blame for findings of earlier sittings.
    pub failed: &'o [u64],
}

impl Options<'_> {
    /// The options for one job without limits, for a run that has not begun.
    pub fn new(interrupted: &AtomicBool) -> Options<'_> {
        let (covered, failed) = (&[], &[]);
        Options {
            jobs: 1,
            batch: 1,
            findings_max: None,
            begun: Instant::now(),
            time_max: None,
            plans_more: true,
            interrupted,
            covered,
            failed,
        }
    }
}
