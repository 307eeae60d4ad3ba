//! What a simulator consists of, and how it keeps it: for a world that only goes forward, or for a search that comes back.

use std::sync::Arc;

use crate::machine::Machine;

/// A node.
#[derive(Clone)]
pub struct Node<M: Machine> {
    /// Its machine.
    pub machine: M,
    /// Whether it runs.
    pub up: bool,
    /// Whether it is suspended.
    pub paused: bool,
    /// What it can do by itself.
    pub actions: Vec<M::Action>,
    /// How many messages it has sent to each node; empty where messages are not numbered.
    pub(super) sent: Vec<u32>,
}

/// A message under way; one for each copy.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flight<T> {
    /// Who has sent it.
    pub from: usize,
    /// Who it is for.
    pub to: usize,
    /// Its place on its link where messages are numbered, else 0.
    pub number: u32,
    /// What it says.
    pub message: Arc<T>,
}

impl<T> Clone for Flight<T> {
    fn clone(&self) -> Flight<T> {
        Flight { from: self.from, to: self.to, number: self.number, message: Arc::clone(&self.message) }
    }
}

/// How nodes and messages are kept.
pub trait Keeping<M: Machine> {
    /// What holds a node.
    type Node;

    /// Holds a node.
    fn keep(node: Node<M>) -> Self::Node;

    /// The node that is held.
    fn node(kept: &Self::Node) -> &Node<M>;

    /// The node that is held, to change it.
    fn node_mut(kept: &mut Self::Node) -> &mut Node<M>;

    /// Where a message goes among those that are under way.
    fn place(flights: &[Flight<M::Message>], flight: &Flight<M::Message>) -> usize;

    /// Where a message is among those that are under way.
    fn find(flights: &[Flight<M::Message>], flight: &Flight<M::Message>) -> Option<usize>;
}

/// Any machine, also one that can't be cloned; messages as they were sent.
pub enum Owned {}

/// Machines that are cloned when they change, so that coming back costs a few pointers; messages in their order, so that equal states
/// look equal.
pub enum Shared {}

impl<M: Machine> Keeping<M> for Owned {
    type Node = Node<M>;

    fn keep(node: Node<M>) -> Node<M> {
        node
    }

    fn node(kept: &Node<M>) -> &Node<M> {
        kept
    }

    fn node_mut(kept: &mut Node<M>) -> &mut Node<M> {
        kept
    }

    fn place(flights: &[Flight<M::Message>], _: &Flight<M::Message>) -> usize {
        flights.len()
    }

    fn find(flights: &[Flight<M::Message>], flight: &Flight<M::Message>) -> Option<usize> {
        flights.iter().position(|other| other == flight)
    }
}

impl<M: Machine<Message: Ord> + Clone> Keeping<M> for Shared {
    type Node = Arc<Node<M>>;

    fn keep(node: Node<M>) -> Arc<Node<M>> {
        Arc::new(node)
    }

    fn node(kept: &Arc<Node<M>>) -> &Node<M> {
        kept
    }

    fn node_mut(kept: &mut Arc<Node<M>>) -> &mut Node<M> {
        Arc::make_mut(kept)
    }

    fn place(flights: &[Flight<M::Message>], flight: &Flight<M::Message>) -> usize {
        flights.partition_point(|other| other < flight)
    }

    fn find(flights: &[Flight<M::Message>], flight: &Flight<M::Message>) -> Option<usize> {
        flights.binary_search(flight).ok()
    }
}
