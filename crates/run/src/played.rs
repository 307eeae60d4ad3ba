//! What came of a case.

use std::time::Duration;

use serde_json::Value as Json;

use crate::record::{Counters, Finding};

/// Something that a case has shown.
#[derive(Clone, Debug)]
pub struct Found<D> {
    /// The finding, for the record.
    pub finding: Finding,
    /// The finding in the method's own terms.
    pub discovery: D,
    /// The place that is to blame, such as an edge of the graph. Of findings of one group with the same place, only one
    /// is checked again.
    pub place: Option<u64>,
    /// The number of steps of the shortest known path to it.
    pub n_steps: u64,
    /// Why no other case can tell more. `None` if others can.
    pub ends_run: Option<String>,
}

/// The result of a case.
#[derive(Clone, Debug)]
pub struct Played<D> {
    /// How the case ended.
    pub ending: Ending,
    /// What it has shown, unless that was reported while it was played.
    pub found: Option<Box<Found<D>>>,
    /// The number of steps that were taken.
    pub steps: u64,
    /// What it has covered, by number.
    pub covered: Vec<u32>,
    /// How long it took.
    pub took: Duration,
    /// How much of that was spent on waits without result.
    pub waited: Duration,
    /// Oddities that are not findings.
    pub notes: Vec<String>,
    /// The folder with its logs, relative to that of the record.
    pub logs: Option<String>,
    /// Further counters.
    pub counters: Counters,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The system did everything that it should.
    Passed,
    /// The system did not.
    Failed,
    /// The system could not be driven along the case. The text says why.
    NotRun(String),
    /// The case was cut short. It can be continued from this state.
    Cut(Json),
}

/// Why no more cases are played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The user has pressed Ctrl-C.
    Interrupted,
    /// The time is up.
    Time,
    /// As much has been done as was asked for. The text says so in the words of the method.
    Enough(String),
    /// The system can't be run. The text says why.
    NotRunnable(String),
    /// What the user wants can't be done with this system. The text says why.
    Impossible(String),
}
