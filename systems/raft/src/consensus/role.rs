//! What a node is, and what it remembers as long as it is that.

use std::collections::{BTreeMap, BTreeSet};

use super::Index;
use crate::NodeId;

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// It does what it is told.
    Follower,
    /// It stands for election.
    Candidate(Campaign),
    /// It tells others what to do.
    Leader(Lead),
}

impl Role {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        match self {
            Role::Follower => "follower",
            Role::Candidate(_) => "candidate",
            Role::Leader(_) => "leader",
        }
    }
}

/// What a candidate remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Campaign {
    /// Whom it has asked, itself included.
    pub asked: BTreeSet<NodeId>,
    /// Who has voted for it, itself included.
    pub votes: Vec<NodeId>,
}

/// What a leader remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    /// Each node, and how far it is.
    pub progress: BTreeMap<NodeId, Progress>,
}

/// How far a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The entry to send next.
    pub next: Index,
    /// Up to where its log is known to be the leader's.
    pub matched: Index,
}

impl Lead {
    /// The entry to send to a node next.
    pub fn next(&self, node: &str) -> Index {
        self.progress.get(node).map_or(1, |progress| progress.next)
    }

    /// How many nodes have all entries up to an index.
    pub fn n_having(&self, index: Index) -> usize {
        self.progress.values().filter(|progress| progress.matched >= index).count()
    }
}
