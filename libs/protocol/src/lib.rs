//! What a testbed and the nodes under test say to each other: one JSON object a line, over TCP on loopback or a Unix socket.
//!
//! - [`message`] the two closed lists of messages
//! - [`lines`]   messages to lines and back, with a limit on their length
//! - [`address`] where the testbed listens, and the three environment variables that say so
//!
//! A node connects, says [`Hello`], reports its variables, and from then on *offers* each action before it takes it. It takes an
//! action only when the testbed says so, and reports what has changed when it is done. `docs/protocol.md` is written for people who
//! speak it from another language.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod address;
pub mod lines;
pub mod message;

pub use address::{Address, AddressError, Environment};
pub use lines::{LINE_BYTES_MAX, LineError, decode, encode, read_line};
pub use message::{Done, FromNode, Hello, Offer, Request, Sent, ToNode, VERSION};
