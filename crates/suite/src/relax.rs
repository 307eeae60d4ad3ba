//! Turns a cover into a circulation.
//!
//! A hub stands for the time between two tests. An arc from the hub to an initial node starts a test and costs a
//! restart. An arc from a node to the hub ends a test. Each step costs 1. Every target must have a flow of at least 1.
//! If the flow is connected, it can be taken apart into tests. If not, its cost is still a lower bound.

use crate::flow::{self, Circulation, Network};
use crate::net::{NONE, Net};
use crate::targets::Targets;
use crate::union_find::UnionFind;

/// The costs of a test's start and of a step.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// Cost of starting a test.
    pub restart: u32,
    /// Cost of a step.
    pub step: u32,
}

/// The network of a cover, and what its arcs stand for.
#[derive(Debug)]
pub struct Relaxation {
    /// The network. Its first arcs are those of the net.
    pub network: Network,
    /// Arcs that start a test, each with the node where it starts.
    starts: Vec<(u32, u32)>,
    /// Arcs that end a test, each with the node where it ends.
    ends: Vec<(u32, u32)>,
    /// Arcs that end a test after an arc of the net, each with this arc.
    arc_ends: Vec<(u32, u32)>,
}

/// How often a circulation takes each arc, and where its tests start and end.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How often each arc of the net is taken.
    pub arcs: Vec<u32>,
    /// Nodes where tests start, each with the number of tests.
    pub starts: Vec<(u32, u32)>,
    /// How many tests end in each node, whichever arc led there.
    pub ends: Vec<u32>,
    /// Arcs that are ends by themselves, each with the number of tests that end after it. Sorted by arc.
    pub arc_ends: Vec<(u32, u32)>,
}

impl Relaxation {
    /// Makes the network of a cover.
    pub fn new(net: &Net, targets: &Targets, costs: Costs) -> Relaxation {
        let n = net.n_nodes();
        let is_split = matches!(targets, Targets::Nodes(_));
        let mut network = Network::new(if is_split { 2 * n } else { n });
        let hub = network.node();
        let out = |node: u32| if is_split { node + n as u32 } else { node };
        let mut pending = Vec::new();
        for arc in 0..net.n_arcs() as u32 {
            let lower = u32::from(targets.has_arc(arc));
            let mut head = net.head(arc);
            if net.is_end_arc(arc) && !net.is_end(head) {
                // Adds a node between the arc and its head. A test may end there, wherever the arc leads.
                head = network.node();
                pending.push((arc, head));
            }
            network.arc(out(net.tail(arc)), head, costs.step, lower);
        }
        let mut made = Relaxation { network, starts: Vec::new(), ends: Vec::new(), arc_ends: Vec::new() };
        for (arc, between) in pending {
            made.network.arc(between, net.head(arc), 0, 0);
            made.arc_ends.push((made.network.arc(between, hub, 0, 0), arc));
        }
        for node in (0..n as u32).filter(|node| net.is_reached(*node)) {
            if is_split {
                made.network.arc(node, out(node), 0, u32::from(targets.has_node(node)));
            }
            if net.is_end(node) {
                made.ends.push((made.network.arc(out(node), hub, 0, 0), node));
            }
        }
        made.add_starts(net, targets, hub, costs.restart);
        made
    }

    /// Adds the arcs that start tests. Each unconnected part of the net that has a target needs a test of its own.
    fn add_starts(&mut self, net: &Net, targets: &Targets, hub: u32, restart_cost: u32) {
        let mut parts = UnionFind::new(net.n_nodes());
        (0..net.n_arcs() as u32).for_each(|arc| parts.join(net.tail(arc), net.head(arc)));
        let mut needs_test = vec![false; net.n_nodes()];
        for arc in (0..net.n_arcs() as u32).filter(|arc| targets.has_arc(*arc)) {
            needs_test[parts.find(net.head(arc)) as usize] = true;
        }
        for node in (0..net.n_nodes() as u32).filter(|node| targets.has_node(*node)) {
            needs_test[parts.find(node) as usize] = true;
        }
        let mut gates = vec![NONE; net.n_nodes()];
        for node in net.initial() {
            let part = parts.find(*node) as usize;
            if gates[part] == NONE {
                gates[part] = self.network.node();
                self.network.arc(hub, gates[part], restart_cost, u32::from(needs_test[part]));
            }
            self.starts.push((self.network.arc(gates[part], *node, 0, 0), *node));
        }
    }

    /// The cheapest circulation, with its proof. There always is one, because each target can be reached and each test
    /// can end.
    pub fn solve(&self) -> Circulation {
        flow::solve(&self.network).expect("every target lies on a way from the hub to the hub")
    }

    /// Translates a circulation into a plan.
    pub fn plan(&self, net: &Net, circulation: &Circulation) -> Plan {
        let flow = &circulation.flow;
        let mut ends = vec![0; net.n_nodes()];
        self.ends.iter().for_each(|(arc, node)| ends[*node as usize] = flow[*arc as usize]);
        let taken = |pairs: &[(u32, u32)]| -> Vec<(u32, u32)> {
            pairs.iter().map(|(arc, what)| (*what, flow[*arc as usize])).filter(|(_, n)| *n > 0).collect()
        };
        Plan {
            arcs: flow[..net.n_arcs()].to_vec(),
            starts: taken(&self.starts),
            ends,
            arc_ends: taken(&self.arc_ends),
        }
    }
}
