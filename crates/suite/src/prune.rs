//! Makes tests shorter without covering less.
//!
//! It leaves out parts of tests that no target needs: ends, detours, or whole tests.

use crate::net::{NONE, Net};
use crate::targets::Targets;
use crate::tests::Tests;

/// The number of nodes that the search for one shortcut may visit.
const LOOKED_AT_MAX: usize = 2000;
/// The largest number of rounds. One round may make another one useful.
const ROUNDS_MAX: usize = 3;

/// Tests that cover the same targets and cost no more.
pub fn prune(net: &Net, targets: &Targets, tests: Tests) -> Tests {
    let mut tests = tests;
    for _ in 0..ROUNDS_MAX {
        let (n_tests, n_steps) = (tests.len(), tests.n_steps());
        tests = Pruner::new(net, targets, &tests).run(&tests);
        if (tests.len(), tests.n_steps()) == (n_tests, n_steps) {
            break;
        }
    }
    tests
}

struct Pruner<'n> {
    net: &'n Net,
    targets: &'n Targets,
    /// How often the current tests cover each target.
    counts: Vec<u32>,
    /// The arc by which the search came to each node, and the nodes that it has seen.
    ways: Vec<u32>,
    seen: Vec<u32>,
}

impl<'n> Pruner<'n> {
    fn new(net: &'n Net, targets: &'n Targets, tests: &Tests) -> Self {
        let counts = targets.counts(net, tests);
        Pruner { net, targets, counts, ways: vec![NONE; net.n_nodes()], seen: Vec::new() }
    }

    fn run(mut self, tests: &Tests) -> Tests {
        let mut pruned = Tests::default();
        // Try short tests first, because long tests are more likely to cover their targets as well.
        let mut order: Vec<usize> = (0..tests.len()).collect();
        order.sort_by_key(|test| tests.arcs(*test).len());
        for test in order {
            let (start, arcs) = (tests.start(test), tests.arcs(test));
            self.count(start, arcs, false);
            if let Some((start, shorter)) = self.shorten(start, arcs) {
                self.count(start, &shorter, true);
                pruned.push(start, &shorter);
            }
        }
        pruned
    }

    fn count(&mut self, start: u32, arcs: &[u32], is_added: bool) {
        for target in self.targets.of(self.net, start, arcs) {
            let count = &mut self.counts[target];
            *count = if is_added { *count + 1 } else { *count - 1 };
        }
    }

    /// A shorter test that covers the targets that no other test covers. `None` if there are no such targets.
    fn shorten(&mut self, start: u32, arcs: &[u32]) -> Option<(u32, Vec<u32>)> {
        let needed = self.needed(start, arcs);
        let is_start_needed = self.targets.at_start(start).is_some_and(|target| self.counts[target] == 0);
        if needed.is_empty() {
            return is_start_needed.then(|| {
                let mut way = Vec::new();
                self.net.push_way_to_end(start, &mut way);
                (start, way)
            });
        }
        let mut way: Vec<u32> = Vec::with_capacity(arcs.len());
        let first = needed[0];
        let door = self.net.tail(arcs[first]);
        let mut start = start;
        if !is_start_needed && (self.net.depth(door) as usize) < first {
            start = self.net.push_way_to(door, &mut way);
        } else {
            self.bridge(&arcs[..first], &mut way);
        }
        for (index, position) in needed.iter().enumerate() {
            way.push(arcs[*position]);
            if let Some(next) = needed.get(index + 1) {
                self.bridge(&arcs[*position + 1..*next], &mut way);
            }
        }
        self.net.push_way_to_end(start, &mut way);
        Some((start, way))
    }

    /// The positions of arcs that cover a target which no other test and no earlier arc covers.
    fn needed(&mut self, start: u32, arcs: &[u32]) -> Vec<usize> {
        let mut covered: Vec<usize> = self.targets.at_start(start).into_iter().collect();
        for target in &covered {
            self.counts[*target] += 1;
        }
        let mut needed = Vec::new();
        for (position, arc) in arcs.iter().enumerate() {
            if let Some(target) = self.targets.at_arc(self.net, *arc) {
                if self.counts[target] == 0 {
                    needed.push(position);
                }
                self.counts[target] += 1;
                covered.push(target);
            }
        }
        for target in covered {
            self.counts[target] -= 1;
        }
        needed
    }

    /// Appends a way with the same first and last node as these arcs. The way is not longer.
    fn bridge(&mut self, arcs: &[u32], way: &mut Vec<u32>) {
        let Some((first, last)) = arcs.first().zip(arcs.last()) else { return };
        let (from, to) = (self.net.tail(*first), self.net.head(*last));
        if from == to {
            return;
        }
        if arcs.len() == 1 || !self.search(from, to, arcs.len()) {
            way.extend_from_slice(arcs);
        } else {
            let begin = way.len();
            let mut at = to;
            while at != from {
                way.push(self.ways[at as usize]);
                at = self.net.tail(self.ways[at as usize]);
            }
            way[begin..].reverse();
        }
        self.seen.drain(..).for_each(|node| self.ways[node as usize] = NONE);
    }

    /// Looks for a way with fewer than `limit` steps.
    fn search(&mut self, from: u32, to: u32, limit: usize) -> bool {
        let mut queue = vec![(from, 0)];
        let mut next = 0;
        while let Some((node, distance)) = queue.get(next).copied() {
            next += 1;
            if distance + 1 >= limit || queue.len() > LOOKED_AT_MAX {
                return false;
            }
            for arc in self.net.outgoing(node) {
                let head = self.net.head(arc);
                if self.ways[head as usize] == NONE && head != from {
                    self.ways[head as usize] = arc;
                    self.seen.push(head);
                    if head == to {
                        return true;
                    }
                    queue.push((head, distance + 1));
                }
            }
        }
        false
    }
}
