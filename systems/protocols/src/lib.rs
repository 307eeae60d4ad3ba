//! Three protocols as state machines, for exploring and testing. Each has one bug that can be switched on.
//!
//! - [`election`]  a leader election in the style of ZooKeeper's
//! - [`broadcast`] an atomic broadcast in the style of ZooKeeper's, with a write
//! - [`gossip`]    a gossip in the style of Cassandra's
//! - [`process`]   runs any of them as a process over TCP; the program is `protocol-node`
//!
//! This module has what the protocols share: the identity of a node, and how their systems are set up.

pub mod broadcast;
pub mod election;
pub mod gossip;
pub mod process;

use std::sync::Arc;

use kilter_explore::{Machines, Peer, Properties, Setup, swap};
use kilter_testbed::{NodeName, Outbox};
use serde::Serialize;
use serde_json::Value as Json;

/// The options of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The number of nodes.
    pub n_nodes: usize,
    /// Whether the bug is switched on.
    pub bug: bool,
}

/// The identity of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Me {
    place: usize,
    shape: Shape,
}

impl Me {
    fn others(self) -> impl Iterator<Item = usize> {
        (0..self.shape.n_nodes).filter(move |node| *node != self.place)
    }

    fn tell_all<M: Clone>(self, message: &M, outbox: &mut Outbox<M>) {
        self.others().for_each(|node| outbox.send_to(node, message.clone()));
    }

    /// Whether this is more than half of the nodes.
    fn is_quorum(self, n: usize) -> bool {
        2 * n > self.shape.n_nodes
    }

    /// A list with the same item for each node.
    fn each<T: Clone>(self, item: T) -> Vec<T> {
        vec![item; self.shape.n_nodes]
    }

    fn swapped(self, one: usize, other: usize) -> Me {
        Me { place: swap(self.place, one, other), ..self }
    }
}

/// A request of a client: the node, the action, its arguments.
type Request = (usize, String, Vec<Json>);

/// Makes a system whose links keep the order of messages, whose nodes stay down after a crash, and whose timers fire
/// only when nothing else can happen.
fn system<P: Peer + 'static>(
    shape: Shape,
    boot: fn(usize, Shape) -> P,
    requests: Vec<Request>,
    properties: Properties<P>,
) -> Machines<P> {
    Machines::new(Setup {
        names: names(shape.n_nodes),
        boot: Box::new(move |place| boot(place, shape)),
        in_order: true,
        recover: false,
        patient: true,
        requests,
        properties,
    })
}

/// The names n1, n2, and so on.
fn names(n_nodes: usize) -> Arc<[NodeName]> {
    (1..=n_nodes).map(|node| format!("n{node}").into()).collect()
}

/// A message as JSON, for people and testbeds.
fn show(message: &impl Serialize) -> Json {
    serde_json::to_value(message).unwrap_or(Json::Null)
}

/// The name of the node with this index.
fn name(node: usize) -> Json {
    Json::String(format!("n{}", node + 1))
}

/// A list with one item for each node, after two nodes have exchanged their names.
fn swapped<T: Clone>(list: &[T], one: usize, other: usize) -> Vec<T> {
    let mut list = list.to_vec();
    list.swap(one, other);
    list
}
