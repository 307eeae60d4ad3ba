//! What is counted in a search.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How far a search is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Sequences that have come to an end.
    pub sequences: u64,
    /// Sequences that were given up, since they are explored elsewhere.
    pub pruned: u64,
    /// Events that have happened, those of replays and extensions included.
    pub events: u64,
    /// Distinct states, if they are counted.
    pub states: u64,
    /// The longest sequence.
    pub depth: u64,
    /// Sequences that violate something.
    pub failing: u64,
    /// Sequences that reached the goal only when they were extended.
    pub late: u64,
    /// The most steps beyond the depth that one of those took.
    pub late_by: u32,
    /// Events that were not explored because a peer's was.
    pub peers: u64,
    /// Those of them where the two peers did not hold the same.
    pub peers_unlike: u64,
    /// Who took how much time, where the system consists of processes.
    pub spent: Spent,
}

/// Who took how much time, all jobs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The system under test: its processes were waited for.
    pub nodes: Duration,
    /// The testbed itself, on a processor: starting nodes, reading what they say, telling them what to do.
    pub testbed: Duration,
    /// All of it, the search included; nothing where there are no processes.
    pub whole: Duration,
}

impl Spent {
    /// Together with what another has taken.
    pub fn join(&mut self, other: &Spent) {
        self.nodes += other.nodes;
        self.testbed += other.testbed;
        self.whole += other.whole;
    }

    /// The same, where all of it is known to have taken so long.
    #[must_use]
    pub fn of(self, whole: Duration) -> Spent {
        let is_known = !self.nodes.is_zero() || !self.testbed.is_zero();
        Spent { whole: if is_known { whole } else { Duration::ZERO }, ..self }
    }
}

impl Counts {
    /// Together with what another worker has counted.
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
