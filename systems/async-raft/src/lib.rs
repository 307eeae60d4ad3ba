//! The crate `async-raft` as a world for Kilter. Its source is unmodified; what it takes for tokio is `tokio` beside this
//! package.
//!
//! - [`store`]   the log and the vote, which survive a crash, and the state machine, which does not
//! - [`network`] calls to other nodes; each waits until the testbed lets its answer be taken in
//! - [`node`]    a node as a [`kilter_testbed::Machine`]
//! - [`show`]    writes its messages and its state as JSON

pub mod network;
pub mod node;
pub mod show;
pub mod store;

use kilter_testbed::InProcess;

pub use node::Node;

/// Makes a cluster of nodes with these names. All of them are voters.
pub fn world(names: &[String]) -> InProcess<Node> {
    let all: node::Names = names.iter().map(|name| name.as_str().into()).collect();
    InProcess::new(names.iter().map(String::as_str), move |name| Node::new(name, &all))
}
