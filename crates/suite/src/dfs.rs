//! Mocket's Algorithm 1, as its published generator runs it. Each edge is visited once, and a path ends where no edge
//! is left to visit.
//!
//! From a state, a path goes on along the first edge. Each other edge of the state begins a new path with the same
//! steps up to there. New paths are continued later, in the order in which they were begun. Every state is left only
//! once, by all of its edges. So there are edges − states + terminal states + 1 paths, if there is one initial state.
//!
//! Written out, all paths together may not fit into memory. So they are stored as a tree: each arc is taken once, and
//! remembers the arc before it.

use crate::net::{NONE, Net};
use crate::tests::Tests;

/// Paths that share their beginnings.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The arc before each arc, or [`NONE`].
    before: Vec<u32>,
    /// The number of arcs on the path up to each arc, including the arc. 0 if the arc was not visited.
    depths: Vec<u32>,
    /// The first node and the last arc of each path. The arc is [`NONE`] if the path has no steps.
    leaves: Vec<(u32, u32)>,
}

impl Tree {
    /// How many paths there are.
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether there are no paths.
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

    /// The number of arcs of all paths together. Shared arcs count once for each path.
    pub fn n_steps(&self) -> u64 {
        (0..self.len()).map(|path| u64::from(self.n_arcs(path))).sum()
    }

    /// How many arcs are visited.
    pub fn n_visited(&self) -> usize {
        self.depths.iter().filter(|depth| **depth > 0).count()
    }

    /// Writes out all paths. The caller makes sure that they fit into memory.
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

/// Visits every arc. If `has_ends`, a path stops where it may end, so arcs that lie only behind ends are not visited.
///
/// If `by_number`, successors are visited in the order of their numbers, as in Mocket. Otherwise they are visited in
/// the net's order.
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
