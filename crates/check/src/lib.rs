//! Searches the states of a program.
//!
//! - [`assume`]   ASSUME, before any state
//! - [`outcome`]  the result of a search: verdict, traces, counts, coverage
//! - [`options`]  options of a search: workers, limits
//! - [`space`]    the states found so far, as rows of handles that are compared exactly
//! - [`disk`]     the states that are no longer in memory, and the files of a search
//! - [`checkpoint`], [`keeper`] how far a search is, so that it can go on after it was ended
//! - [`symmetry`] SYMMETRY and VIEW, which make two states count as one
//! - [`hosts`]    the states in several processes
//! - [`chunk`]    the results of one piece of work, and the events that end a search
//! - [`expand`]   one worker's part: the successors of a chunk of states
//! - [`crew`]     workers that explore together
//! - [`pace`]     the size of blocks
//! - [`growth`]   how large the values of variables get with the depth
//! - [`tide`]     when states leave a memory that is full
//! - [`recover`]  what a search on disk does between two blocks, and when it goes on from a checkpoint
//! - [`block`]    one block of states; the result is the same for any number of workers
//! - [`search`]   breadth-first search, level by level
//! - [`mod@memory`] the memory that a search may still use
//! - [`state_graph`] the states and transitions of a search, as a graph that can be saved
//! - [`stop`]     when to end early
//! - [`liveness`] temporal properties: searches fair loops that violate them
//! - [`violations`] violations in a search that goes on after them
//! - [`mod@explain`] why a formula is false in a trace, and why an action is not enabled
//! - [`trace`]    a behavior from an initial state to a given one
//! - [`mod@simulate`] random behaviors

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod assume;
mod block;
mod checkpoint;
mod chunk;
mod crew;
mod disk;
mod expand;
mod explain;
mod growth;
mod hosts;
mod keeper;
mod liveness;
mod memory;
mod options;
mod outcome;
mod pace;
mod recover;
mod search;
pub mod simulate;
mod space;
pub mod state_graph;
mod stop;
mod symmetry;
mod tide;
mod trace;
mod violations;

pub use disk::{Disk, FILES, Folder, OnDisk, Piece, Unfit};
pub use explain::{WhyNot, explain, why_not};
pub use growth::{Grown, Measure};
pub use hosts::{Exchange, Lost, Part, Trouble, fits};
pub use options::{Limits, Options, Progress, Usage};
pub use outcome::{
    Back, Counts, Coverage, Edge, Fair, Graph, Limit, Outcome, Repair, Share, Step, Trace, Verdict, Warning,
    Why,
};
pub use search::{run, run_on_disk, run_on_hosts};
pub use simulate::simulate;
