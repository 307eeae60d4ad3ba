//! The messages between nodes.

use serde::{Deserialize, Serialize};

use super::stored::Entry;
use super::{Index, Term};
use crate::machine::Machine;

/// A message. Its sender and receiver are known to the transport.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum Message {
    /// A candidate asks for a vote.
    RequestVoteRequest {
        /// The candidate's term.
        term: Term,
        /// The term of its last entry.
        last_term: Term,
        /// The index of its last entry.
        last_index: Index,
    },
    /// The answer to a candidate.
    RequestVoteResponse {
        /// The voter's term.
        term: Term,
        /// Whether the candidate has the vote.
        granted: bool,
    },
    /// A leader sends entries, or a heartbeat without entries.
    AppendEntriesRequest {
        /// The leader's term.
        term: Term,
        /// The index of the entry before the first of these.
        prev_index: Index,
        /// The term of that entry.
        prev_term: Term,
        /// The entries to add.
        entries: Vec<Entry>,
        /// The index up to which the leader has committed.
        commit: Index,
    },
    /// The answer to a leader, about entries or a snapshot.
    AppendEntriesResponse {
        /// The follower's term.
        term: Term,
        /// Whether the entry before was found.
        success: bool,
        /// Up to where the follower's log is the leader's; if there was no success, up to where it may be.
        index: Index,
    },
    /// A leader sends its snapshot in place of entries that it has no longer.
    InstallSnapshotRequest {
        /// The leader's term.
        term: Term,
        /// The index of the last entry that the snapshot replaces.
        last_index: Index,
        /// The term of that entry.
        last_term: Term,
        /// The store after that entry.
        machine: Machine,
    },
}

impl Message {
    /// The term of who sent it.
    pub fn term(&self) -> Term {
        match self {
            Message::RequestVoteRequest { term, .. }
            | Message::RequestVoteResponse { term, .. }
            | Message::AppendEntriesRequest { term, .. }
            | Message::AppendEntriesResponse { term, .. }
            | Message::InstallSnapshotRequest { term, .. } => *term,
        }
    }
}
