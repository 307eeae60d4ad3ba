//! What came of a case.

use std::time::Duration;

use serde_json::Value as Json;

use crate::record::{Counters, Finding};

/// Something that a case has shown.
#[derive(Clone, Debug)]
pub struct Found<D> {
    /// For the record.
    pub finding: Finding,
    /// In the method's own terms.
    pub discovery: D,
    /// Which part of what there is to cover is to blame, such as an edge of the graph. Of findings of one group with the same place,
    /// one is looked at again.
    pub place: Option<u64>,
    /// How many steps the shortest way to it has that is known.
    pub n_steps: u64,
    /// Why no other case can say more, if so.
    pub ends_run: Option<String>,
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Played<D> {
    /// How it ended.
    pub ending: Ending,
    /// What it has shown, if that was not told while it was played.
    pub found: Option<Box<Found<D>>>,
    /// How many steps were taken.
    pub steps: u64,
    /// What it has covered, by number.
    pub covered: Vec<u32>,
    /// How long it took.
    pub took: Duration,
    /// How much of that was waiting for what did not come.
    pub waited: Duration,
    /// What was odd, but is no finding.
    pub notes: Vec<String>,
    /// What else was counted.
    pub counters: Counters,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The system did all that it should.
    Passed,
    /// It did not.
    Failed,
    /// The system could not be driven along the case.
    NotRun(String),
    /// It was cut short; from here it can go on.
    Cut(Json),
}

/// Why nothing more is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// Time is up.
    Time,
    /// So much has been done as was wanted, in the words of the method.
    Enough(String),
    /// The system can't be run.
    NotRunnable(String),
    /// What the user wants can't be done with this system.
    Impossible(String),
}
