//! Puts closed walks that no test visits into tests, as cheaply as it can.
//!
//! Finding the least cost is as hard as the travelling salesman's problem. For each island, the algorithm tries detours
//! from tests near it, extensions of tests that end near it, and a new test. It takes the cheapest of them.

use crate::euler::Island;
use crate::net::{Incoming, NONE, Net};
use crate::targets::Targets;
use crate::tests::Tests;

/// How many nodes of an island are tried.
const DOORS_MAX: usize = 24;
/// The number of nodes around a door that a search may visit.
const BALL_MAX: usize = 2000;

/// The tests with all islands put into them.
pub fn connect(
    net: &Net,
    targets: &Targets,
    tests: &Tests,
    islands: Vec<Island>,
    restart_cost: u32,
) -> Tests {
    if islands.is_empty() {
        return tests.clone();
    }
    let mut bridge = Bridge::new(net, targets, tests, restart_cost);
    // Small islands come first, because a large island may be near to nothing but them.
    let mut islands = islands;
    islands.sort_by_key(|island| island.arcs.len());
    for island in islands {
        bridge.add(&island);
    }
    let mut connected = Tests::default();
    for (start, arcs) in &bridge.tests {
        connected.push(*start, arcs);
    }
    connected
}

struct Bridge<'n> {
    net: &'n Net,
    targets: &'n Targets,
    incoming: Incoming,
    restart_cost: u32,
    tests: Vec<(u32, Vec<u32>)>,
    /// For each node, a test that passes it and the position in the test.
    places: Vec<(u32, u32)>,
    /// For each node, a test that ends there.
    lasts: Vec<u32>,
    into: Ball,
    out: Ball,
}

/// The nodes around a centre, with their distances.
struct Ball {
    distances: Vec<u32>,
    /// For each node, the arc towards the centre or from it.
    ways: Vec<u32>,
    nodes: Vec<u32>,
}

/// How a test can reach an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    /// A new test.
    New,
    /// From the end of a test, which is this node.
    Last { node: u32 },
    /// From `node`, and then to `back`, where the test goes on. It leaves out `skip` of its steps.
    Detour { node: u32, back: u32, skip: u32 },
}

impl Ball {
    fn new(n: usize) -> Ball {
        Ball { distances: vec![NONE; n], ways: vec![NONE; n], nodes: Vec::new() }
    }

    /// Searches around `centre`, as far as `radius`. `arcs` lists a node's arcs, each with the node at its other end.
    fn fill(&mut self, centre: u32, radius: u32, arcs: impl Fn(u32, &mut Vec<(u32, u32)>)) {
        for node in self.nodes.drain(..) {
            self.distances[node as usize] = NONE;
        }
        self.distances[centre as usize] = 0;
        self.nodes.push(centre);
        let mut own = Vec::new();
        let mut next = 0;
        while let Some(node) = self.nodes.get(next).copied() {
            next += 1;
            let distance = self.distances[node as usize] + 1;
            if distance > radius || self.nodes.len() > BALL_MAX {
                break;
            }
            own.clear();
            arcs(node, &mut own);
            for (arc, other) in &own {
                if self.distances[*other as usize] == NONE {
                    self.distances[*other as usize] = distance;
                    self.ways[*other as usize] = *arc;
                    self.nodes.push(*other);
                }
            }
        }
    }
}

impl<'n> Bridge<'n> {
    fn new(net: &'n Net, targets: &'n Targets, tests: &Tests, restart_cost: u32) -> Self {
        let n = net.n_nodes();
        let mut bridge = Bridge {
            net,
            targets,
            incoming: Incoming::new(net),
            restart_cost,
            tests: tests.iter().map(|(start, arcs)| (start, arcs.to_vec())).collect(),
            places: vec![(NONE, NONE); n],
            lasts: vec![NONE; n],
            into: Ball::new(n),
            out: Ball::new(n),
        };
        (0..bridge.tests.len()).for_each(|test| bridge.note(test));
        bridge
    }

    /// Records where a test passes and ends.
    fn note(&mut self, test: usize) {
        let (start, arcs) = &self.tests[test];
        self.places[*start as usize] = (test as u32, 0);
        let mut node = *start;
        for (position, arc) in arcs.iter().enumerate() {
            node = self.net.head(*arc);
            self.places[node as usize] = (test as u32, position as u32 + 1);
        }
        self.lasts[node as usize] = test as u32;
    }

