//! What a program under test links, so that a testbed can hold each of its actions until told to go on.
//!
//! - [`gate`]      for programs with an event loop: an inbox that hands out an event only after the testbed's go
//! - [`action`]    how an action is shown to the testbed: name, arguments, message
//! - [`variables`] what a node reports
//! - `link`        the connection with the testbed
//!
//! Three levels of being there at all:
//!
//! 1. without the feature `controlled`, everything compiles to nothing, and a [`Gate`] is a queue with timers;
//! 2. with it, in a process that no testbed has started (no `KILTER_ADDRESS` in the environment), the same at run time;
//! 3. started by a testbed, the program connects and does nothing that is offered before the testbed says so.
//!
//! **A controlled process ends when its testbed goes away**, at once and with exit code [`LOST_EXIT_CODE`]: a testbed that was killed
//! leaves no node running. This is the only place where a library of ours ends the process.

pub mod action;
pub mod gate;
#[cfg(feature = "controlled")]
mod link;
pub mod variables;

pub use action::Action;
pub use gate::{Event, Gate, Inbox, Outbox, Wish};
pub use variables::Variables;

/// Values as they travel: arguments, messages, variables.
pub use serde_json::{Map, Value as Json, json};

/// How a process ends whose testbed is gone.
pub const LOST_EXIT_CODE: i32 = 3;
