//! A replicated key-value store on Raft: a small but complete system to be tested, with bugs that can be switched on.
//!
//! - [`consensus`] Raft itself, as a pure state machine: what it can do now, and what comes of doing it
//! - [`machine`]   the key-value store that is replicated
//! - [`storage`]   what must survive a crash, in a journal
//! - [`transport`] messages between nodes, and clients' connections, over TCP
//! - [`clock`]     when a node does by itself what it can do
//! - [`node`]      the loop that drives all of that
//! - [`mapping`]   how the loop looks to Kilter: names of actions and variables
//! - [`client`]    what clients and nodes say to each other
//! - [`bug`]       the bugs
//!
//! [`consensus`] knows of no clock, file, socket or chance. Left alone, the node takes each step as soon as its time has come; held by
//! Kilter, it offers each step and waits. Both go through [`consensus::Raft::take`].

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
