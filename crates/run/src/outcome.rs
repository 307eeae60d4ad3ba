//! What came of a run.

use std::time::Duration;

use crate::played::Stop;
use crate::record::{Counters, Finding, Group};

/// The results so far, in numbers.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The number of cases. 0 if it says nothing, because others play cases of the same run.
    pub n_cases: u64,
    /// The number of cases that have ended.
    pub ended: u64,
    /// The number of cases that passed.
    pub passed: u64,
    /// The number of cases that the system could not be driven along.
    pub not_run: u64,
    /// The number of steps that were taken.
    pub steps: u64,
    /// The number of findings.
    pub findings: u64,
    /// How much of the cases' time was spent on waits without result.
    pub waited: Duration,
    /// Further counters.
    pub counters: Counters,
    /// The time since the start of the run.
    pub took: Duration,
    /// The time until the first finding had been found and checked again.
    pub first_finding: Option<Duration>,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The results in numbers.
    pub tally: Tally,
    /// All findings, in the order of their cases.
    pub findings: Vec<Finding>,
    /// The groups of findings.
    pub groups: Vec<Group>,
    /// Why not all cases were run. `None` if all were.
    pub stopped: Option<Stopped>,
}

/// Why not all cases were run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The user has pressed Ctrl-C.
    Interrupted,
    /// There are enough findings.
    Findings,
    /// The time is up.
    Time,
    /// As much has been done as was asked for.
    Enough(String),
    /// No other case can tell more.
    Said(String),
    /// The system could not be run.
    NotRunnable(String),
    /// What the user wants can't be done with this system. The text says why.
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
    /// Whether the reason is an error, not a limit.
    pub(crate) fn is_error(&self) -> bool {
        matches!(self, Stopped::NotRunnable(_) | Stopped::Impossible(_))
    }

    /// Whether everything stops at once, without the tasks that findings need.
    pub(crate) fn is_at_once(&self) -> bool {
        *self == Stopped::Interrupted || self.is_error()
    }

    /// The reason in words.
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
