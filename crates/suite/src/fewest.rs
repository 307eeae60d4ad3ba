//! Finds the least number of tests, however many steps they have.
//!
//! Inside a strongly connected component, one test can cover everything. So each component is treated as one node. The
//! rest is a graph without cycles. There, every circulation is connected through the hub, so the result is exact.

use kilter_base::components::Components;

use crate::flow::{self, Network};
use crate::net::Net;
use crate::targets::Targets;

/// The least number of tests that cover all targets, if tests may have any length.
pub fn fewest(net: &Net, targets: &Targets) -> u64 {
    let components = Components::new(net, net.n_nodes());
    let of = |node: u32| components.of[node as usize];
    let n_components = components.n;
    let n = n_components as usize;
    let (mut is_wanted, mut is_end) = (vec![false; n], vec![false; n]);
    for node in (0..net.n_nodes() as u32).filter(|node| net.is_reached(*node)) {
        is_wanted[of(node) as usize] |= targets.has_node(node);
        is_end[of(node) as usize] |= net.is_end(node);
    }
    // Each component is two nodes with an arc between them.
    let mut network = Network::new(2 * n);
    let hub = network.node();
    let mut starts = Vec::new();
    for arc in 0..net.n_arcs() as u32 {
        let (tail, head) = (of(net.tail(arc)), of(net.head(arc)));
        if tail == head {
            is_wanted[tail as usize] |= targets.has_arc(arc);
            is_end[tail as usize] |= net.is_end_arc(arc);
            continue;
        }
        let lower = u32::from(targets.has_arc(arc));
        if net.is_end_arc(arc) {
            let between = network.node();
            network.arc(n_components + tail, between, 0, lower);
            network.arc(between, head, 0, 0);
            network.arc(between, hub, 0, 0);
        } else {
            network.arc(n_components + tail, head, 0, lower);
        }
    }
    for index in 0..n_components {
        network.arc(index, n_components + index, 0, u32::from(is_wanted[index as usize]));
        if is_end[index as usize] {
            network.arc(n_components + index, hub, 0, 0);
        }
    }
    for node in net.initial() {
        starts.push(network.arc(hub, of(*node), 1, 0));
    }
    let circulation = flow::solve(&network).expect("every target lies on a way from the hub to the hub");
    starts.into_iter().map(|arc| u64::from(circulation.flow[arc as usize])).sum()
}
