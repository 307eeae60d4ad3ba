//! Plans further cases when findings have kept others from their end: one finding must not hide the next.
//!
//! A case ends at its first finding, so the edges behind it are not tried. They are planned again on ways that avoid
//! the edges that failed. If an action has failed, its other edges probably fail too. So first everything is tried
//! that can be reached without them, then each of them in a case of its own, at the end.
//!
//! A run that has only a part of all cases need not take every edge of such an action. Those that lie on the way to an
//! edge of its own it takes nevertheless: the other parts do not know that this part has to pass there.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use kilter_base::Id;
use kilter_graph::{EdgeId, StateGraph, StateId};
use kilter_run::{Event, More, SoFar};

use crate::cases::{Case, FURTHER, of_walks, to_further};
use crate::plan::Plan;
use kilter_value::Store;

/// How often an edge is planned again. A system that behaves differently each time must not keep a run from its end.
const TRIES_MAX: u8 = 3;

/// A path from an initial state.
pub type Walk = (StateId, Vec<EdgeId>);

/// Makes walks that take all edges of the first list, as far as they can be reached, and none of the second.
pub type Around<'m> = dyn Fn(Vec<bool>, &[bool]) -> Vec<Walk> + Sync + 'm;

/// What is planned again, and how.
pub struct Replan<'m> {
    /// For each edge, whether the cases of the run have to take it.
    wanted: Vec<bool>,
    around: &'m Around<'m>,
    /// How often each edge was planned again.
    tries: Mutex<Vec<u8>>,
}

impl<'m> Replan<'m> {
    /// Plans these edges again where it is needed. They are those of the cases.
    pub fn new(
        graph: &StateGraph,
        edges: impl IntoIterator<Item = EdgeId>,
        around: &'m Around<'m>,
    ) -> Replan<'m> {
        let mut wanted = vec![false; graph.n_edges()];
        for edge in edges {
            if let Some(wanted) = wanted.get_mut(edge.index()) {
                *wanted = true;
            }
        }
        Replan { wanted, around, tries: Mutex::new(vec![0; graph.n_edges()]) }
    }

    /// The next cases. If there are none, the edges of the graph that can't be reached for now.
    pub(crate) fn more(&self, plan: &Plan<'_>, store: &Store, so_far: &SoFar<'_>) -> More<Case> {
        let known = Known::new(plan.graph, so_far);
        let open: Vec<bool> = plan.graph.edges().map(|edge| self.is_open(edge, &known)).collect();
        // Without a failure, only what a finding has hidden that did not come again can be open.
        if !open.contains(&true) && so_far.failed.is_empty() {
            return More { cases: Vec::new(), event: None };
        }
        let mut walks = self.beside_suspects(plan.graph, &open, &known);
        if walks.is_empty() {
            walks = self.to_suspects(plan.graph, &open, &known, false);
        }
        if walks.is_empty() {
            walks = self.over_suspects(plan.graph, &open, &known);
        }
        // At last on ways over edges that have failed in one case, and were confirmed in another.
        if walks.is_empty() {
            walks = self.to_suspects(plan.graph, &open, &known, true);
        }
        let mut cases = of_walks(plan.graph, walks, store).unwrap_or_default();
        for case in &mut cases {
            case.id.insert(0, FURTHER);
        }
        let event = if cases.is_empty() {
            let behind = known.behind(plan.graph);
            Event::Behind { edges: behind.map(|edge| edge.index() as u32).collect() }
        } else {
            Event::More { cases: cases.iter().map(to_further).collect() }
        };
        More { cases, event: Some(event) }
    }

    /// Walks to what can be reached without edges that failed, or that probably fail too.
    fn beside_suspects(&self, graph: &StateGraph, open: &[bool], known: &Known) -> Vec<Walk> {
        let avoided: Vec<bool> = graph.edges().map(|edge| !known.is_trusted(edge)).collect();
        let edges = graph.edges();
        let wanted: Vec<bool> =
            edges.map(|edge| open[edge.index()] && !avoided[edge.index()] && self.may_try(edge)).collect();
        if !wanted.contains(&true) {
            return Vec::new();
        }
        let walks = (self.around)(wanted.clone(), &avoided);
        let taken: BTreeSet<EdgeId> = walks.iter().flat_map(|(_, edges)| edges).copied().collect();
        taken.into_iter().filter(|edge| wanted[edge.index()]).for_each(|edge| self.note_try(edge));
        walks
    }

    /// Walks over confirmed edges, each to one open edge.
    fn to_suspects(&self, graph: &StateGraph, open: &[bool], known: &Known, failed_too: bool) -> Vec<Walk> {
        let is_target = |edge: EdgeId| self.may_try(edge) && open[edge.index()];
        let walks = known.to_suspects(graph, failed_too, is_target);
        walks.iter().filter_map(|(_, edges)| edges.last()).for_each(|edge| self.note_try(*edge));
        walks
    }

    /// Walks to open edges that lead over edges of which nothing is known, and which the run need not take. Of the walks with the
    /// same first such edge there is one: if it fails, the others need another way.
    fn over_suspects(&self, graph: &StateGraph, open: &[bool], known: &Known) -> Vec<Walk> {
        let may_try = |edge: EdgeId| !known.failed[edge.index()] && self.may_try(edge);
        let ways = Ways::new(graph, |edge| {
            !known.failed[edge.index()] && (known.covered[edge.index()] || may_try(edge))
        });
        let mut firsts = BTreeSet::new();
        let mut walks = Vec::new();
        for edge in graph.edges().filter(|edge| open[edge.index()] && may_try(*edge)) {
            if ways.is_reached[graph.source(edge).index()] {
                let walk = ways.to(graph, edge);
                let first = walk.1.iter().find(|edge| !known.covered[edge.index()]);
                if first.is_some_and(|first| firsts.insert(*first)) {
                    walks.push(walk);
                }
            }
        }
        for edge in firsts {
            self.note_try(edge);
        }
        walks
    }

    /// Whether an edge should be taken, and was neither confirmed nor failed.
    fn is_open(&self, edge: EdgeId, known: &Known) -> bool {
        self.wanted[edge.index()] && !known.covered[edge.index()] && !known.failed[edge.index()]
    }

    fn may_try(&self, edge: EdgeId) -> bool {
        self.tries.lock().unwrap_or_else(PoisonError::into_inner)[edge.index()] < TRIES_MAX
    }

    fn note_try(&self, edge: EdgeId) {
        self.tries.lock().unwrap_or_else(PoisonError::into_inner)[edge.index()] += 1;
    }
}

