//! What to search for, how, and how far.

use std::collections::BTreeSet;
use std::time::Duration;

use kilter_testbed::Fault;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::finding::Wrong;
use crate::outcome::Told;
use crate::subject::Likeness;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Every order of events.
    Dfs,
    /// One order of each set of orders that lead to the same.
    Dpor,
    /// Shortest sequences first.
    Bfs,
    /// Random orders.
    Random {
        /// Another seed, other orders.
        seed: u64,
        /// How many sequences.
        walks: u64,
    },
    /// Random priorities of nodes that change at a few random steps.
    Pct {
        /// Another seed, other orders.
        seed: u64,
        /// How many sequences.
        walks: u64,
        /// How many events in a certain order make the bug that is looked for.
        bug_depth: u32,
    },
}

/// What to search for, how, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How to search.
    pub search: Search,
    /// Of events on peers that are so much alike, only one is explored (Algorithm 4); `None` for all.
    pub peers: Option<Likeness>,
    /// Within how many steps the goal must be reached: from the start, and again after each fault.
    pub depth: u32,
    /// How many faults there may be.
    pub faults: u32,
    /// Which kinds of faults there may be.
    pub fault_kinds: BTreeSet<Fault>,
    /// Faults at any place, not only where they destroy the event that reaches the goal.
    pub faults_anywhere: bool,
    /// By how many steps a sequence that has not reached the goal is extended before it is reported (3.6).
    pub extension: u32,
    /// A state that was seen before, with as many faults and steps left, is not explored again.
    pub matching: bool,
    /// Count distinct states; costs a hash and some memory a state.
    pub count_states: bool,
    /// How many findings are kept; the others are only counted.
    pub findings_max: usize,
    /// Stop after as many sequences.
    pub sequences_max: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            search: Search::Dfs,
            peers: None,
            depth: 20,
            faults: 0,
            fault_kinds: BTreeSet::from([Fault::Crash, Fault::Drop, Fault::Disk]),
            faults_anywhere: false,
            extension: 40,
            matching: false,
            count_states: true,
            findings_max: 100,
            sequences_max: None,
        }
    }
}

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

/// Watches a search, and may end it.
pub trait Progress {
    /// Called after each sequence, and now and then within long ones; `false` ends the search.
    fn goes_on(&mut self, counts: &Counts) -> bool;

    /// Called with each finding that is kept, as soon as it is there and before it is made shorter.
    fn found(&mut self, _told: &Told, _wrong: &Wrong) {}

    /// Called where the search could go on from; `save` says where that is.
    fn checkpoint(&mut self, _counts: &Counts, _save: &dyn Fn() -> Json) {}
}

/// Watches nothing.
pub struct Unwatched;

impl Progress for Unwatched {
    fn goes_on(&mut self, _: &Counts) -> bool {
        true
    }
}
