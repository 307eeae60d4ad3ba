//! Tests grown around edges: Algorithm 4 of the paper.
//!
//! An edge that is not covered yet is picked, the path grows backwards to an initial state and forwards until everything around has been
//! visited; where there is a choice, edges that are not covered yet come first. Without them the way back is one of the shortest,
//! where the paper's is any, because any may be endless.

use kilter_base::Id;
use kilter_base::Rng;
use kilter_graph::{EdgeId, StateGraph};
use kilter_suite::net::Net;
use kilter_suite::suite::Bound;
use kilter_suite::tests::Tests;
use kilter_suite::{Goal, Suite};

/// Tests that cover all wanted edges that can be reached; another seed gives others.
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
    /// What is not covered yet.
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
            // A path that may not be long has no room for what lies beside the way.
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

    /// One of `edges` that is not covered yet; or else one of the others.
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
