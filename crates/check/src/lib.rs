//! Searches the states of a program.
//!
//! - [`assume`]   ASSUME, before any state
//! - [`outcome`]  what a search finds: verdicts, traces, counts, coverage
//! - [`options`]  what a search is asked to do: workers, limits
//! - [`space`]    the states found so far: stored as rows of handles, compared exactly
//! - [`symmetry`] what makes two states one: SYMMETRY and VIEW
//! - [`chunk`]    what a worker finds in one go, and what ends a search
//! - [`expand`]   one worker's part: successors of a chunk of states
//! - [`crew`]     workers that work together
//! - [`pace`]     how many states a block has
//! - [`block`]    one block of states, the same for any number of workers
//! - [`search`]   breadth-first search, level by level
//! - [`mod@memory`] how much memory a search may still use
//! - [`state_graph`] what a search found, as a graph that can be saved
//! - [`stop`]     when to end early
//! - [`liveness`] temporal properties: loops that are fair and violate them
//! - [`trace`]    the way from an initial state to a given one
//! - [`mod@simulate`] random behaviors

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod assume;
mod block;
mod chunk;
mod crew;
mod expand;
mod liveness;
mod memory;
mod options;
mod outcome;
mod pace;
mod search;
pub mod simulate;
mod space;
pub mod state_graph;
mod stop;
mod symmetry;
mod trace;

pub use options::{Limits, Options, Progress, Usage};
pub use outcome::{
    Back, Counts, Coverage, Edge, Fair, Graph, Limit, Outcome, Repair, Step, Trace, Verdict, Warning, Why,
};
pub use search::run;
pub use simulate::simulate;
