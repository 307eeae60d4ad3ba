//! Three protocols as state machines, written to be explored and tested; each has one bug that can be switched on.
//!
//! - [`election`]  a leader election in the style of ZooKeeper's
//! - [`broadcast`] an atomic broadcast in the style of ZooKeeper's, with a write
//! - [`gossip`]    a gossip in the style of Cassandra's
//! - [`process`]   any of them as a process over TCP; the program is `protocol-node`

pub mod broadcast;
pub mod election;
pub mod gossip;
pub mod process;

use std::sync::Arc;

use kilter_testbed::NodeName;
use serde::Serialize;
use serde_json::Value as Json;

/// What differs from one system to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many nodes.
    pub n_nodes: usize,
    /// Whether the bug is there.
    pub bug: bool,
}

/// n1, n2, and so on.
fn names(n_nodes: usize) -> Arc<[NodeName]> {
    (1..=n_nodes).map(|node| format!("n{node}").into()).collect()
}

/// More than half.
fn is_quorum(n: usize, n_nodes: usize) -> bool {
    2 * n > n_nodes
}

/// A message for people and testbeds.
fn show(message: &impl Serialize) -> Json {
    serde_json::to_value(message).unwrap_or(Json::Null)
}

/// A node's name, from its place.
fn name(node: usize) -> Json {
    Json::String(format!("n{}", node + 1))
}

/// A list with one item a node, where two nodes have exchanged their names.
fn swapped<T: Clone>(list: &[T], one: usize, other: usize) -> Vec<T> {
    let mut list = list.to_vec();
    list.swap(one, other);
    list
}
