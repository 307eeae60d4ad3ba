//! What a search is asked to do.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::outcome::Counts;

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Threads.
    pub workers: usize,
    /// Where to stop.
    pub limits: Limits,
    /// Whether a state without successors is a violation; the configuration decides when `None`.
    pub check_deadlock: Option<bool>,
    /// Whether to keep all transitions.
    pub graph: bool,
    /// The seed of RandomElement and its like.
    pub seed: u64,
    /// Temporal properties are looked at when about this many states have been explored, then each time the graph has become twice
    /// as large, and when it is complete.
    pub first_look_states: u32,
    /// Tells how much memory the process uses; without an answer, what the search itself knows of counts.
    pub usage: fn() -> Option<Usage>,
}

/// Memory of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Memory that it has.
    pub resident_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            workers: 1,
            limits: Limits::default(),
            check_deadlock: None,
            graph: false,
            seed: 0,
            first_look_states: 1 << 20,
            usage: || None,
        }
    }
}

/// Where to stop; the verdict is then "bounded".
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// No more distinct states than about this.
    pub states_max: Option<u64>,
    /// No deeper than this many levels.
    pub depth_max: Option<u32>,
    /// No longer than this.
    pub time_max: Option<Duration>,
    /// No more memory than about this.
    pub memory_max_bytes: Option<u64>,
}

/// Whoever runs a search is told how far it is, and can stop it.
pub trait Progress {
    /// Called now and then.
    fn report(&mut self, counts: &Counts, elapsed: Duration);
    /// Called for what Print and PrintT print.
    fn print(&mut self, line: &str);
    /// Set by someone else when the search should end.
    fn interrupted(&self) -> Arc<AtomicBool>;
}
