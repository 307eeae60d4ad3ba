//! What hangs together.

use crate::net::{NONE, Net};

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

/// The strongly connected component of each node, and how many there are; arcs lead to components with the same or a
/// smaller number. Tarjan's algorithm without recursion.
pub fn strong(net: &Net) -> (Vec<u32>, u32) {
    let n = net.n_nodes();
    let mut component = vec![NONE; n];
    let (mut seen, mut low) = (vec![NONE; n], vec![NONE; n]);
    let (mut n_components, mut n_seen) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    let mut way: Vec<(u32, u32)> = Vec::new();
    for root in 0..n as u32 {
        if seen[root as usize] != NONE {
            continue;
        }
        way.push((root, NONE));
        while let Some((node, next)) = way.last_mut() {
            let at = *node as usize;
            if *next == NONE {
                *next = net.outgoing(*node).start;
                (seen[at], low[at]) = (n_seen, n_seen);
                n_seen += 1;
                open.push(*node);
            }
            if *next < net.outgoing(*node).end {
                let head = net.head(*next);
                *next += 1;
                if seen[head as usize] == NONE {
                    way.push((head, NONE));
                } else if component[head as usize] == NONE {
                    low[at] = low[at].min(seen[head as usize]);
                }
                continue;
            }
            way.pop();
            if let Some((parent, _)) = way.last() {
                low[*parent as usize] = low[*parent as usize].min(low[at]);
            }
            if low[at] == seen[at] {
                while let Some(member) = open.pop() {
                    component[member as usize] = n_components;
                    if member as usize == at {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    (component, n_components)
}
