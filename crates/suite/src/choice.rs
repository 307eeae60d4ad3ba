//! Covers choices. A choice is a set of walks of which tests have to take one.
//!
//! A walk is an edge, or two edges one right after the other. For a pair of edges, the net gets an extra node behind
//! the first edge. So every walk ends in an arc, and the algorithm only has to choose which arcs are targets. It is
//! best if the targets lie together on few paths. So the algorithm repeatedly takes the path that settles the most open
//! choices. Then it makes the cheapest tests for these targets as usual, and leaves out tests that turn out to be
//! needless.

use std::collections::BTreeSet;

use kilter_base::Id;
use kilter_graph::{EdgeId, StateGraph};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cover::{Plan, allowed, cover_plan};
use crate::goal::{Goal, GoalError};
use crate::longest::Longest;
use crate::net::{NONE, Net};
use crate::suite::{Bound, Suite};
use crate::targets::Targets;
use crate::tests::Tests;

/// The number of arcs to look at when choosing targets, for all paths together. More would take seconds.
const LOOKED_AT_MAX: usize = 300_000_000;
/// The largest number of rounds. One round may make another one useful.
const ROUNDS_MAX: usize = 3;

/// An edge, or two edges one right after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Walk {
    /// The first edge.
    pub first: EdgeId,
    /// The edge right after it, if there are two.
    pub then: Option<EdgeId>,
}

impl From<EdgeId> for Walk {
    fn from(edge: EdgeId) -> Walk {
        Walk { first: edge, then: None }
    }
}

/// Makes tests that take one walk of each choice, if the goal allows its edges and they can be reached.
pub fn cover_choices(graph: &StateGraph, goal: &Goal, choices: &[Vec<Walk>]) -> Result<Suite, GoalError> {
    let is_allowed = allowed(graph, goal)?;
    let net = Crossing::new(graph, goal.seed, choices, &is_allowed);
    let Crossing { net, serves, n_choices } = net;
    if n_choices == 0 {
        return Err(GoalError::NothingToCover { what: "edge" });
    }
    let is_free = serves.options.iter().any(|n| *n > 1);
    let mut chosen = serves.choose(&net, is_free && goal.max_steps.is_none());
    let mut best: Option<Plan> = None;
    for _ in 0..ROUNDS_MAX {
        let plan = cover_plan(graph, &net, &Targets::Arcs(chosen), goal)?;
        let needed = serves.needed(&plan.tests);
        let is_better = best
            .as_ref()
            .is_none_or(|best| plan.tests.cost(goal.restart_cost) < best.tests.cost(goal.restart_cost));
        if is_better {
            best = Some(plan);
        }
        match needed {
            Some(fewer) if is_better => chosen = fewer,
            _ => break,
        }
    }
    let Some(Plan { tests, bound }) = best else {
        return Err(GoalError::NothingToCover { what: "edge" });
    };
    // The bound holds for the chosen targets only. Other targets might cost less.
    let bound = if is_free { Bound { tests: 1, cost: u64::from(goal.restart_cost) + 1 } } else { bound };
    let n_covered = serves.n_served(&tests) as u64;
    Ok(Suite::from_tests(&net, tests, n_choices as u64, n_covered, bound, goal.restart_cost))
}

/// For each choice, whether a suite takes one of its walks.
pub fn settled(suite: &Suite, choices: &[Vec<Walk>]) -> Vec<bool> {
    let mut taken = FxHashSet::default();
    let mut edges = Vec::new();
    for test in 0..suite.n_tests() as usize {
        suite.read(test, &mut edges);
        taken.extend(edges.iter().map(|edge| Walk::from(*edge)));
        taken.extend(edges.windows(2).map(|pair| Walk { first: pair[0], then: Some(pair[1]) }));
    }
    choices.iter().map(|choice| choice.iter().any(|walk| taken.contains(walk))).collect()
}

/// A net with extra nodes for pairs of edges.
struct Crossing {
    net: Net,
    serves: Serves,
    n_choices: usize,
}

