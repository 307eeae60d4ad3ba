//! The reachable part of a graph as flat arrays. All algorithms work on it.
//!
//! The nodes are the graph's states, by number. The arcs are its edges, or some of them, in their own order. A seed
//! changes this order, and so decides ties.

use kilter_base::components::Arcs;
use kilter_base::{Id, Rng};
use kilter_graph::{EdgeId, StateGraph, StateId};

/// Stands for no node or no arc.
pub const NONE: u32 = u32::MAX;

/// A directed graph with nodes where tests begin and places where they may end.
#[derive(Clone, Debug)]
pub struct Net {
    /// The first arc of each node. One more entry marks the end of the last node's arcs.
    starts: Vec<u32>,
    tails: Vec<u32>,
    heads: Vec<u32>,
    /// The edge of the graph that each arc stands for.
    edges: Vec<u32>,
    initial: Vec<u32>,
    /// The number of steps to each node from the nearest initial node. [`NONE`] if the node cannot be reached.
    depths: Vec<u32>,
    /// The last arc of a shortest way to each node.
    parents: Vec<u32>,
    /// Where tests may end. `None` if they may end anywhere.
    ends: Option<Ends>,
}

/// Where tests may end.
#[derive(Clone, Debug)]
struct Ends {
    nodes: Vec<bool>,
    arcs: Vec<bool>,
    /// The number of steps from each node to the nearest end.
    distances: Vec<u32>,
    /// The first arc of a shortest way from each node to an end.
    ways: Vec<u32>,
}

impl Net {
    /// The reachable part of a graph; a seed other than 0 shuffles the arcs of each node.
    pub fn new(graph: &StateGraph, seed: u64) -> Net {
        let mut order: Vec<u32> = (0..graph.n_edges() as u32).collect();
        if seed != 0 {
            let mut rng = Rng::from_seed(seed);
            for state in graph.states() {
                let n_own = graph.outgoing(state).len();
                if let Some(first) = graph.outgoing(state).next() {
                    rng.shuffle(&mut order[first.index()..first.index() + n_own]);
                }
            }
        }
        let arcs = order.into_iter().map(|edge| {
            let id = EdgeId(edge);
            (graph.source(id).0, graph.target(id).0, edge)
        });
        Net::from_arcs(graph.n_states(), graph.initial().map(|state| state.0).collect(), arcs)
    }

    /// Makes a net from arcs, each with its tail, head and edge. The arcs must be sorted by tail.
    pub fn from_arcs(
        n_nodes: usize,
        initial: Vec<u32>,
        arcs: impl Iterator<Item = (u32, u32, u32)> + Clone,
    ) -> Net {
        let depths = reach(n_nodes, &initial, arcs.clone());
        let mut net = Net {
            starts: vec![0; n_nodes + 1],
            tails: Vec::new(),
            heads: Vec::new(),
            edges: Vec::new(),
            initial,
            depths,
            parents: vec![NONE; n_nodes],
            ends: None,
        };
        for (tail, head, edge) in arcs {
            if net.depths[tail as usize] == NONE {
                continue;
            }
            let arc = net.tails.len() as u32;
            net.starts[tail as usize + 1] = arc + 1;
            net.tails.push(tail);
            net.heads.push(head);
            net.edges.push(edge);
            let is_way = net.depths[head as usize] == net.depths[tail as usize] + 1;
            if is_way && net.parents[head as usize] == NONE {
                net.parents[head as usize] = arc;
            }
        }
        for node in 0..n_nodes {
            net.starts[node + 1] = net.starts[node + 1].max(net.starts[node]);
        }
        net
    }

    /// Sets where tests may end: in these nodes, after these arcs, and in nodes from which no way leads to such an end.
    pub fn set_ends(&mut self, node_ends: impl Fn(u32) -> bool, arc_ends: impl Fn(u32) -> bool) {
        let mut nodes: Vec<bool> = (0..self.n_nodes() as u32).map(node_ends).collect();
        let arcs: Vec<bool> = (0..self.n_arcs() as u32).map(arc_ends).collect();
        let (distances, _) = self.ways_to_ends(&nodes, &arcs);
        for (node, distance) in distances.iter().enumerate() {
            nodes[node] |= *distance == NONE;
        }
        let (distances, ways) = self.ways_to_ends(&nodes, &arcs);
        self.ends = Some(Ends { nodes, arcs, distances, ways });
    }

    /// The distance of each node to an end, and the first arc of a shortest way there. Searches backwards from the
    /// ends.
    fn ways_to_ends(&self, nodes: &[bool], arcs: &[bool]) -> (Vec<u32>, Vec<u32>) {
        let mut distances = vec![NONE; self.n_nodes()];
        let mut ways = vec![NONE; self.n_nodes()];
        let mut reached: Vec<u32> = Vec::new();
        for node in (0..self.n_nodes() as u32).filter(|node| nodes[*node as usize]) {
            distances[node as usize] = 0;
            reached.push(node);
        }
        let incoming = Incoming::new(self);
        let mut next: Vec<u32> = (0..self.n_arcs() as u32).filter(|arc| arcs[*arc as usize]).collect();
        let mut distance = 0;
        while !reached.is_empty() || !next.is_empty() {
            next.extend(reached.drain(..).flat_map(|node| incoming.of(node).iter().copied()));
            distance += 1;
            for arc in next.drain(..) {
                let tail = self.tail(arc);
                if distances[tail as usize] == NONE {
                    distances[tail as usize] = distance;
                    ways[tail as usize] = arc;
                    reached.push(tail);
                }
            }
        }
        (distances, ways)
    }

