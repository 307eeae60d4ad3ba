//! What to search for, how, and how far.

use std::collections::BTreeSet;

use kilter_testbed::Fault;

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
