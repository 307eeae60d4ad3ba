//! How far a campaign is. All that can change of it is in one small document, which changes only as a whole.

use serde::{Deserialize, Serialize};

/// How far a campaign is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Whether cases are played.
    pub phase: Phase,
    /// The number of cases, with those that were planned because of findings.
    pub cases: u64,
    /// For each time that cases were planned because of findings: the hash of what the record says of that.
    #[serde(default)]
    pub rounds: Vec<String>,
    /// When it was started, in seconds since 1970.
    pub started_s: u64,
}

/// Whether cases of a campaign are played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "is", deny_unknown_fields)]
pub enum Phase {
    /// Cases are still being put into the queue.
    Preparing,
    /// Workers play cases.
    Running,
    /// Every case has its result, and a worker looks whether findings have hidden others.
    Closing {
        /// The name of that worker.
        by: String,
        /// Since when, in seconds since 1970: another one takes over if it takes too long.
        since_s: u64,
    },
    /// No cases are played until somebody resumes it.
    Stopped {
        /// The reason, in words.
        why: String,
    },
    /// Every case has its result.
    Finished,
}

impl Phase {
    /// The phase in words.
    pub fn words(&self) -> String {
        match self {
            Phase::Preparing => "being prepared".to_owned(),
            Phase::Running => "running".to_owned(),
            Phase::Closing { .. } => "ending".to_owned(),
            Phase::Stopped { why } => format!("stopped: {why}"),
            Phase::Finished => "finished".to_owned(),
        }
    }
}
