//! The part of a system that properties see.

use super::Machines;
use crate::peer::Peer;

/// A predicate on the states of a system.
pub type Predicate<P> = Box<dyn Fn(&View<'_, P>) -> bool + Send + Sync>;

/// Hashes what can be seen of a node.
pub type Sight<P> = Box<dyn Fn(&P) -> u64 + Send + Sync>;

/// The properties of a system.
pub struct Properties<P: Peer> {
    /// Predicates that must hold in every state, with their names.
    pub safety: Vec<(String, Predicate<P>)>,
    /// A predicate that must hold in some state of every sequence. It should stay true once it is true and nothing
    /// breaks. If it does not, `sight` should cover it.
    pub goal: Option<Predicate<P>>,
    /// Hashes what `safety` sees of a node. When orders are reduced, steps that change it keep their order. `None` if
    /// the properties do not depend on any order.
    pub sight: Option<Sight<P>>,
}

/// A state of the system, as properties see it.
pub struct View<'a, P: Peer>(pub(super) &'a Machines<P>);

impl<'a, P: Peer> View<'a, P> {
    /// The nodes that are up, with their indices.
    pub fn up(&self) -> impl Iterator<Item = (usize, &'a P)> + use<'a, P> {
        self.0.up().map(|(place, node)| (place, &node.machine))
    }

    /// A node, up or down.
    pub fn node(&self, node: usize) -> &'a P {
        &self.0.simulator.node(node).machine
    }

    /// The number of nodes, up or down.
    pub fn n_nodes(&self) -> usize {
        self.0.simulator.n_nodes()
    }

    /// The number of messages in flight.
    pub fn n_messages(&self) -> usize {
        self.0.simulator.flights().len()
    }

    /// The number of clients' requests that have not been made yet.
    pub fn n_requests_open(&self) -> usize {
        self.0.setup.requests.len() - self.0.asked.count_ones() as usize
    }
}
