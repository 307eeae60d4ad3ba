//! A case on its way to a worker, and what came of it on its way back.

use kilter_run::{Event, Further};
use serde::{Deserialize, Serialize};

/// A case on its way to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parcel {
    /// Its place among all cases of the campaign, from 0.
    pub at: u64,
    /// The case.
    pub case: Further,
}

/// What came of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// The id of the case.
    pub case: String,
    /// Its place among all cases of the campaign.
    pub at: u64,
    /// The name of the worker that has played it.
    pub worker: String,
    /// How often it had been given to some worker by then, without those who gave it back.
    pub given: u64,
    /// When it ended by the worker's clock, in milliseconds since 1970.
    pub ended_ms: u64,
    /// What the record says of it. The case comes last.
    pub events: Vec<Event>,
}
