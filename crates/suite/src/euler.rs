//! Takes a plan apart into tests.
//!
//! As much flow leaves a node as comes in, so a walk from the hub along the plan can only end in the hub. What is left
//! after all these walks is closed walks. Each is put into a test that visits it. Closed walks that no test visits are
//! islands.

use crate::net::{NONE, Net};
use crate::relax::Plan;
use crate::tests::Tests;
use crate::union_find::UnionFind;

/// A closed walk that no test visits.
#[derive(Clone, Debug)]
pub struct Island {
    /// The arcs of the walk.
    pub arcs: Vec<u32>,
}

/// Makes tests that together follow the plan. Also returns the parts of the plan that no test visits.
pub fn take_apart(net: &Net, plan: Plan) -> (Tests, Vec<Island>) {
    let mut left = Left {
        net,
        next: (0..net.n_nodes() as u32).map(|node| net.outgoing(node).start).collect(),
        arcs: plan.arcs,
    };
    let tests = left.walk_all(&plan.starts, plan.ends, &plan.arc_ends);
    if left.arcs.iter().all(|n| *n == 0) {
        return (tests, Vec::new());
    }
    left.splice(&tests)
}

/// What is left of a plan.
struct Left<'n> {
    net: &'n Net,
    /// How often each arc still has to be taken.
    arcs: Vec<u32>,
    /// The first arc of each node that may still have to be taken.
    next: Vec<u32>,
}

impl Left<'_> {
    fn take(&mut self, node: u32) -> Option<u32> {
        let next = &mut self.next[node as usize];
        while *next < self.net.outgoing(node).end {
            if self.arcs[*next as usize] > 0 {
                self.arcs[*next as usize] -= 1;
                return Some(*next);
            }
            *next += 1;
        }
        None
    }

    /// Walks from the hub to the hub. Each walk ends as soon as it may, to keep tests short.
    fn walk_all(&mut self, starts: &[(u32, u32)], mut ends: Vec<u32>, arc_ends: &[(u32, u32)]) -> Tests {
        let mut arc_ends = arc_ends.to_vec();
        let mut tests = Tests::default();
        for (start, n) in starts {
            for _ in 0..*n {
                let mut node = *start;
                while ends[node as usize] == 0 {
                    let Some(arc) = self.take(node) else { break };
                    tests.extend(arc);
                    node = self.net.head(arc);
                    if let Ok(index) = arc_ends.binary_search_by_key(&arc, |(arc, _)| *arc)
                        && arc_ends[index].1 > 0
                    {
                        arc_ends[index].1 -= 1;
                        node = NONE;
                        break;
                    }
                }
                if node != NONE {
                    ends[node as usize] -= 1;
                }
                tests.close(*start);
            }
        }
        tests
    }

    /// Puts each closed walk that is left into the shortest test that visits it. The others become islands.
    fn splice(mut self, tests: &Tests) -> (Tests, Vec<Island>) {
        let mut parts = UnionFind::new(self.net.n_nodes());
        for arc in (0..self.net.n_arcs() as u32).filter(|arc| self.arcs[*arc as usize] > 0) {
            parts.join(self.net.tail(arc), self.net.head(arc));
        }
        let mut splices: Vec<(usize, usize, u32)> = self.places(tests, &mut parts);
        splices.sort_unstable();
        let mut spliced = Tests::default();
        let mut splices = splices.into_iter().peekable();
        for (test, (start, arcs)) in tests.iter().enumerate() {
            for position in 0..=arcs.len() {
                while let Some((_, _, node)) =
                    splices.next_if(|splice| (splice.0, splice.1) == (test, position))
                {
                    self.round(node).into_iter().for_each(|arc| spliced.extend(arc));
                }
                arcs.get(position).into_iter().for_each(|arc| spliced.extend(*arc));
            }
            spliced.close(start);
        }
        let mut islands = Vec::new();
        for arc in 0..self.net.n_arcs() as u32 {
            if self.arcs[arc as usize] > 0 {
                let node = self.net.tail(arc);
                islands.push(Island { arcs: self.round(node) });
            }
        }
        (spliced, islands)
    }

    /// For each connected part that is left and that a test visits: the test, the position in it, and the node there.
    fn places(&self, tests: &Tests, parts: &mut UnionFind) -> Vec<(usize, usize, u32)> {
        let mut has_rest = vec![false; self.net.n_nodes()];
        for arc in (0..self.net.n_arcs() as u32).filter(|arc| self.arcs[*arc as usize] > 0) {
            has_rest[self.net.tail(arc) as usize] = true;
        }
        let mut best: Vec<Option<(usize, usize, usize, u32)>> = vec![None; self.net.n_nodes()];
        for test in 0..tests.len() {
            let n_arcs = tests.arcs(test).len();
            // A test that ends because of its last arc does not visit the node that the arc leads to.
            let last = tests.arcs(test).last();
            let is_cut =
                last.is_some_and(|arc| self.net.is_end_arc(*arc) && !self.net.is_end(self.net.head(*arc)));
            let n_nodes = n_arcs + usize::from(!is_cut);
            for (position, node) in tests.nodes(self.net, test).enumerate().take(n_nodes) {
                if has_rest[node as usize] {
                    let best = &mut best[parts.find(node) as usize];
                    if best.is_none_or(|(n_best, ..)| n_arcs < n_best) {
                        *best = Some((n_arcs, test, position, node));
                    }
                }
            }
        }
        best.into_iter().flatten().map(|(_, test, position, node)| (test, position, node)).collect()
    }

    /// A closed walk from a node along all arcs that are left and connected with it (Hierholzer's algorithm).
    fn round(&mut self, node: u32) -> Vec<u32> {
        let mut open: Vec<u32> = Vec::new();
        let mut round = Vec::new();
        let mut at = node;
        loop {
            if let Some(arc) = self.take(at) {
                open.push(arc);
                at = self.net.head(arc);
            } else {
                let Some(arc) = open.pop() else { break };
                at = self.net.tail(arc);
                round.push(arc);
            }
        }
        round.reverse();
        round
    }
}
