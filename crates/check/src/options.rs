//! Options of a search.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::growth::Grown;
use crate::outcome::Counts;

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of threads.
    pub workers: usize,
    /// When to stop early.
    pub limits: Limits,
    /// Whether a state without successors is a violation. If `None`, the configuration decides.
    pub check_deadlock: Option<bool>,
    /// Whether to go on after a violation. The outcome then has the first violation of each property.
    pub keep_going: bool,
    /// Whether the outcome has the graph: all states and transitions.
    pub graph: bool,
    /// The seed of RandomElement and other random operators.
    pub seed: u64,
    /// Temporal properties are checked for the first time when about this many states have been explored. They are
    /// checked again each time the graph has doubled, and when it is complete.
    pub first_look_states: u32,
    /// A search by several processes looks through new values when there are at least so many bytes of them, and drops those that no
    /// state of the process has.
    pub new_values_max_bytes: usize,
    /// Asks how much memory the process uses. If it returns `None`, the search uses its own count.
    pub usage: fn() -> Option<Usage>,
}

/// The memory of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The memory that is resident.
    pub resident_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            workers: 1,
            limits: Limits::default(),
            check_deadlock: None,
            keep_going: false,
            graph: false,
            seed: 0,
            first_look_states: 1 << 20,
            new_values_max_bytes: 4 << 20,
            usage: || None,
        }
    }
}

/// Limits of a search. If one is reached, the verdict is "bounded". `None` means no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The most distinct states, about.
    pub states_max: Option<u64>,
    /// The most levels.
    pub depth_max: Option<u32>,
    /// The longest time that the search may take.
    pub time_max: Option<Duration>,
    /// The most memory, about.
    pub memory_max_bytes: Option<u64>,
}

/// Receives the progress of a search, and can stop it.
pub trait Progress {
    /// Called from time to time with the counts so far.
    fn report(&mut self, counts: &Counts, elapsed: Duration);
    /// Called once, if the search takes long and variables get larger and larger.
    fn growing(&mut self, _variables: &[Grown]) {}
    /// Called for each line that Print or PrintT prints.
    fn print(&mut self, line: &str);
    /// A flag that the caller sets to end the search.
    fn interrupted(&self) -> Arc<AtomicBool>;
}
