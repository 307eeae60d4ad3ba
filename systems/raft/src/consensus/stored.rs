//! The state that a node stores before it answers anybody: term and vote, log, snapshot, commit index.
//!
//! It is changed only by [`Write`]s. The same writes go to the journal, so after a crash the same state is read back.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Index, Term};
use crate::NodeId;
use crate::machine::{Command, Machine, RequestId};

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The term of the leader that wrote it.
    pub term: Term,
    /// The number of the client's request.
    pub request: RequestId,
    /// The client's command.
    pub command: Command,
}

/// A snapshot, which replaces the beginning of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The index of the last entry that it replaces.
    pub index: Index,
    /// The term of that entry.
    pub term: Term,
    /// The store after that entry.
    pub machine: Machine,
}

/// A change of the stored state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Write {
    /// A new term, or a vote in the present term.
    Term {
        /// The term.
        term: Term,
        /// The candidate that has the vote.
        vote: Option<NodeId>,
    },
    /// Entries, which replace all entries at their indices or after them.
    Entries {
        /// The index of the first entry.
        first: Index,
        /// The entries.
        entries: Vec<Entry>,
    },
    /// More entries are committed.
    Commit {
        /// The index up to which entries are committed.
        index: Index,
    },
    /// A snapshot, which replaces the entries that it includes. Later entries stay if they follow its last entry.
    Snapshot(Snapshot),
}

/// The error for a write that does not fit the stored state, because the journal is damaged.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Unfit(String);

/// The stored state of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// The newest term that the node knows of.
    pub term: Term,
    /// The candidate that has its vote in this term.
    pub vote: Option<NodeId>,
    /// The index up to which entries are committed.
    pub commit: Index,
    /// The snapshot, which replaces the beginning of the log.
    pub snapshot: Snapshot,
    /// The entries after the snapshot.
    pub entries: Vec<Entry>,
}

impl Stored {
    /// The index of the last entry.
    pub fn last_index(&self) -> Index {
        self.snapshot.index + self.entries.len() as Index
    }

    /// The term of the last entry.
    pub fn last_term(&self) -> Term {
        self.entries.last().map_or(self.snapshot.term, |entry| entry.term)
    }

    /// The entry at an index. `None` if it is not in the log, or only in the snapshot.
    pub fn entry(&self, index: Index) -> Option<&Entry> {
        let place = index.checked_sub(self.snapshot.index + 1)?;
        self.entries.get(usize::try_from(place).ok()?)
    }

    /// The term of the entry at an index, also of the snapshot's last entry.
    pub fn term_at(&self, index: Index) -> Option<Term> {
        if index == self.snapshot.index {
            return Some(self.snapshot.term);
        }
        self.entry(index).map(|entry| entry.term)
    }

    /// The entries from an index on.
    pub fn entries_from(&self, index: Index) -> &[Entry] {
        self.entries.get(self.place(index)..).unwrap_or(&[])
    }

    /// Applies a change.
    pub fn apply(&mut self, write: &Write) -> Result<(), Unfit> {
        match write {
            Write::Term { term, vote } => {
                self.term = *term;
                self.vote.clone_from(vote);
            }
            Write::Entries { first, entries } => {
                if *first <= self.snapshot.index || *first > self.last_index() + 1 {
                    return Err(Unfit(format!("entries from {first} on do not follow the log")));
                }
                self.entries.truncate(self.place(*first));
                self.entries.extend_from_slice(entries);
            }
            Write::Commit { index } => {
                if *index > self.last_index() {
                    return Err(Unfit(format!("{index} is committed, but the log ends before")));
                }
                self.commit = *index;
            }
            Write::Snapshot(snapshot) => {
                let follows = self.term_at(snapshot.index) == Some(snapshot.term);
                self.entries =
                    if follows { self.entries_from(snapshot.index + 1).to_vec() } else { Vec::new() };
                self.commit = self.commit.max(snapshot.index);
                self.snapshot = snapshot.clone();
            }
        }
        Ok(())
    }

    /// The writes that make this state from an empty one.
    pub fn as_writes(&self) -> Vec<Write> {
        vec![
            Write::Snapshot(self.snapshot.clone()),
            Write::Term { term: self.term, vote: self.vote.clone() },
            Write::Entries { first: self.snapshot.index + 1, entries: self.entries.clone() },
            Write::Commit { index: self.commit },
        ]
    }

    /// The store after all committed entries.
    pub fn machine(&self) -> Machine {
        let mut machine = self.snapshot.machine.clone();
        for index in self.snapshot.index + 1..=self.commit {
            if let Some(entry) = self.entry(index) {
                machine.apply(entry.request, &entry.command);
            }
        }
        machine
    }

    /// The index of an entry in `entries`.
    fn place(&self, index: Index) -> usize {
        index.saturating_sub(self.snapshot.index + 1) as usize
    }
}
