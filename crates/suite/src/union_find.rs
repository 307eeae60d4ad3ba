//! Disjoint sets of nodes that can be joined.

/// Disjoint sets of nodes that can be joined.
#[derive(Clone, Debug)]
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// Makes one set for each of `n` nodes.
    pub fn new(n: usize) -> UnionFind {
        UnionFind { parents: (0..n as u32).collect() }
    }

    /// The node that represents a node's set.
    pub fn find(&mut self, node: u32) -> u32 {
        let mut at = node;
        while self.parents[at as usize] != at {
            let grandparent = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = grandparent;
            at = grandparent;
        }
        at
    }

    /// Joins the sets of two nodes.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller number represents both, so the result does not depend on the order of joins.
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
