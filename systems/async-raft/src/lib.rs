//! The crate `async-raft` as a world for Kilter. Its source is unmodified; what it takes for tokio is `tokio` beside this
//! package.
//!
//! - [`store`]   the log and the vote, which survive a crash, and the state machine, which does not
//! - [`network`] calls to other nodes; each waits until the testbed lets its answer be taken in
//! - [`node`]    how a node starts, what it does by itself, and what is seen of it
//! - [`show`]    writes its messages and its state as JSON

pub mod network;
pub mod node;
pub mod show;
pub mod store;

pub use node::AsyncRaft;
