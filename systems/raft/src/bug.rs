//! Bugs that real Raft implementations had. They can be switched on one at a time. Each is a few lines at the place
//! where it belongs.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A bug that can be switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// A candidate counts answers, not voters. An answer that arrives twice counts twice.
    VoteCount,
    /// A node does not store its vote, and votes again after a restart.
    VoteNotPersisted,
    /// A candidate takes the term of its last entry (at least that of a leader's no-op) for the newest term. So it
    /// takes votes of earlier elections for new ones.
    NoopFreshness,
    /// A candidate compares its term with the term of the answer instead of the term of its question. So it overlooks
    /// answers that should make it stand down.
    ResponseTerm,
    /// A node that restarts takes its commit index from the snapshot, and loads no entries after it.
    SnapshotCommit,
}

impl Bug {
    /// All bugs.
    pub const ALL: [Bug; 5] =
        [Bug::VoteCount, Bug::VoteNotPersisted, Bug::NoopFreshness, Bug::ResponseTerm, Bug::SnapshotCommit];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Bug::VoteCount => "vote-count",
            Bug::VoteNotPersisted => "vote-not-persisted",
            Bug::NoopFreshness => "noop-freshness",
            Bug::ResponseTerm => "response-term",
            Bug::SnapshotCommit => "snapshot-commit",
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown name.
#[derive(Debug, Error)]
#[error(
    "there is no bug `{0}`; there are vote-count, vote-not-persisted, noop-freshness, response-term and snapshot-commit"
)]
pub struct UnknownBug(String);

impl FromStr for Bug {
    type Err = UnknownBug;

    fn from_str(text: &str) -> Result<Bug, UnknownBug> {
        Bug::ALL.into_iter().find(|bug| bug.name() == text).ok_or_else(|| UnknownBug(text.to_owned()))
    }
}
