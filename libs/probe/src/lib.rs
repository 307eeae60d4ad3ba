//! A program under test links this library. It lets a testbed hold each action of the program until it is told to go
//! on.
//!
//! - [`gate`]      for programs with an event loop: an inbox that returns an event only when the testbed lets it go
//! - [`probe`]     for other programs: a thread or task waits at the place where an action begins
//! - [`mod@action`]    an action as the testbed sees it: name, arguments, message
//! - [`variables`] the variables that a node reports; [`shadow`] a single variable, wherever it is
//! - [`clock`]     the time, by a clock that a testbed can make jump
//! - `link`        the connection to the testbed
//! - `trace`       lines for `kilter follow`, if nobody is in control; `text` values in them
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
//! There are three cases:
//!
//! 1. Without the feature `controlled`, everything compiles to nothing, and a [`Gate`] is a queue with timers.
//! 2. With it, in a process that no testbed has started (no `KILTER_ADDRESS` in the environment), the same holds at run
//!    time.
//! 3. If a testbed has started it, the program connects, and does nothing that it has offered until the testbed lets it
//!    go.
//!
//! In the second case, `KILTER_TRACE=FILE` in the environment makes the program write what it does to a file, for
//! `kilter follow`.
//!
//! **A controlled process ends when its testbed goes away**, at once and with exit code [`LOST_EXIT_CODE`]. So a
//! testbed that was killed leaves no node running. This is the only place where a library of ours ends the process.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod action;
pub mod clock;
pub mod gate;
#[cfg(feature = "controlled")]
mod link;
pub mod probe;
pub mod shadow;
#[cfg(feature = "controlled")]
mod text;
#[cfg(feature = "controlled")]
mod trace;
pub mod variables;

pub use action::Action;
pub use clock::Clock;
pub use gate::{Event, Gate, Inbox, Outbox, Wish};
pub use kilter_probe_macros::{Variables, action};
pub use probe::{Probe, Step};
pub use shadow::Shadow;
pub use variables::{Report, Variables};

/// The type of arguments, messages and variables.
pub use serde_json::{Map, Value as Json, json};

/// The exit code of a process whose testbed is gone.
pub const LOST_EXIT_CODE: i32 = 3;

/// Why a controlled process ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The testbed has asked for it.
    Stopped,
    /// The testbed can't be reached, is gone, or breaks the protocol.
    Lost(String),
}
