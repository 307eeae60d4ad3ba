//! Covers graphs that are too large for the optimal algorithm, in one pass without look-ahead.
//!
//! A test goes on to the nearest target that is not covered, if one is near. Otherwise another test begins, with a
//! shortest way to the first target that is left.

use crate::net::{NONE, Net};
use crate::targets::Targets;
use crate::tests::Tests;

/// The number of nodes that a search for the next target may visit.
const LOOKED_AT_MAX: usize = 256;

/// Covers all targets.
pub fn cover(net: &Net, targets: &Targets, restart_cost: u32) -> Tests {
    let mut walker = Walker {
        net,
        targets,
        is_covered: vec![false; targets.n_items()],
        next: (0..net.n_nodes() as u32).map(|node| net.outgoing(node).start).collect(),
        ways: vec![NONE; net.n_nodes()],
        seen: Vec::new(),
        restart_cost,
    };
    let mut tests = Tests::default();
    let mut way = Vec::new();
    // Sorts nodes by depth, so that near targets come first.
    let mut order: Vec<u32> = (0..net.n_nodes() as u32).filter(|node| net.is_reached(*node)).collect();
    order.sort_by_key(|node| net.depth(*node));
    for node in order {
        while walker.is_open(node) {
            way.clear();
            let start = net.push_way_to(node, &mut way);
            walker.mark(start, &way);
            walker.go_on(start, node, &mut way);
            net.push_way_to_end(start, &mut way);
            walker.mark(start, &way);
            tests.push(start, &way);
        }
    }
    tests
}

struct Walker<'n> {
    net: &'n Net,
    targets: &'n Targets,
    is_covered: Vec<bool>,
    /// The next arc of each node to look at. All arcs before it are covered or no targets.
    next: Vec<u32>,
    /// The arc by which the search came to each node, and the nodes that it has seen.
    ways: Vec<u32>,
    seen: Vec<u32>,
    restart_cost: u32,
}

impl Walker<'_> {
    fn mark(&mut self, start: u32, way: &[u32]) {
        for target in self.targets.of(self.net, start, way) {
            self.is_covered[target] = true;
        }
    }

    /// The next arc from a node that covers a new target.
    fn new_arc(&mut self, node: u32) -> Option<u32> {
        let end = self.net.outgoing(node).end;
        let next = &mut self.next[node as usize];
        while *next < end {
            let target = self.targets.at_arc(self.net, *next);
            if target.is_some_and(|target| !self.is_covered[target]) {
                return Some(*next);
            }
            *next += 1;
        }
        None
    }

    /// Whether a node, or an arc from it, is a target that is not covered.
    fn is_open(&mut self, node: u32) -> bool {
        let is_itself = self.targets.at_start(node).is_some_and(|target| !self.is_covered[target]);
        is_itself || self.new_arc(node).is_some()
    }

    /// Goes on from target to target as long as one is near.
    fn go_on(&mut self, start: u32, node: u32, way: &mut Vec<u32>) {
        let mut node = node;
        loop {
            while let Some(arc) = self.new_arc(node) {
                way.push(arc);
                self.mark(start, &[arc]);
                node = self.net.head(arc);
            }
            let Some(near) = self.near(node) else { return };
            let first = way.len();
            let mut at = near;
            while at != node {
                way.push(self.ways[at as usize]);
                at = self.net.tail(self.ways[at as usize]);
            }
            way[first..].reverse();
            self.forget();
            node = near;
        }
    }

    fn forget(&mut self) {
        self.seen.drain(..).for_each(|node| self.ways[node as usize] = NONE);
    }

    /// The nearest node with an arc that covers a new target. `None` if a restart would be cheaper, or if the search
    /// takes too long.
    fn near(&mut self, from: u32) -> Option<u32> {
        let mut queue = vec![(from, 0)];
        let mut next = 0;
        while let Some((node, distance)) = queue.get(next).copied() {
            next += 1;
            if distance >= self.restart_cost.max(1) || queue.len() > LOOKED_AT_MAX {
                break;
            }
            for arc in self.net.outgoing(node) {
                let head = self.net.head(arc);
                if self.ways[head as usize] == NONE && head != from {
                    self.ways[head as usize] = arc;
                    self.seen.push(head);
                    if self.new_arc(head).is_some() {
                        return Some(head);
                    }
                    queue.push((head, distance + 1));
                }
            }
        }
        self.forget();
        None
    }
}
