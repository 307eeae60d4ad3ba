//! What tests have to do: take an edge or one that is like it, take two edges one right after the other, or visit a
//! state.

use std::collections::{BTreeMap, BTreeSet};

use kilter_base::Id;
use kilter_graph::{EdgeId, StateGraph, StateId};
use kilter_suite::choice::Walk;
use rustc_hash::FxHashMap;

use crate::alike::Alike;

/// What tests have to do.
#[derive(Clone, Debug, Default)]
pub struct Wants {
    /// Edges that have to be taken. No other edge will do.
    edges: BTreeSet<EdgeId>,
    /// Kinds of edges: any edge of the kind will do.
    kinds: BTreeSet<u32>,
    /// Pairs of edges that have to be taken one right after the other.
    pairs: BTreeSet<(EdgeId, EdgeId)>,
    /// Sets of such pairs. One pair of each set will do.
    sequences: BTreeMap<Sequence, BTreeSet<(EdgeId, EdgeId)>>,
    /// Sets of states. Visiting one state of each set will do.
    visits: FxHashMap<Visit, BTreeSet<StateId>>,
}

/// A step of a kind, with another step right after it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence {
    /// The kind of the first step.
    pub kind: u32,
    /// What comes right after it.
    pub then: Then,
}

/// What comes right after a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Then {
    /// A step of an action.
    Action(String),
    /// A step of a kind.
    Kind(u32),
    /// Any step, in a state of which a node has this view: the number of the node, and the view.
    View(usize, u32),
}

/// Why a state has to be visited.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Visit {
    /// The old graph has a step here that is gone: its label in the old graph, and the view of its node.
    Gone(u32, u32),
    /// An action does not receive a message here: the action, the message, and the view of the message's node.
    Message(String, kilter_value::Value, u32),
    /// A node has this view here.
    View(u32),
}

impl Wants {
    /// The number of things that tests have to do.
    pub fn n(&self) -> usize {
        self.edges.len() + self.kinds.len() + self.pairs.len() + self.sequences.len() + self.visits.len()
    }

    /// Adds edges that have to be taken themselves.
    pub fn each(&mut self, edges: impl IntoIterator<Item = EdgeId>) {
        self.edges.extend(edges);
    }

    /// Adds an edge. An edge that is like it will do, too.
    pub fn like(&mut self, edge: EdgeId, alike: Option<&Alike>) {
        match alike.and_then(|alike| alike.kind(edge)) {
            Some(kind) => self.kinds.insert(kind),
            None => self.edges.insert(edge),
        };
    }

    /// Adds pairs of edges that have to be taken one right after the other.
    pub fn pairs(&mut self, pairs: impl IntoIterator<Item = (EdgeId, EdgeId)>) {
        self.pairs.extend(pairs);
    }

    /// Adds a pair of edges to a set of which one pair will do.
    pub fn sequence(&mut self, sequence: Sequence, first: EdgeId, then: EdgeId) {
        self.sequences.entry(sequence).or_default().insert((first, then));
    }

    /// Adds a state to a set of which one state will do.
    pub fn visit(&mut self, visit: Visit, state: StateId) {
        self.visits.entry(visit).or_default().insert(state);
    }

    /// The walks that will do for each thing that tests have to do.
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

    /// For each set of states, the edges that leave them or lead to them.
    fn visits(&self, graph: &StateGraph) -> Vec<Vec<Walk>> {
        let around = |state: &StateId| graph.incoming(*state).chain(graph.outgoing(*state)).map(Walk::from);
        let walks = |states: &BTreeSet<StateId>| {
            let walks: BTreeSet<Walk> = states.iter().flat_map(around).collect();
            walks.into_iter().collect()
        };
        let mut all: Vec<Vec<Walk>> = self.visits.values().map(walks).collect();
        // The same states may be visited for many reasons, and the order of a hash map is arbitrary.
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Edges such that tests that take all of them do everything. Takes the first walk if several will do.
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
