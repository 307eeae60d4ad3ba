//! Finds the cheapest circulation by the primal-dual method.
//!
//! With the lower bounds alone, some nodes have more flow coming in than going out, and others have less. The solver
//! sends the excess to the nodes where flow is missing, along paths that are cheapest by reduced cost. For each
//! distance it sends as much as possible (Dinic's blocking flows on the arcs of reduced cost 0). There are few
//! distances, because costs are small integers, and from every node a test can end and another one can start. Each
//! distance takes one pass over the arcs, and a few more over the arcs of reduced cost 0.

use std::collections::BTreeMap;

use super::network::Network;
use crate::net::{NONE, by_node};

/// A cheapest circulation.
#[derive(Clone, Debug)]
pub struct Circulation {
    /// The flow on each arc.
    pub flow: Vec<u32>,
    /// The potential of each node. Together they prove that nothing is cheaper.
    pub potentials: Vec<i64>,
}

/// The cheapest circulation. `None` if there is no circulation.
pub fn solve(network: &Network) -> Option<Circulation> {
    let mut solver = Solver::new(network);
    while solver.n_excess > 0 {
        let nearest = solver.measure()?;
        solver.raise_potentials(nearest);
        while solver.find_levels() {
            solver.block();
        }
    }
    let mut flow: Vec<u32> = (0..network.n_arcs() as u32).map(|arc| network.lower(arc)).collect();
    for (place, extra) in solver.extra.iter().enumerate() {
        flow[solver.arcs[place] as usize] += extra;
    }
    let potentials = solver.potentials.into_iter().map(i64::from).collect();
    Some(Circulation { flow, potentials })
}

/// Marks an arc that is in no list of loaded arcs.
const UNLISTED: u32 = u32::MAX - 1;

/// Solves one network. Arcs are sorted by their tails, and are given by their places in this order.
struct Solver {
    /// The place of each node's first arc.
    starts: Vec<u32>,
    /// The network's arc at each place.
    arcs: Vec<u32>,
    tails: Vec<u32>,
    heads: Vec<u32>,
    costs: Vec<u32>,
    /// Flow above the lower bounds.
    extra: Vec<u32>,
    /// The first arc with extra flow into each node, and the next one after each arc. Few arcs have extra flow.
    loaded: Vec<u32>,
    next_loaded: Vec<u32>,
    /// Small numbers: a restart and a way through the graph at most.
    potentials: Vec<i32>,
    /// The flow that comes in and does not go out. Negative if flow is missing.
    excess: Vec<i64>,
    /// Nodes that had an excess at the start.
    sources: Vec<u32>,
    /// The sum of all excess that is left.
    n_excess: u64,
    distances: Vec<u32>,
    /// The arcs of reduced cost 0, by node: the position of each node's first arc in `free`, and the arcs.
    free_starts: Vec<u32>,
    free: Vec<u32>,
    levels: Vec<u32>,
    /// The next free arc out of each node that may lead on, and the next arc with extra flow into it.
    next_out: Vec<u32>,
    next_in: Vec<u32>,
    queue: Vec<u32>,
}

impl Solver {
    fn new(network: &Network) -> Self {
        let n_nodes = network.n_nodes();
        let (starts, arcs) = by_node(n_nodes, network.tails());
        let mut excess = vec![0i64; n_nodes];
        for arc in 0..network.n_arcs() {
            let lower = i64::from(network.lower(arc as u32));
            excess[network.tails()[arc] as usize] -= lower;
            excess[network.heads()[arc] as usize] += lower;
        }
        let sources: Vec<u32> = (0..n_nodes as u32).filter(|node| excess[*node as usize] > 0).collect();
        Solver {
            starts,
            tails: arcs.iter().map(|arc| network.tails()[*arc as usize]).collect(),
            heads: arcs.iter().map(|arc| network.heads()[*arc as usize]).collect(),
            costs: arcs.iter().map(|arc| network.cost(*arc)).collect(),
            extra: vec![0; arcs.len()],
            loaded: vec![NONE; n_nodes],
            next_loaded: vec![UNLISTED; arcs.len()],
            arcs,
            potentials: vec![0; n_nodes],
            n_excess: sources.iter().map(|node| excess[*node as usize] as u64).sum(),
            excess,
            sources,
            distances: vec![NONE; n_nodes],
            free_starts: Vec::new(),
            free: Vec::new(),
            levels: vec![NONE; n_nodes],
            next_out: Vec::new(),
            next_in: Vec::new(),
            queue: Vec::new(),
        }
    }

