//! What properties see of a system.

use super::Machines;
use crate::peer::Peer;

/// A predicate over a system's states.
pub type Predicate<P> = Box<dyn Fn(&View<'_, P>) -> bool + Send + Sync>;

/// What can be seen of a node, as a hash.
pub type Sight<P> = Box<dyn Fn(&P) -> u64 + Send + Sync>;

/// What must hold.
pub struct Properties<P: Peer> {
    /// In every state, each with its name.
    pub safety: Vec<(String, Predicate<P>)>,
    /// In some state of every sequence. It should stay true once it is true and nothing breaks; if it does not, `sight` should
    /// cover it.
    pub goal: Option<Predicate<P>>,
    /// What `safety` sees of a node, as a hash: where order is reduced, steps that change it keep their order. `None` if the
    /// properties see the order of nothing.
    pub sight: Option<Sight<P>>,
}

/// A system as properties see it.
pub struct View<'a, P: Peer>(pub(super) &'a Machines<P>);

impl<'a, P: Peer> View<'a, P> {
    /// The nodes that are up, with their places.
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

    /// The number of messages on their way.
    pub fn n_messages(&self) -> usize {
        self.0.simulator.flights().len()
    }

    /// The number of clients' requests that have not been made.
    pub fn n_requests_open(&self) -> usize {
        self.0.setup.requests.len() - self.0.asked.count_ones() as usize
    }
}
