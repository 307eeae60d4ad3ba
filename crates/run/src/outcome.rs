//! What came of a run.

use std::time::Duration;

use crate::played::Stop;
use crate::record::{Counters, Finding, Group};

/// What came of the cases so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many cases there are.
    pub n_cases: u64,
    /// How many have ended.
    pub ended: u64,
    /// How many of those passed.
    pub passed: u64,
    /// How many the system could not be driven along.
    pub not_run: u64,
    /// How many steps were taken.
    pub steps: u64,
    /// How many findings there are.
    pub findings: u64,
    /// How much of the cases' time was waiting for what did not come.
    pub waited: Duration,
    /// What else was counted.
    pub counters: Counters,
    /// How long it took so far.
    pub took: Duration,
    /// How long it took until the first finding, and until it had been looked at again.
    pub first_finding: Option<Duration>,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The numbers.
    pub tally: Tally,
    /// All findings, in the order of their cases.
    pub findings: Vec<Finding>,
    /// What they have in common.
    pub groups: Vec<Group>,
    /// Why not all cases were run, if so.
    pub stopped: Option<Stopped>,
}

/// Why not all cases were run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// There are enough findings.
    Findings,
    /// Time is up.
    Time,
    /// So much has been done as was wanted.
    Enough(String),
    /// No other case can say more.
    Said(String),
    /// The system could not be run.
    NotRunnable(String),
    /// What the user wants can't be done with this system.
    Impossible(String),
}

impl From<Stop> for Stopped {
    fn from(stop: Stop) -> Stopped {
        match stop {
            Stop::Interrupted => Stopped::Interrupted,
            Stop::Time => Stopped::Time,
            Stop::Enough(what) => Stopped::Enough(what),
            Stop::NotRunnable(why) => Stopped::NotRunnable(why),
            Stop::Impossible(why) => Stopped::Impossible(why),
        }
    }
}

impl Stopped {
    /// Whether nothing more is done at all, not even what findings call for.
    pub(crate) fn is_at_once(&self) -> bool {
        matches!(self, Stopped::Interrupted | Stopped::NotRunnable(_) | Stopped::Impossible(_))
    }

    /// In words.
    pub fn why(&self) -> &str {
        match self {
            Stopped::Interrupted => "interrupted; `--resume` goes on",
            Stopped::Findings => "enough findings",
            Stopped::Time => "time is up; `--resume` goes on",
            Stopped::Enough(why)
            | Stopped::Said(why)
            | Stopped::NotRunnable(why)
            | Stopped::Impossible(why) => why,
        }
    }
}