    fn out_of(&self, node: u32) -> std::ops::Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }

    fn open_sources(&self) -> impl Iterator<Item = u32> {
        self.sources.iter().copied().filter(|node| self.excess[*node as usize] > 0)
    }

    /// Computes distances by reduced cost from the nodes with excess, up to the nearest node where flow is missing
    /// (Dijkstra's algorithm). Returns the distance of that node, or `None` if there is none.
    fn measure(&mut self) -> Option<u32> {
        self.distances.fill(NONE);
        let sources: Vec<u32> = self.open_sources().collect();
        for node in &sources {
            self.distances[*node as usize] = 0;
        }
        let mut buckets = BTreeMap::from([(0, sources)]);
        while let Some((distance, mut nodes)) = buckets.pop_first() {
            let mut is_nearest = false;
            let mut next = 0;
            while let Some(node) = nodes.get(next).copied() {
                next += 1;
                if self.distances[node as usize] == distance {
                    is_nearest |= self.excess[node as usize] < 0;
                    self.relax(node, distance, &mut nodes, &mut buckets);
                }
            }
            if is_nearest {
                return Some(distance);
            }
        }
        None
    }

    fn relax(
        &mut self,
        node: u32,
        distance: u32,
        nodes: &mut Vec<u32>,
        buckets: &mut BTreeMap<u32, Vec<u32>>,
    ) {
        let potential = self.potentials[node as usize];
        for place in self.out_of(node) {
            let head = self.heads[place];
            let known = self.distances[head as usize];
            if known <= distance {
                continue;
            }
            let reduced = self.costs[place] as i32 + potential - self.potentials[head as usize];
            let longer = distance + reduced as u32;
            if longer < known {
                self.distances[head as usize] = longer;
                if longer == distance {
                    nodes.push(head);
                } else {
                    buckets.entry(longer).or_default().push(head);
                }
            }
        }
        // An arc with extra flow has reduced cost 0, so its flow can be taken back for free.
        let mut place = self.loaded[node as usize];
        while place != NONE {
            let tail = self.tails[place as usize];
            if self.distances[tail as usize] > distance && self.extra[place as usize] > 0 {
                self.distances[tail as usize] = distance;
                nodes.push(tail);
            }
            place = self.next_loaded[place as usize];
        }
    }

    /// Adds the distances to the potentials. Then the cheapest ways to the nearest nodes have reduced cost 0.
    fn raise_potentials(&mut self, nearest: u32) {
        for (potential, distance) in self.potentials.iter_mut().zip(&self.distances) {
            *potential += (*distance).min(nearest) as i32;
        }
        self.free_starts.clear();
        self.free.clear();
        self.free_starts.push(0);
        for node in 0..self.potentials.len() {
            if self.distances[node] <= nearest {
                for place in self.out_of(node as u32) {
                    let head = self.heads[place] as usize;
                    if self.costs[place] as i32 + self.potentials[node] == self.potentials[head] {
                        self.free.push(place as u32);
                    }
                }
            }
            self.free_starts.push(self.free.len() as u32);
        }
        self.unload();
    }

    /// Takes arcs without extra flow out of the lists.
    fn unload(&mut self) {
        for node in 0..self.loaded.len() {
            let mut place = std::mem::replace(&mut self.loaded[node], NONE);
            while place != NONE {
                let next = std::mem::replace(&mut self.next_loaded[place as usize], UNLISTED);
                if self.extra[place as usize] > 0 {
                    self.next_loaded[place as usize] = self.loaded[node];
                    self.loaded[node] = place;
                }
                place = next;
            }
        }
    }

    /// Computes the number of free arcs to each node from the nodes with excess. False if no node with missing flow is
    /// reached.
    fn find_levels(&mut self) -> bool {
        self.levels.fill(NONE);
        let mut queue = std::mem::take(&mut self.queue);
        queue.clear();
        queue.extend(self.open_sources());
        for node in &queue {
            self.levels[*node as usize] = 0;
        }
        let mut last_level = NONE;
        let mut next = 0;
        while let Some(node) = queue.get(next).copied() {
            next += 1;
            let level = self.levels[node as usize] + 1;
            if level > last_level {
                break;
            }
            let free = self.free_starts[node as usize] as usize..self.free_starts[node as usize + 1] as usize;
            for index in free {
                let head = self.heads[self.free[index] as usize];
                self.reach(head, level, &mut last_level, &mut queue);
            }
            let mut place = self.loaded[node as usize];
            while place != NONE {
                if self.extra[place as usize] > 0 {
                    self.reach(self.tails[place as usize], level, &mut last_level, &mut queue);
                }
                place = self.next_loaded[place as usize];
            }
        }
        self.queue = queue;
        self.next_out.clone_from(&self.free_starts);
        self.next_in.clone_from(&self.loaded);
        last_level != NONE
    }

    fn reach(&mut self, node: u32, level: u32, last_level: &mut u32, queue: &mut Vec<u32>) {
        if self.levels[node as usize] == NONE {
            self.levels[node as usize] = level;
            queue.push(node);
            if self.excess[node as usize] < 0 {
                *last_level = level;
            }
        }
    }

    /// Sends as much flow as possible from level to level.
    fn block(&mut self) {
        let mut way = Vec::new();
        for index in 0..self.sources.len() {
            let source = self.sources[index];
            while self.excess[source as usize] > 0 && self.find_way(source, &mut way) {
                self.send(source, &way);
            }
        }
    }

    /// Finds a way from a node to one where flow is missing. The way has places of arcs, and whether each arc is used
    /// forward.
    fn find_way(&mut self, source: u32, way: &mut Vec<(u32, bool)>) -> bool {
        way.clear();
        let mut node = source;
        loop {
            if self.excess[node as usize] < 0 {
                return true;
            }
            if let Some((place, forward, next)) = self.next_step(node) {
                way.push((place, forward));
                node = next;
                continue;
            }
            let Some((place, forward)) = way.pop() else { return false };
            if forward {
                node = self.tails[place as usize];
                self.next_out[node as usize] += 1;
            } else {
                node = self.heads[place as usize];
                self.next_in[node as usize] = self.next_loaded[place as usize];
            }
        }
    }

    /// The next arc that leads from a node to the next level: its place, whether it is used forward, and the node.
    fn next_step(&mut self, node: u32) -> Option<(u32, bool, u32)> {
        let level = self.levels[node as usize] + 1;
        let end = self.free_starts[node as usize + 1];
        let mut index = self.next_out[node as usize];
        while index < end {
            let place = self.free[index as usize];
            let head = self.heads[place as usize];
            if self.levels[head as usize] == level {
                self.next_out[node as usize] = index;
                return Some((place, true, head));
            }
            index += 1;
        }
        self.next_out[node as usize] = end;
        let mut place = self.next_in[node as usize];
        while place != NONE {
            let tail = self.tails[place as usize];
            if self.levels[tail as usize] == level && self.extra[place as usize] > 0 {
                break;
            }
            place = self.next_loaded[place as usize];
        }
        self.next_in[node as usize] = place;
        (place != NONE).then(|| (place, false, self.tails[place as usize]))
    }

    fn send(&mut self, source: u32, way: &[(u32, bool)]) {
        let Some((last, forward)) = way.last().copied() else { return };
        let sink = if forward { self.heads[last as usize] } else { self.tails[last as usize] } as usize;
        let back = way.iter().filter(|(_, forward)| !forward);
        let back = back.map(|(place, _)| i64::from(self.extra[*place as usize]));
        let amount = back.chain([self.excess[source as usize], -self.excess[sink]]).min().unwrap_or(0);
        for (place, forward) in way {
            let index = *place as usize;
            if !forward {
                self.extra[index] -= amount as u32;
                continue;
            }
            self.extra[index] += amount as u32;
            if self.next_loaded[index] == UNLISTED {
                let head = self.heads[index] as usize;
                self.next_loaded[index] = self.loaded[head];
                self.loaded[head] = *place;
            }
        }
        self.excess[source as usize] -= amount;
        self.excess[sink] += amount;
        self.n_excess -= amount as u64;
    }
}
