//! What is counted in a search.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The progress of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// The number of sequences that have ended.
    pub sequences: u64,
    /// The number of sequences that were abandoned because they are explored elsewhere.
    pub pruned: u64,
    /// The number of events, with those of replays and extensions.
    pub events: u64,
    /// The number of distinct states, if they are counted.
    pub states: u64,
    /// The length of the longest sequence.
    pub depth: u64,
    /// The number of sequences in which something is wrong.
    pub failing: u64,
    /// The number of sequences that reached the goal only when they were extended.
    pub late: u64,
    /// The most steps beyond the depth that one of those took.
    pub late_by: u32,
    /// The number of events that were not explored because a peer's event was.
    pub peers: u64,
    /// The number of those where the two peers did not hold the same.
    pub peers_unlike: u64,
    /// Where the time went, if the system consists of processes.
    pub spent: Spent,
}

/// Where the time went, summed over all jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The time spent waiting for the processes of the system under test.
    pub nodes: Duration,
    /// The processor time of the testbed itself: starting nodes, reading what they say, telling them what to do.
    pub testbed: Duration,
    /// The whole time, with the search. Zero if there are no processes.
    pub whole: Duration,
}

impl Spent {
    /// Adds what another job has spent.
    pub fn join(&mut self, other: &Spent) {
        self.nodes += other.nodes;
        self.testbed += other.testbed;
        self.whole += other.whole;
    }

    /// Sets the whole time, if anything is known about processes.
    #[must_use]
    pub fn of(self, whole: Duration) -> Spent {
        let is_known = !self.nodes.is_zero() || !self.testbed.is_zero();
        Spent { whole: if is_known { whole } else { Duration::ZERO }, ..self }
    }
}

impl Counts {
    /// Adds the counts of another worker.
    pub fn join(&mut self, other: &Counts) {
        self.sequences += other.sequences;
        self.pruned += other.pruned;
        self.events += other.events;
        self.states += other.states;
        self.depth = self.depth.max(other.depth);
        self.failing += other.failing;
        self.late += other.late;
        self.late_by = self.late_by.max(other.late_by);
        self.peers += other.peers;
        self.peers_unlike += other.peers_unlike;
        self.spent.join(&other.spent);
    }
}
