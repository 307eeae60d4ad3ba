//! The crate `raft` (TiKV's raft-rs), unmodified, as a world for Kilter.
//!
//! - [`node`] a [`raft::RawNode`] as a [`kilter_testbed::Machine`]
//! - [`storage`] what it stores: a [`raft::storage::MemStorage`], and a snapshot
//! - [`process`] the same node as a process that nobody controls, which can write a trace
//! - [`show`] writes its messages and its state as JSON

pub mod node;
pub mod process;
pub mod show;
pub mod storage;

use kilter_testbed::InProcess;

pub use node::Node;

/// Makes a cluster of nodes with these names. All of them are voters.
pub fn world(names: &[String]) -> InProcess<Node> {
    let all: node::Names = names.iter().map(|name| name.as_str().into()).collect();
    InProcess::new(names.iter().map(String::as_str), move |name| Node::new(name, &all))
}
