//! Finds paths with the largest gain.
//!
//! Arcs that lead back in the order of nodes may only come last on a path. So one pass over the arcs finds the best
//! path. A gain that only a longer way over such an arc could reach is left to another path, or lost.

use crate::net::{NONE, Net};

/// Finds paths with the largest gain in a net.
pub struct Longest {
    /// Reachable nodes in topological order of the arcs that lead forward.
    order: Vec<u32>,
    /// The position of each node in `order`.
    places: Vec<u32>,
    /// The largest gain from each node on, and the first arc of the path that has it.
    best: Vec<(u32, u32)>,
}

impl Longest {
    /// Sorts the nodes of a net.
    pub fn new(net: &Net) -> Longest {
        let mut is_seen = vec![false; net.n_nodes()];
        let mut order = Vec::new();
        for start in net.initial() {
            if std::mem::replace(&mut is_seen[*start as usize], true) {
                continue;
            }
            let mut stack = vec![(*start, net.outgoing(*start))];
            while let Some((node, arcs)) = stack.last_mut() {
                let unseen = arcs.find(|arc| !is_seen[net.head(*arc) as usize]);
                match unseen {
                    Some(arc) => {
                        let head = net.head(arc);
                        is_seen[head as usize] = true;
                        stack.push((head, net.outgoing(head)));
                    }
                    None => {
                        order.push(*node);
                        stack.pop();
                    }
                }
            }
        }
        order.reverse();
        let mut places = vec![NONE; net.n_nodes()];
        for (place, node) in order.iter().enumerate() {
            places[*node as usize] = place as u32;
        }
        Longest { order, places, best: vec![(0, NONE); net.n_nodes()] }
    }

    /// The path from an initial node with the largest gain. A gain that two arcs share counts twice if the path has
    /// both.
    pub fn path(&mut self, net: &Net, gain: &dyn Fn(u32) -> u32) -> Vec<u32> {
        for node in self.order.iter().rev() {
            let mut best = (0, NONE);
            for arc in net.outgoing(*node) {
                let head = net.head(arc) as usize;
                let beyond =
                    if self.places[head] > self.places[*node as usize] { self.best[head].0 } else { 0 };
                let total = beyond + gain(arc);
                if total > best.0 {
                    best = (total, arc);
                }
            }
            self.best[*node as usize] = best;
        }
        let first = |node: &&u32| self.best[**node as usize].0;
        let Some(start) = net.initial().iter().max_by_key(first) else { return Vec::new() };
        let mut path = Vec::new();
        let mut at = *start;
        while self.best[at as usize].1 != NONE {
            let arc = self.best[at as usize].1;
            path.push(arc);
            let next = net.head(arc);
            if self.places[next as usize] <= self.places[at as usize] {
                break;
            }
            at = next;
        }
        path
    }
}
