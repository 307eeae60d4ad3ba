//! What a suite has to cover.

use crate::net::Net;
use crate::tests::Tests;

/// The arcs or the nodes of a net that have to be covered.
#[derive(Clone, Debug)]
pub enum Targets {
    /// For each arc, whether it is a target.
    Arcs(Vec<bool>),
    /// For each node, whether it is a target.
    Nodes(Vec<bool>),
}

impl Targets {
    /// Makes all arcs targets.
    pub fn all_arcs(net: &Net) -> Targets {
        Targets::Arcs(vec![true; net.n_arcs()])
    }

    /// How many arcs or nodes there are, targets or not.
    pub fn n_items(&self) -> usize {
        match self {
            Targets::Arcs(wanted) | Targets::Nodes(wanted) => wanted.len(),
        }
    }

    /// How many targets there are.
    pub fn n(&self) -> usize {
        match self {
            Targets::Arcs(wanted) | Targets::Nodes(wanted) => wanted.iter().filter(|wanted| **wanted).count(),
        }
    }

    /// Whether this arc is a target.
    pub fn has_arc(&self, arc: u32) -> bool {
        matches!(self, Targets::Arcs(wanted) if wanted[arc as usize])
    }

    /// Whether this node is a target.
    pub fn has_node(&self, node: u32) -> bool {
        matches!(self, Targets::Nodes(wanted) if wanted[node as usize])
    }

    /// The target that a walk covers by starting in a node.
    pub fn at_start(&self, node: u32) -> Option<usize> {
        self.has_node(node).then_some(node as usize)
    }

    /// The target that a walk covers by taking an arc.
    pub fn at_arc(&self, net: &Net, arc: u32) -> Option<usize> {
        match self {
            Targets::Arcs(wanted) => wanted[arc as usize].then_some(arc as usize),
            Targets::Nodes(wanted) => {
                let head = net.head(arc) as usize;
                wanted[head].then_some(head)
            }
        }
    }

    /// The targets that a walk covers. A target may be repeated.
    pub fn of<'t>(&'t self, net: &'t Net, start: u32, arcs: &'t [u32]) -> impl Iterator<Item = usize> + 't {
        self.at_start(start).into_iter().chain(arcs.iter().filter_map(|arc| self.at_arc(net, *arc)))
    }

    /// How often tests cover each arc or node. 0 if it is no target.
    pub fn counts(&self, net: &Net, tests: &Tests) -> Vec<u32> {
        let mut counts = vec![0; self.n_items()];
        for (start, arcs) in tests.iter() {
            self.of(net, start, arcs).for_each(|target| counts[target] += 1);
        }
        counts
    }
}
