//! What a program under test links, so that a testbed can hold each of its actions until told to go on.
//!
//! - [`gate`]      for programs with an event loop: an inbox that hands out an event only after the testbed's go
//! - [`probe`]     for all others: a thread or task waits at the place where an action begins
//! - [`mod@action`]    how an action is shown to the testbed: name, arguments, message
//! - [`variables`] what a node reports; [`shadow`] a single variable wherever it is
//! - `link`        the connection with the testbed
//!
//! ```
//! use kilter_probe::{Probe, Variables, action};
//!
//! #[derive(Variables)]
//! struct Replica {
//!     id: u32,
//!     #[variable("state")]
//!     role: &'static str,
//!     #[variable]
//!     votes: Vec<u32>,
//! }
//!
//! impl Replica {
//!     #[action("BecomeLeader", args(self.id))]
//!     fn become_leader(&mut self) {
//!         self.role = "leader";
//!     }
//!
//!     #[action("HandleVote", message = vote)]
//!     async fn handle_vote(&mut self, vote: u32) {
//!         self.votes.push(vote);
//!         Probe::global().sent("n2", "thanks"); // beside the real send
//!     }
//!
//!     fn tick(&mut self) {
//!         let step = Probe::global().action("StepDown").arg(self.id).begin();
//!         self.role = "follower";
//!         step.end(self);
//!     }
//! }
//! ```
//!
//! Three levels of being there at all:
//!
//! 1. without the feature `controlled`, everything compiles to nothing, and a [`Gate`] is a queue with timers;
//! 2. with it, in a process that no testbed has started (no `KILTER_ADDRESS` in the environment), the same at run time;
//! 3. started by a testbed, the program connects and does nothing that is offered before the testbed says so.
//!
//! **A controlled process ends when its testbed goes away**, at once and with exit code [`LOST_EXIT_CODE`]: a testbed that was killed
//! leaves no node running. This is the only place where a library of ours ends the process.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod action;
pub mod gate;
#[cfg(feature = "controlled")]
mod link;
pub mod probe;
pub mod shadow;
pub mod variables;

pub use action::Action;
pub use gate::{Event, Gate, Inbox, Outbox, Wish};
pub use kilter_probe_macros::{Variables, action};
pub use probe::{Probe, Step};
pub use shadow::Shadow;
pub use variables::Variables;

/// Values as they travel: arguments, messages, variables.
pub use serde_json::{Map, Value as Json, json};

/// How a process ends whose testbed is gone.
pub const LOST_EXIT_CODE: i32 = 3;

/// Why a controlled process ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The testbed has said so.
    Stopped,
    /// The testbed can't be reached, or is gone, or talks nonsense.
    Lost(String),
}