    /// How many nodes there are, reachable or not.
    pub fn n_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many arcs there are; all can be reached.
    pub fn n_arcs(&self) -> usize {
        self.heads.len()
    }

    /// The arcs that leave a node.
    pub fn outgoing(&self, node: u32) -> std::ops::Range<u32> {
        self.starts[node as usize]..self.starts[node as usize + 1]
    }

    /// Where an arc comes from.
    pub fn tail(&self, arc: u32) -> u32 {
        self.tails[arc as usize]
    }

    /// Where an arc leads.
    pub fn head(&self, arc: u32) -> u32 {
        self.heads[arc as usize]
    }

    /// The edge of the graph that an arc stands for.
    pub fn edge(&self, arc: u32) -> EdgeId {
        EdgeId(self.edges[arc as usize])
    }

    /// The state of the graph that a node stands for.
    pub fn state(node: u32) -> StateId {
        StateId(node)
    }

    /// Where tests begin.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// Whether a node can be reached.
    pub fn is_reached(&self, node: u32) -> bool {
        self.depths[node as usize] != NONE
    }

    /// The number of steps to a node on a shortest way. [`NONE`] if the node cannot be reached.
    pub fn depth(&self, node: u32) -> u32 {
        self.depths[node as usize]
    }

    /// Whether a test may end in a node, whichever arc led there.
    pub fn is_end(&self, node: u32) -> bool {
        self.ends.as_ref().is_none_or(|ends| ends.nodes[node as usize])
    }

    /// Whether a test may end after an arc, wherever the arc leads.
    pub fn is_end_arc(&self, arc: u32) -> bool {
        self.ends.as_ref().is_some_and(|ends| ends.arcs[arc as usize])
    }

    /// Whether a test may end after this arc, because of the arc or because of the node that it leads to.
    pub fn may_end_after(&self, arc: u32) -> bool {
        self.is_end(self.head(arc)) || self.is_end_arc(arc)
    }

    /// How many steps it takes from a node to the next end.
    pub fn distance_to_end(&self, node: u32) -> u32 {
        self.ends.as_ref().map_or(0, |ends| ends.distances[node as usize])
    }

    /// Appends a shortest way to `node` to `way`. Returns the initial node where it starts.
    pub fn push_way_to(&self, node: u32, way: &mut Vec<u32>) -> u32 {
        let first = way.len();
        let mut at = node;
        while self.depths[at as usize] > 0 {
            let arc = self.parents[at as usize];
            way.push(arc);
            at = self.tail(arc);
        }
        way[first..].reverse();
        at
    }

    /// Appends a shortest way to an end, unless the test may end where it is. The test so far is `way`, from `start`.
    pub fn push_way_to_end(&self, start: u32, way: &mut Vec<u32>) {
        let Some(ends) = &self.ends else { return };
        let mut at = way.last().map_or(start, |arc| self.head(*arc));
        while !ends.nodes[at as usize] && !way.last().is_some_and(|arc| ends.arcs[*arc as usize]) {
            let arc = ends.ways[at as usize];
            way.push(arc);
            at = self.head(arc);
        }
    }
}

/// The number of steps to each node from the nearest initial node.
fn reach(n_nodes: usize, initial: &[u32], arcs: impl Iterator<Item = (u32, u32, u32)> + Clone) -> Vec<u32> {
    let mut starts = vec![0u32; n_nodes + 1];
    let mut heads = Vec::new();
    for (tail, head, _) in arcs {
        heads.push(head);
        starts[tail as usize + 1] = heads.len() as u32;
    }
    for node in 0..n_nodes {
        starts[node + 1] = starts[node + 1].max(starts[node]);
    }
    let mut depths = vec![NONE; n_nodes];
    let mut queue: Vec<u32> = initial.to_vec();
    for node in initial {
        depths[*node as usize] = 0;
    }
    let mut next = 0;
    while let Some(node) = queue.get(next).copied() {
        next += 1;
        for head in &heads[starts[node as usize] as usize..starts[node as usize + 1] as usize] {
            if depths[*head as usize] == NONE {
                depths[*head as usize] = depths[node as usize] + 1;
                queue.push(*head);
            }
        }
    }
    depths
}

/// The arcs of a net, sorted by the node that they lead to.
#[derive(Debug)]
pub struct Incoming {
    starts: Vec<u32>,
    arcs: Vec<u32>,
}

impl Incoming {
    /// Sorts the arcs.
    pub fn new(net: &Net) -> Incoming {
        let (starts, arcs) = by_node(net.n_nodes(), &net.heads);
        Incoming { starts, arcs }
    }

    /// The arcs that lead to a node, in order.
    pub fn of(&self, node: u32) -> &[u32] {
        &self.arcs[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

/// Sorts indices by node. Returns the position of each node's first index, and the sorted indices.
pub fn by_node(n_nodes: usize, nodes: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; n_nodes + 1];
    for node in nodes {
        starts[*node as usize + 1] += 1;
    }
    for node in 0..n_nodes {
        starts[node + 1] += starts[node];
    }
    let mut next = starts.clone();
    let mut sorted = vec![0; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        sorted[next[*node as usize] as usize] = index as u32;
        next[*node as usize] += 1;
    }
    (starts, sorted)
}

impl Arcs for Net {
    /// The number of the node's arcs that were looked at.
    type Cursor = u32;

    fn next(&self, node: u32, cursor: &mut u32, inside: impl Fn(u32) -> bool) -> Option<u32> {
        let arcs = self.outgoing(node);
        for arc in arcs.start + *cursor..arcs.end {
            *cursor += 1;
            let head = self.head(arc);
            if inside(head) {
                return Some(head);
            }
        }
        None
    }
}
