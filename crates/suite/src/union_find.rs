//! Sets that can be joined.

/// Sets that can be joined.
#[derive(Clone, Debug)]
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// Each node by itself.
    pub fn new(n: usize) -> UnionFind {
        UnionFind { parents: (0..n as u32).collect() }
    }

    /// The node that stands for a node's set.
    pub fn find(&mut self, node: u32) -> u32 {
        let mut at = node;
        while self.parents[at as usize] != at {
            let grandparent = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = grandparent;
            at = grandparent;
        }
        at
    }

    /// Makes two sets one.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller number stands for both, so that the result does not depend on the order of joins.
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
