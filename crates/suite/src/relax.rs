//! Covers as circulations.
//!
//! A hub stands for the moment between two tests: hub → initial node is the start of a test and costs a restart, node → hub is its
//! end, and each step costs 1. Every target must have a flow of at least 1. If the flow hangs together it can be taken apart into
//! tests; where it does not, its cost is still a lower bound.

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

/// A cover's network, and what its parts stand for.
#[derive(Debug)]
pub struct Relaxation {
    /// The first arcs are those of the net.
    pub network: Network,
    /// Arcs that start a test, with the node.
    starts: Vec<(u32, u32)>,
    /// Arcs that end a test, with the node.
    ends: Vec<(u32, u32)>,
    /// Arcs that end a test, with the arc of the net after which they do.
    arc_ends: Vec<(u32, u32)>,
}

/// How often a circulation takes each arc, and where its tests start and end.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How often each arc is taken.
    pub arcs: Vec<u32>,
    /// How many tests start in a node: node and number.
    pub starts: Vec<(u32, u32)>,
    /// How many tests end in each node, whichever arc led there.
    pub ends: Vec<u32>,
    /// How many tests end after an arc that is an end by itself: pairs of arc and number, sorted by arc.
    pub arc_ends: Vec<(u32, u32)>,
}

impl Relaxation {
    /// The network of a cover.
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
                // A node between arc and head: the test may end there, wherever the arc leads.
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

    /// Parts of the net without any connection need a test each, if they have a target.
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

    /// The cheapest plan, and its proof. There always is one: each target can be reached, and each test can end.
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
