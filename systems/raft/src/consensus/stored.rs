//! What a node stores before it answers anybody: term and vote, log, snapshot, commit index.
//!
//! It changes by [`Write`]s only. The same writes go to the journal, so what is read back after a crash is what was there.

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
    /// Whose request it is.
    pub request: RequestId,
    /// What it asks for.
    pub command: Command,
}

/// What replaces the beginning of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The index of the last entry that is replaced.
    pub index: Index,
    /// Its term.
    pub term: Term,
    /// What all of them have made of the store.
    pub machine: Machine,
}

/// A change of what is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Write {
    /// Another term, or a vote in it.
    Term {
        /// The term.
        term: Term,
        /// Who has the vote.
        vote: Option<NodeId>,
    },
    /// Entries, in place of all that were at their indices or beyond.
    Entries {
        /// The index of the first one.
        first: Index,
        /// The entries.
        entries: Vec<Entry>,
    },
    /// More is committed.
    Commit {
        /// Up to here.
        index: Index,
    },
    /// A snapshot, in place of all entries that it includes. Those after it stay if they follow its last one.
    Snapshot(Snapshot),
}

/// A write that does not fit to what is there: the journal is damaged.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Unfit(String);

/// What is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// The newest term that the node knows of.
    pub term: Term,
    /// Who has its vote in this term.
    pub vote: Option<NodeId>,
    /// Up to where entries are committed.
    pub commit: Index,
    /// What replaces the beginning of the log.
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

    /// The entry at an index, if it is in the log and not in the snapshot.
    pub fn entry(&self, index: Index) -> Option<&Entry> {
        let place = index.checked_sub(self.snapshot.index + 1)?;
        self.entries.get(usize::try_from(place).ok()?)
    }

    /// The term of the entry at an index, also of the snapshot's last one.
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

    /// Makes a change.
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

    /// Writes that make all of this from nothing.
    pub fn as_writes(&self) -> Vec<Write> {
        vec![
            Write::Snapshot(self.snapshot.clone()),
            Write::Term { term: self.term, vote: self.vote.clone() },
            Write::Entries { first: self.snapshot.index + 1, entries: self.entries.clone() },
            Write::Commit { index: self.commit },
        ]
    }

    /// The store after all entries that are committed.
    pub fn machine(&self) -> Machine {
        let mut machine = self.snapshot.machine.clone();
        for index in self.snapshot.index + 1..=self.commit {
            if let Some(entry) = self.entry(index) {
                machine.apply(entry.request, &entry.command);
            }
        }
        machine
    }

    /// Where the entry at an index is among those after the snapshot.
    fn place(&self, index: Index) -> usize {
        index.saturating_sub(self.snapshot.index + 1) as usize
    }
}
