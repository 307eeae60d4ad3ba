//! What tests have to do: take an edge, or one that is like it; take two edges one right after the other; visit a state.

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::Id;
use kilter_graph::{EdgeId, StateGraph, StateId};
use kilter_suite::choice::Walk;
use rustc_hash::FxHashMap;

use crate::alike::Alike;

/// What tests have to do.
#[derive(Clone, Debug, Default)]
pub struct Wants {
    /// Edges that have to be taken themselves.
    edges: BTreeSet<EdgeId>,
    /// Kinds of edges: any edge of the kind will do.
    kinds: BTreeSet<u32>,
    /// Edges with those that have to follow them.
    pairs: BTreeSet<(EdgeId, EdgeId)>,
    /// The same, where any of several will do.
    sequences: BTreeMap<Sequence, BTreeSet<(EdgeId, EdgeId)>>,
    /// States, where any of several will do.
    visits: FxHashMap<Visit, BTreeSet<StateId>>,
}

/// Steps of a kind that a step of an action has to follow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence {
    /// The kind of the first step.
    pub kind: u32,
    /// The action of the second.
    pub action: String,
}

/// What a state is visited for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Visit {
    /// A step that the old graph has: its label there, and what its node sees.
    Gone(u32, u32),
    /// A message that is not taken in by an action: the action, the message, and what its node sees.
    Message(String, kilter_value::Value, u32),
    /// What a node sees.
    View(u32),
}

impl Wants {
    /// How many there are.
    pub fn n(&self) -> usize {
        self.edges.len() + self.kinds.len() + self.pairs.len() + self.sequences.len() + self.visits.len()
    }

    /// Edges have to be taken themselves.
    pub fn each(&mut self, edges: impl IntoIterator<Item = EdgeId>) {
        self.edges.extend(edges);
    }

    /// An edge has to be taken, or one that is like it.
    pub fn like(&mut self, edge: EdgeId, alike: Option<&Alike>) {
        match alike.and_then(|alike| alike.kind(edge)) {
            Some(kind) => self.kinds.insert(kind),
            None => self.edges.insert(edge),
        };
    }

    /// Two edges each have to be taken, one right after the other.
    pub fn pairs(&mut self, pairs: impl IntoIterator<Item = (EdgeId, EdgeId)>) {
        self.pairs.extend(pairs);
    }

    /// One of several pairs of edges has to be taken.
    pub fn sequence(&mut self, sequence: Sequence, first: EdgeId, then: EdgeId) {
        self.sequences.entry(sequence).or_default().insert((first, then));
    }

    /// One of several states has to be visited.
    pub fn visit(&mut self, visit: Visit, state: StateId) {
        self.visits.entry(visit).or_default().insert(state);
    }

    /// The walks of which one has to be taken for each of them.
    pub fn choices(&self, graph: &StateGraph, alike: Option<&Alike>) -> Vec<Vec<Walk>> {
        let mut of_kind: BTreeMap<u32, Vec<Walk>> =
            self.kinds.iter().map(|kind| (*kind, Vec::new())).collect();
        for edge in graph.edges() {
            if let Some(kind) = alike.and_then(|alike| alike.kind(edge))
                && let Some(walks) = of_kind.get_mut(&kind)
            {
                walks.push(edge.into());
            }
        }
        let walk = |(first, then): &(EdgeId, EdgeId)| Walk { first: *first, then: Some(*then) };
        let mut choices: Vec<Vec<Walk>> = self.edges.iter().map(|edge| vec![(*edge).into()]).collect();
        choices.extend(of_kind.into_values());
        choices.extend(self.pairs.iter().map(|pair| vec![walk(pair)]));
        choices.extend(self.sequences.values().map(|pairs| pairs.iter().map(walk).collect()));
        choices.extend(self.visits(graph));
        choices
    }

    /// Edges from and to states.
    fn visits(&self, graph: &StateGraph) -> Vec<Vec<Walk>> {
        let around = |state: &StateId| graph.incoming(*state).chain(graph.outgoing(*state)).map(Walk::from);
        let walks = |states: &BTreeSet<StateId>| {
            let walks: BTreeSet<Walk> = states.iter().flat_map(around).collect();
            walks.into_iter().collect()
        };
        let mut all: Vec<Vec<Walk>> = self.visits.values().map(walks).collect();
        // The same states may be visited for many reasons, and the map knows no order.
        all.sort_unstable();
        all.dedup();
        all
    }

    /// One edge or two for each of them, for whom any will do.
    pub fn edges(&self, graph: &StateGraph, alike: Option<&Alike>) -> Vec<bool> {
        let mut is_wanted = vec![false; graph.n_edges()];
        for choice in self.choices(graph, alike) {
            let is_there = choice.iter().any(|walk| is_wanted[walk.first.index()] && walk.then.is_none());
            if let Some(walk) = choice.first().filter(|_| !is_there) {
                for edge in [Some(walk.first), walk.then].into_iter().flatten() {
                    is_wanted[edge.index()] = true;
                }
            }
        }
        is_wanted
    }
}
