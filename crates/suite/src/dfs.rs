//! Mocket's Algorithm 1, as its published generator runs it: each edge is visited once, and a path ends where nothing is left to visit.
//!
//! A path goes on along the first edge of a state that was not visited, and each of the others begins a new path with the same
//! steps up to there, to be continued later, in turn. Every state is left once by all of its edges. That makes
//! edges − states + terminal states + 1 paths, if there is one initial state.
//!
//! All paths together form a tree, and that is how they are kept: written out they can be far longer than memory. An arc is
//! taken once, so that the arc before it says it all.

use crate::net::{NONE, Net};
use crate::tests::Tests;

/// Paths that share their beginnings.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The arc that comes before each, or [`NONE`].
    before: Vec<u32>,
    /// How many arcs lead to each, itself included.
    depths: Vec<u32>,
    /// Each path's first node and last arc; no arc if it is only that node.
    leaves: Vec<(u32, u32)>,
}

impl Tree {
    /// How many paths there are.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// How many arcs a path has.
    pub fn n_arcs(&self, path: usize) -> u32 {
        match self.leaves[path].1 {
            NONE => 0,
            arc => self.depths[arc as usize],
        }
    }

    /// How many arcs all paths have, shared ones counted each time.
    pub fn n_steps(&self) -> u64 {
        (0..self.len()).map(|path| u64::from(self.n_arcs(path))).sum()
    }

    /// How many arcs are visited.
    pub fn n_visited(&self) -> usize {
        self.depths.iter().filter(|depth| **depth > 0).count()
    }

    /// All paths written out. The caller makes sure that they fit into memory.
    pub fn to_tests(&self) -> Tests {
        let mut tests = Tests::default();
        let mut arcs = Vec::new();
        for path in 0..self.len() {
            self.read(path, &mut arcs);
            tests.push(self.start(path), &arcs);
        }
        tests
    }

    /// Where a path starts.
    pub fn start(&self, path: usize) -> u32 {
        self.leaves[path].0
    }

    /// Writes a path's arcs to `arcs`.
    pub fn read(&self, path: usize, arcs: &mut Vec<u32>) {
        arcs.clear();
        let mut arc = self.leaves[path].1;
        while arc != NONE {
            arcs.push(arc);
            arc = self.before[arc as usize];
        }
        arcs.reverse();
    }
}

/// Visits every arc, except those that lie behind ends only: a path that comes to an end stops there.
///
/// Successors are visited in the order of their numbers, as in Mocket, or in the net's own order.
pub fn visit(net: &Net, by_number: bool, has_ends: bool) -> Tree {
    let mut tree =
        Tree { before: vec![NONE; net.n_arcs()], depths: vec![0; net.n_arcs()], leaves: Vec::new() };
    let mut is_left = vec![false; net.n_nodes()];
    let mut queue: Vec<(u32, u32)> = net.initial().iter().map(|start| (*start, NONE)).collect();
    let mut own = Vec::new();
    let mut next = 0;
    while let Some((start, mut last)) = queue.get(next).copied() {
        next += 1;
        loop {
            let node = if last == NONE { start } else { net.head(last) };
            let stops = has_ends && if last == NONE { net.is_end(node) } else { net.may_end_after(last) };
            if stops || is_left[node as usize] || net.outgoing(node).is_empty() {
                break;
            }
            is_left[node as usize] = true;
            own.clear();
            own.extend(net.outgoing(node));
            if by_number {
                own.sort_by_key(|arc| net.head(*arc));
            }
            let depth = if last == NONE { 1 } else { tree.depths[last as usize] + 1 };
            for arc in &own {
                tree.before[*arc as usize] = last;
                tree.depths[*arc as usize] = depth;
            }
            queue.extend(own[1..].iter().map(|arc| (start, *arc)));
            last = own[0];
        }
        tree.leaves.push((start, last));
    }
    tree
}
