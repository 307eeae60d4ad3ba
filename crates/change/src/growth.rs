//! Grows tests around edges: Algorithm 4 of the paper.
//!
//! The algorithm picks an edge that is not covered yet. It extends the path backwards to an initial state, and forwards
//! until all edges of the last state have been visited. If there is a choice, it prefers edges that are not covered
//! yet. If there are none, the way back is a shortest one. The paper takes any way back, but that may be endless.

use kilter_base::Id;
use kilter_base::Rng;
use kilter_graph::{EdgeId, StateGraph};
use kilter_suite::net::Net;
use kilter_suite::suite::Bound;
use kilter_suite::tests::Tests;
use kilter_suite::{Goal, Suite};

/// Makes tests that cover all wanted edges that can be reached. Another seed gives other tests.
pub fn grow(graph: &StateGraph, wanted: &[bool], goal: &Goal) -> Suite {
    let net = Net::new(graph, 0);
    let is_reached = |edge: EdgeId| net.is_reached(graph.source(edge).0);
    let open: Vec<bool> = graph.edges().map(|edge| wanted[edge.index()] && is_reached(edge)).collect();
    let n_targets = open.iter().filter(|is_open| **is_open).count() as u64;
    let mut grower = Grower {
        graph,
        net: &net,
        n_visited: vec![0; graph.n_states()],
        is_visited: vec![false; graph.n_edges()],
        ends: goal.end_states.as_deref(),
        steps_max: goal.max_steps.map_or(usize::MAX, |most| most as usize),
        rng: Rng::from_seed(goal.seed),
        open,
    };
    let mut order: Vec<EdgeId> = graph.edges().filter(|edge| grower.open[edge.index()]).collect();
    grower.rng.shuffle(&mut order);
    let mut tests = Tests::default();
    for edge in order {
        if grower.open[edge.index()] {
            let path = grower.path(edge);
            let start = path.first().map_or(0, |first| graph.source(*first).0);
            let arcs: Vec<u32> = path.iter().map(|edge| edge.0).collect();
            tests.push(start, &arcs);
        }
    }
    let bound = Bound { tests: u64::from(n_targets > 0), cost: n_targets };
    Suite::from_walks(tests, n_targets, n_targets, bound, goal.restart_cost)
}

struct Grower<'g> {
    graph: &'g StateGraph,
    net: &'g Net,
    /// For each edge, whether it is wanted and not covered yet.
    open: Vec<bool>,
    is_visited: Vec<bool>,
    /// How many edges of each state have been visited.
    n_visited: Vec<u32>,
    ends: Option<&'g [bool]>,
    steps_max: usize,
    rng: Rng,
}

impl Grower<'_> {
    fn path(&mut self, edge: EdgeId) -> Vec<EdgeId> {
        self.take(edge);
        let mut back = vec![edge];
        let mut at = self.graph.source(edge);
        while self.net.depth(at.0) > 0 {
            let nearer = self.net.depth(at.0);
            let is_fine = |edge: &EdgeId| self.net.is_reached(self.graph.source(*edge).0);
            let before: Vec<EdgeId> = self.graph.incoming(at).filter(is_fine).collect();
            let short =
                before.iter().copied().filter(|edge| self.net.depth(self.graph.source(*edge).0) < nearer);
            // A path with a limited length has no room for detours.
            let beside = if self.steps_max == usize::MAX { before.clone() } else { short.clone().collect() };
            let Some(next) = self.choose(&beside, &short.collect::<Vec<_>>()) else { break };
            self.take(next);
            back.push(next);
            at = self.graph.source(next);
        }
        back.reverse();
        self.forwards(&mut back, edge);
        back
    }

    fn forwards(&mut self, path: &mut Vec<EdgeId>, last: EdgeId) {
        let mut at = self.graph.target(last);
        while path.len() < self.steps_max && !self.ends.is_some_and(|ends| ends[at.index()]) {
            let after: Vec<EdgeId> = self.graph.outgoing(at).collect();
            if self.n_visited[at.index()] as usize == after.len() {
                break;
            }
            let fresh: Vec<EdgeId> =
                after.iter().copied().filter(|edge| !self.is_visited[edge.index()]).collect();
            let Some(next) = self.choose(&after, &fresh) else { break };
            self.take(next);
            path.push(next);
            at = self.graph.target(next);
        }
    }

    /// Picks one of `edges` that is not covered yet. If there is none, picks one of `others`.
    fn choose(&mut self, edges: &[EdgeId], others: &[EdgeId]) -> Option<EdgeId> {
        let open: Vec<EdgeId> = edges.iter().copied().filter(|edge| self.open[edge.index()]).collect();
        let from = if open.is_empty() { others } else { &open };
        (!from.is_empty()).then(|| from[self.rng.below(from.len())])
    }

    fn take(&mut self, edge: EdgeId) {
        self.open[edge.index()] = false;
        if !std::mem::replace(&mut self.is_visited[edge.index()], true) {
            self.n_visited[self.graph.source(edge).index()] += 1;
        }
    }
}