/// Which choices an arc settles.
struct Serves {
    of: Vec<Vec<u32>>,
    /// How many arcs settle each choice.
    options: Vec<u32>,
    /// For each arc from an extra node, the arc that leads to that node. [`NONE`] for other arcs.
    before: Vec<u32>,
}

impl Crossing {
    fn new(
        graph: &StateGraph,
        seed: u64,
        choices: &[Vec<Walk>],
        is_allowed: &dyn Fn(EdgeId) -> bool,
    ) -> Self {
        let plain = Net::new(graph, seed);
        let is_possible = |walk: &&Walk| {
            plain.is_reached(graph.source(walk.first).0)
                && (is_allowed(walk.first) || walk.then.is_some_and(is_allowed))
        };
        let open: Vec<Vec<Walk>> = choices
            .iter()
            .map(|choice| choice.iter().filter(is_possible).copied().collect())
            .filter(|choice: &Vec<Walk>| !choice.is_empty())
            .collect();
        let mut by_edge: Vec<Vec<u32>> = vec![Vec::new(); graph.n_edges()];
        let mut by_pair: FxHashMap<(EdgeId, EdgeId), Vec<u32>> = FxHashMap::default();
        for (number, choice) in open.iter().enumerate() {
            for walk in choice {
                match walk.then {
                    None => by_edge[walk.first.index()].push(number as u32),
                    Some(then) => by_pair.entry((walk.first, then)).or_default().push(number as u32),
                }
            }
        }
        let mut pairs: Vec<(EdgeId, EdgeId)> = by_pair.keys().copied().collect();
        pairs.sort_unstable();
        let net = if pairs.is_empty() { plain } else { with_pairs(graph, &plain, &pairs) };
        let firsts: Vec<EdgeId> = firsts(&pairs);
        let mut serves = Serves { of: Vec::new(), options: vec![0; open.len()], before: Vec::new() };
        let mut ways = vec![NONE; firsts.len()];
        for arc in 0..net.n_arcs() as u32 {
            if let Some(way) = (net.head(arc) as usize).checked_sub(graph.n_states()) {
                ways[way] = arc;
            }
        }
        for arc in 0..net.n_arcs() as u32 {
            let edge = net.edge(arc);
            let mut served = by_edge[edge.index()].clone();
            let way = (net.tail(arc) as usize).checked_sub(graph.n_states());
            if let Some(first) = way.map(|way| firsts[way]) {
                served.extend(by_pair.get(&(first, edge)).into_iter().flatten());
            }
            for choice in &served {
                serves.options[*choice as usize] += 1;
            }
            serves.of.push(served);
            serves.before.push(way.map_or(NONE, |way| ways[way]));
        }
        Crossing { net, serves, n_choices: open.len() }
    }
}

/// The first edges of pairs. The pairs must be sorted.
fn firsts(pairs: &[(EdgeId, EdgeId)]) -> Vec<EdgeId> {
    let mut firsts: Vec<EdgeId> = pairs.iter().map(|(first, _)| *first).collect();
    firsts.dedup();
    firsts
}

/// The net with an extra node behind each first edge. Only the second edges lead on from there.
fn with_pairs(graph: &StateGraph, plain: &Net, pairs: &[(EdgeId, EdgeId)]) -> Net {
    let mut arcs: Vec<(u32, u32, u32)> =
        (0..plain.n_arcs() as u32).map(|arc| (plain.tail(arc), plain.head(arc), plain.edge(arc).0)).collect();
    let mut last = None;
    let mut node = graph.n_states() as u32;
    for (first, then) in pairs {
        if last.is_some_and(|last| last != *first) {
            node += 1;
        }
        if last != Some(*first) {
            arcs.push((graph.source(*first).0, node, first.0));
        }
        arcs.push((node, graph.target(*then).0, then.0));
        last = Some(*first);
    }
    arcs.sort_by_key(|(tail, ..)| *tail);
    Net::from_arcs(node as usize + 1, plain.initial().to_vec(), arcs.into_iter())
}

