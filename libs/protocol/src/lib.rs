//! The protocol between a testbed and the nodes under test: one JSON object on each line, over TCP on loopback or a
//! Unix socket.
//!
//! - [`message`] the messages in both directions
//! - [`lines`]   encodes messages as lines and decodes them, with a limit on their length
//! - [`address`] the address of the testbed, and the three environment variables with it
//!
//! A node connects, says [`Hello`], reports its variables, and from then on *offers* each action before it takes it. It
//! takes an action only when the testbed lets it go, and reports what has changed when it is done. `docs/protocol.md`
//! is for people who speak the protocol from another language.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod address;
pub mod lines;
pub mod message;

pub use address::{Address, AddressError, Environment};
pub use lines::{LINE_BYTES_MAX, LineError, decode, encode, read_line};
pub use message::{Done, FromNode, Hello, Offer, Request, Sent, ToNode, VERSION};