/// What is known of each edge.
struct Known {
    covered: Vec<bool>,
    failed: Vec<bool>,
    /// Whether its action has failed somewhere.
    suspect: Vec<bool>,
}

impl Known {
    fn new(graph: &StateGraph, so_far: &SoFar<'_>) -> Known {
        let is_covered = |edge: EdgeId| so_far.covered.get(edge.index()).copied().unwrap_or(false);
        let is_failed = |edge: &EdgeId| so_far.failed.contains(&(edge.index() as u64));
        let actions: BTreeSet<&str> =
            graph.edges().filter(is_failed).map(|edge| graph.action_of(edge).name.as_str()).collect();
        Known {
            covered: graph.edges().map(is_covered).collect(),
            failed: graph.edges().map(|edge| is_failed(&edge)).collect(),
            suspect: graph
                .edges()
                .map(|edge| actions.contains(graph.action_of(edge).name.as_str()))
                .collect(),
        }
    }

    /// Whether nothing speaks against taking an edge on the way to another.
    fn is_trusted(&self, edge: EdgeId) -> bool {
        let index = edge.index();
        !self.failed[index] && (self.covered[index] || !self.suspect[index])
    }

    /// Shortest walks that end with an edge for which `is_target` holds, and otherwise take edges that were confirmed: those that have also failed
    /// only if `failed_too`.
    fn to_suspects(
        &self,
        graph: &StateGraph,
        failed_too: bool,
        is_target: impl Fn(EdgeId) -> bool,
    ) -> Vec<Walk> {
        let is_sure = |edge: EdgeId| self.covered[edge.index()] && (failed_too || !self.failed[edge.index()]);
        let ways = Ways::new(graph, is_sure);
        let edges = ways.order.iter().flat_map(|state| graph.outgoing(*state));
        edges.filter(|edge| is_target(*edge)).map(|edge| ways.to(graph, edge)).collect()
    }

    /// The edges that were not confirmed, and that can be reached only through edges that failed.
    fn behind<'g>(&self, graph: &'g StateGraph) -> impl Iterator<Item = EdgeId> + use<'_, 'g> {
        let ways = Ways::new(graph, |edge| !self.failed[edge.index()]);
        graph.edges().filter(move |edge| {
            let is_known = self.covered[edge.index()] || self.failed[edge.index()];
            !is_known && !ways.is_reached[graph.source(*edge).index()]
        })
    }
}

/// Shortest ways from the initial states.
struct Ways {
    /// For each state, the edge by which it was first reached. Initial states have none.
    came_by: Vec<Option<EdgeId>>,
    is_reached: Vec<bool>,
    /// The states that were reached, in their order.
    order: Vec<StateId>,
}

impl Ways {
    /// Finds them over the edges for which `may_take` holds.
    fn new(graph: &StateGraph, may_take: impl Fn(EdgeId) -> bool) -> Ways {
        let mut ways = Ways {
            came_by: vec![None; graph.n_states()],
            is_reached: vec![false; graph.n_states()],
            order: graph.initial().collect(),
        };
        for state in &ways.order {
            ways.is_reached[state.index()] = true;
        }
        let mut next = 0;
        while let Some(state) = ways.order.get(next).copied() {
            next += 1;
            for edge in graph.outgoing(state).filter(|edge| may_take(*edge)) {
                let target = graph.target(edge);
                if !std::mem::replace(&mut ways.is_reached[target.index()], true) {
                    ways.came_by[target.index()] = Some(edge);
                    ways.order.push(target);
                }
            }
        }
        ways
    }

    /// The way to an edge, which is its last.
    fn to(&self, graph: &StateGraph, last: EdgeId) -> Walk {
        let mut edges = vec![last];
        let mut state = graph.source(last);
        while let Some(edge) = self.came_by[state.index()] {
            edges.push(edge);
            state = graph.source(edge);
        }
        edges.reverse();
        (state, edges)
    }
}
