//! What to search for, how, and how far.

use std::collections::BTreeSet;

use kilter_testbed::Fault;

use crate::subject::Likeness;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Every order of events.
    Dfs,
    /// One order of each set of equivalent orders, by dynamic partial-order reduction.
    Dpor,
    /// Shortest sequences first.
    Bfs,
    /// Random orders.
    Random {
        /// The seed. Other seeds give other orders.
        seed: u64,
        /// The number of sequences.
        walks: u64,
    },
    /// Random priorities of nodes, which change at a few random steps.
    Pct {
        /// The seed. Other seeds give other orders.
        seed: u64,
        /// The number of sequences.
        walks: u64,
        /// The number of events in a certain order that make a bug of the kind that is searched for.
        bug_depth: u32,
    },
}

/// What to search for, how, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How to search.
    pub search: Search,
    /// Of events on peers that are at least this similar, only one is explored (Algorithm 4). `None` explores all.
    pub peers: Option<Likeness>,
    /// The number of steps within which the goal must be reached, from the start and again after each fault.
    pub depth: u32,
    /// The most faults in a sequence.
    pub faults: u32,
    /// The kinds of faults that may happen.
    pub fault_kinds: BTreeSet<Fault>,
    /// Whether faults may happen at any place, and not only where they destroy the event that reaches the goal.
    pub faults_anywhere: bool,
    /// The number of steps by which a sequence that has not reached the goal is extended before it is reported (3.6).
    pub extension: u32,
    /// Whether a state that was seen before, with as many faults and steps left, is not explored again.
    pub matching: bool,
    /// Whether distinct states are counted. This costs a hash and some memory for each state.
    pub count_states: bool,
    /// The most findings that are kept. The others are only counted.
    pub findings_max: usize,
    /// The search stops after this many sequences.
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
