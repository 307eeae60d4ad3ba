//! Nodes and arcs with costs and lower bounds. No arc has an upper bound, because a step may be taken any number of
//! times.

/// A network; arcs and nodes can be added until it is solved.
#[derive(Clone, Debug, Default)]
pub struct Network {
    n_nodes: u32,
    tails: Vec<u32>,
    heads: Vec<u32>,
    costs: Vec<u32>,
    /// Lower bounds.
    lowers: Vec<u32>,
}

impl Network {
    /// A network without arcs.
    pub fn new(n_nodes: usize) -> Network {
        Network { n_nodes: u32::try_from(n_nodes).expect("fewer than 2^32 nodes"), ..Network::default() }
    }

    /// Adds a node and returns its number.
    pub fn node(&mut self) -> u32 {
        self.n_nodes += 1;
        self.n_nodes - 1
    }

    /// Adds an arc and returns its number.
    pub fn arc(&mut self, tail: u32, head: u32, cost: u32, lower: u32) -> u32 {
        self.tails.push(tail);
        self.heads.push(head);
        self.costs.push(cost);
        self.lowers.push(lower);
        self.tails.len() as u32 - 1
    }

    /// Raises an arc's lower bound by one.
    pub fn raise(&mut self, arc: u32) {
        self.lowers[arc as usize] += 1;
    }

    /// How many nodes there are.
    pub fn n_nodes(&self) -> usize {
        self.n_nodes as usize
    }

    /// How many arcs there are.
    pub fn n_arcs(&self) -> usize {
        self.tails.len()
    }

    /// The tail of each arc.
    pub fn tails(&self) -> &[u32] {
        &self.tails
    }

    /// The head of each arc.
    pub fn heads(&self) -> &[u32] {
        &self.heads
    }

    /// The cost of a unit of flow on an arc.
    pub fn cost(&self, arc: u32) -> u32 {
        self.costs[arc as usize]
    }

    /// The least flow on an arc.
    pub fn lower(&self, arc: u32) -> u32 {
        self.lowers[arc as usize]
    }
}
