//! The parts of a simulator, and two ways to store them: for a world that only goes forward, and for a search that goes
//! back.

use std::sync::Arc;

use crate::machine::Machine;

/// A node of a simulator.
#[derive(Clone)]
pub struct Node<M: Machine> {
    /// The machine that is the node.
    pub machine: M,
    /// Whether it runs. It does not after a crash.
    pub up: bool,
    /// Whether it is paused.
    pub paused: bool,
    /// The actions that it can take by itself now.
    pub actions: Vec<M::Action>,
    /// The number of messages that it has sent to each node. Empty if messages are not numbered.
    pub(super) sent: Vec<u32>,
}

/// One copy of a message in flight.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flight<T> {
    /// The index of the sender.
    pub from: usize,
    /// The index of the receiver.
    pub to: usize,
    /// Its number on its link. 0 if messages are not numbered.
    pub number: u32,
    /// The content of the message.
    pub message: Arc<T>,
}

impl<T> Clone for Flight<T> {
    fn clone(&self) -> Flight<T> {
        Flight { from: self.from, to: self.to, number: self.number, message: Arc::clone(&self.message) }
    }
}

/// How nodes and messages are stored.
pub trait Keeping<M: Machine> {
    /// A stored node.
    type Node;

    /// Stores a node.
    fn keep(node: Node<M>) -> Self::Node;

    /// Reads a stored node.
    fn node(kept: &Self::Node) -> &Node<M>;

    /// Borrows a stored node to change it.
    fn node_mut(kept: &mut Self::Node) -> &mut Node<M>;

    /// The index at which to insert a message among those in flight.
    fn place(flights: &[Flight<M::Message>], flight: &Flight<M::Message>) -> usize;

    /// The index of a message among those in flight.
    fn find(flights: &[Flight<M::Message>], flight: &Flight<M::Message>) -> Option<usize>;
}

/// Stores machines directly, also those that can't be cloned. Keeps messages in the order in which they were sent.
pub enum Owned {}

/// Shares machines and clones them when they change, so that going back costs a few pointers. Keeps messages sorted, so
/// that equal states compare equal.
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
