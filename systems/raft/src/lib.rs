//! A replicated key-value store on Raft: a small but complete system for tests, with bugs that can be switched on.
//!
//! - [`consensus`] Raft as a pure state machine: what it can do now, and the outcome of doing it
//! - [`machine`]   the key-value store that is replicated
//! - [`storage`]   the journal of what must survive a crash
//! - [`transport`] messages between nodes, and clients' connections, over TCP
//! - [`clock`]     decides when a node without a testbed takes its steps
//! - [`node`]      the loop that drives all of this
//! - [`mapping`]   the names of actions and variables for Kilter
//! - [`client`]    the protocol between clients and nodes
//! - [`bug`]       the bugs that can be switched on
//!
//! [`consensus`] uses no clock, file, socket or random number. Without a testbed, the node takes each step when it is
//! due. Under the control of Kilter, it offers each step and waits. Both go through [`consensus::Raft::take`].

pub mod bug;
pub mod client;
pub mod clock;
pub mod consensus;
pub mod machine;
pub mod mapping;
pub mod node;
pub mod storage;
pub mod transport;

/// The name of a node.
pub type NodeId = String;
