//! The roles of a node, and the state of each role.

use std::collections::{BTreeMap, BTreeSet};

use super::Index;
use crate::NodeId;

/// The role of a node.
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
    /// The name of the role.
    pub fn name(&self) -> &'static str {
        match self {
            Role::Follower => "follower",
            Role::Candidate(_) => "candidate",
            Role::Leader(_) => "leader",
        }
    }
}

/// The state of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Campaign {
    /// The nodes that it has asked, itself included.
    pub asked: BTreeSet<NodeId>,
    /// The nodes that have voted for it, itself included.
    pub votes: Vec<NodeId>,
}

/// The state of a leader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    /// The progress of each node.
    pub progress: BTreeMap<NodeId, Progress>,
}

/// How much of the log a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The index of the entry to send next.
    pub next: Index,
    /// The index up to which its log is known to be the leader's.
    pub matched: Index,
}

impl Lead {
    /// The index of the entry to send to a node next.
    pub fn next(&self, node: &str) -> Index {
        self.progress.get(node).map_or(1, |progress| progress.next)
    }

    /// The number of nodes that have all entries up to an index.
    pub fn n_having(&self, index: Index) -> usize {
        self.progress.values().filter(|progress| progress.matched >= index).count()
    }
}