impl Serves {
    /// Chooses arcs that settle all choices.
    fn choose(&self, net: &Net, looks_around: bool) -> Vec<bool> {
        let mut choosing = Choosing { serves: self, is_settled: vec![false; self.options.len()] };
        let mut chosen = vec![false; self.of.len()];
        if looks_around {
            let mut longest = Longest::new(net);
            let mut n_looked_at = 0;
            while n_looked_at <= LOOKED_AT_MAX {
                let path = longest.path(net, &|arc| choosing.gain(arc));
                n_looked_at += net.n_arcs();
                let mut gained = false;
                for arc in path {
                    gained |= choosing.take(arc, &mut chosen);
                }
                if !gained {
                    break;
                }
            }
        }
        // Arcs that are the only one for a choice come first, then arcs near an initial node, because they are cheap.
        let mut rest: Vec<u32> = (0..self.of.len() as u32).filter(|arc| choosing.gain(*arc) > 0).collect();
        let is_free =
            |arc: &u32| !self.of[*arc as usize].iter().any(|choice| self.options[*choice as usize] == 1);
        rest.sort_by_key(|arc| (is_free(arc), self.before[*arc as usize] == NONE, net.depth(net.tail(*arc))));
        for arc in rest {
            choosing.take(arc, &mut chosen);
        }
        chosen
    }

    /// Drops tests that other tests make needless, and chooses arcs of the rest that settle all choices. `None` if all
    /// tests are needed.
    fn needed(&self, tests: &Tests) -> Option<Vec<bool>> {
        let settled: Vec<BTreeSet<u32>> = (0..tests.len())
            .map(|test| tests.arcs(test).iter().flat_map(|arc| &self.of[*arc as usize]).copied().collect())
            .collect();
        let mut counts = vec![0u32; self.options.len()];
        for choice in settled.iter().flatten() {
            counts[*choice as usize] += 1;
        }
        let mut order: Vec<usize> = (0..tests.len()).collect();
        order.sort_by_key(|test| settled[*test].len());
        let mut is_kept = vec![true; tests.len()];
        for test in order {
            if settled[test].iter().all(|choice| counts[*choice as usize] > 1) {
                is_kept[test] = false;
                for choice in &settled[test] {
                    counts[*choice as usize] -= 1;
                }
            }
        }
        if !is_kept.contains(&false) {
            return None;
        }
        let mut choosing = Choosing { serves: self, is_settled: vec![false; self.options.len()] };
        let mut chosen = vec![false; self.of.len()];
        for test in (0..tests.len()).filter(|test| is_kept[*test]) {
            for arc in tests.arcs(test) {
                choosing.take(*arc, &mut chosen);
            }
        }
        Some(chosen)
    }

    fn n_served(&self, tests: &Tests) -> usize {
        let mut is_served = vec![false; self.options.len()];
        for (_, arcs) in tests.iter() {
            for choice in arcs.iter().flat_map(|arc| &self.of[*arc as usize]) {
                is_served[*choice as usize] = true;
            }
        }
        is_served.into_iter().filter(|is_served| *is_served).count()
    }
}

/// The choices that are settled so far.
struct Choosing<'s> {
    serves: &'s Serves,
    is_settled: Vec<bool>,
}

impl Choosing<'_> {
    /// How many open choices an arc settles.
    fn gain(&self, arc: u32) -> u32 {
        let open = |choice: &&u32| !self.is_settled[**choice as usize];
        self.serves.of[arc as usize].iter().filter(open).count() as u32
    }

    /// Makes an arc a target if it settles an open choice. The arc before it is then taken as well.
    fn take(&mut self, arc: u32, chosen: &mut [bool]) -> bool {
        if self.gain(arc) == 0 {
            return false;
        }
        chosen[arc as usize] = true;
        let before = self.serves.before[arc as usize];
        for arc in [arc, before].into_iter().filter(|arc| *arc != NONE) {
            for choice in &self.serves.of[arc as usize] {
                self.is_settled[*choice as usize] = true;
            }
        }
        true
    }
}
