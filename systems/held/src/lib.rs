//! What async libraries under test share: an executor for each node of a cluster, and what is around it.
//!
//! - [`runtime`] tasks in one thread, in the order in which they were woken; [`Runtime::settle`] ends when all of them wait
//! - [`time`]    a clock that moves when it is told to, and timers that run out when they are told to
//! - [`calls`]   calls to other nodes; each waits until the testbed lets its answer be taken in
//! - [`names`]   the nodes' names, and the numbers that libraries have for them
//! - [`library`] what each library does in its own way
//! - [`node`]    a node of any of them as a [`kilter_testbed::Machine`]
//! - [`explore`] a cluster as Kilter explores it, with the properties of a replicated log
//!
//! So nothing is guessed: when `settle` returns, the library can do nothing more by itself.

#![expect(
    clippy::disallowed_macros,
    reason = "libraries call what is here without saying on which executor they run, so it is kept by thread"
)]

pub mod calls;
pub mod explore;
pub mod library;
pub mod names;
pub mod node;
pub mod runtime;
pub mod time;

pub use calls::{Key, Kind, Wires};
pub use library::{Library, Running, WiresOf};
pub use names::Names;
pub use node::{Node, world};
pub use runtime::{JoinError, JoinHandle, Runtime, spawn, task};
pub use time::{Instant, Sleep, Timeout, TimerId, sleep_until, timeout, timer_of_call};