    fn add(&mut self, island: &Island) {
        // A test may pass the island now, because of another island.
        if let Some(round) = (0..island.arcs.len()).find(|index| self.is_passed(island.arcs[*index])) {
            let node = self.net.tail(island.arcs[round]);
            return self.build(
                node,
                &rotated(&island.arcs, round),
                Door::Detour { node, back: node, skip: 0 },
            );
        }
        let step = island.arcs.len().div_ceil(DOORS_MAX).max(1);
        let mut best = (u32::MAX, 0, Door::New);
        for round in (0..island.arcs.len()).step_by(step) {
            self.look(self.net.tail(island.arcs[round]), round, &mut best);
        }
        let (_, round, door) = best;
        let node = self.net.tail(island.arcs[round]);
        if door != Door::New {
            self.look_around(node, u32::MAX);
        }
        self.build(node, &rotated(&island.arcs, round), door);
    }

    fn is_passed(&self, arc: u32) -> bool {
        self.places[self.net.tail(arc) as usize].0 != NONE
    }

    /// Fills the two balls around a node.
    fn look_around(&mut self, node: u32, radius: u32) {
        let Bridge { net, incoming, into, out, .. } = self;
        let net = *net;
        into.fill(node, radius, |node, own| {
            own.extend(incoming.of(node).iter().map(|arc| (*arc, net.tail(*arc))));
        });
        out.fill(node, radius, |node, own| own.extend(net.outgoing(node).map(|arc| (arc, net.head(arc)))));
    }

    /// Looks for the cheapest way to reach a node of an island, and updates `best`.
    fn look(&mut self, node: u32, round: usize, best: &mut (u32, usize, Door)) {
        let to_end = self.net.distance_to_end(node);
        let alone = self.restart_cost.saturating_add(self.net.depth(node)).saturating_add(to_end);
        self.look_around(node, alone.min(best.0));
        let mut offer = |cost: u32, door: Door| {
            if cost < best.0 {
                *best = (cost, round, door);
            }
        };
        offer(alone, Door::New);
        for from in &self.into.nodes {
            let there = self.into.distances[*from as usize];
            if self.lasts[*from as usize] != NONE {
                offer(there + to_end, Door::Last { node: *from });
            }
            let (test, position) = self.places[*from as usize];
            if test == NONE {
                continue;
            }
            offer(
                there.saturating_add(self.out.distances[*from as usize]),
                Door::Detour { node: *from, back: *from, skip: 0 },
            );
            if let Some(next) = self.tests[test as usize].1.get(position as usize).copied()
                && !self.targets.has_arc(next)
            {
                let back = self.net.head(next);
                let cost = there.saturating_add(self.out.distances[back as usize]).saturating_sub(1);
                offer(cost, Door::Detour { node: *from, back, skip: 1 });
            }
        }
    }

    /// Puts a closed walk that starts in `node` into a test. The balls must be those around `node`.
    fn build(&mut self, node: u32, round: &[u32], door: Door) {
        let mut way = Vec::new();
        match door {
            Door::New => {
                let start = self.net.push_way_to(node, &mut way);
                way.extend_from_slice(round);
                self.net.push_way_to_end(start, &mut way);
                self.tests.push((start, way));
                self.note(self.tests.len() - 1);
            }
            Door::Last { node: from } => {
                self.push_there(from, node, &mut way);
                way.extend_from_slice(round);
                let test = self.lasts[from as usize] as usize;
                self.lasts[from as usize] = NONE;
                let (start, arcs) = &mut self.tests[test];
                arcs.extend(way);
                self.net.push_way_to_end(*start, arcs);
                self.note(test);
            }
            Door::Detour { node: from, back, skip } => {
                self.push_there(from, node, &mut way);
                way.extend_from_slice(round);
                self.push_back(node, back, &mut way);
                let (test, position) = self.places[from as usize];
                let position = position as usize;
                let (start, arcs) = &mut self.tests[test as usize];
                let end = arcs.last().map_or(*start, |arc| self.net.head(*arc));
                arcs.splice(position..position + skip as usize, way);
                // The test may have ended because of its last arc. If another arc is the last one now, it has to go on
                // to an end.
                self.net.push_way_to_end(*start, arcs);
                if self.lasts[end as usize] == test {
                    // It may end elsewhere now, which is noted below.
                    self.lasts[end as usize] = NONE;
                }
                self.note(test as usize);
            }
        }
    }

    fn push_there(&self, from: u32, node: u32, way: &mut Vec<u32>) {
        let mut at = from;
        while at != node {
            let arc = self.into.ways[at as usize];
            way.push(arc);
            at = self.net.head(arc);
        }
    }

    fn push_back(&self, node: u32, back: u32, way: &mut Vec<u32>) {
        let first = way.len();
        let mut at = back;
        while at != node {
            let arc = self.out.ways[at as usize];
            way.push(arc);
            at = self.net.tail(arc);
        }
        way[first..].reverse();
    }
}

fn rotated(arcs: &[u32], first: usize) -> Vec<u32> {
    [&arcs[first..], &arcs[..first]].concat()
}
