//! Finds steps that are alike to the node that takes them.
//!
//! Two steps are alike if they have the same action, arguments, messages that come and go, and own part of the node's
//! state before and after. Then the same code runs on the same data, whatever other nodes do. If the system takes one
//! of these steps correctly, it takes the others correctly, too. A step that changes what belongs to other nodes is
//! like no other step.

use kilter_base::Id;
use kilter_graph::{EdgeId, RestoreError, StateGraph, StateId};
use kilter_value::Store;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::sight::{Given, Key, Outcome, Reader, Shared};
use crate::view::{Arrival, Message, View};

/// The steps of two graphs, sorted by what their nodes see of them.
#[derive(Clone, Debug)]
pub struct Alike {
    /// The kind of each new edge. `None` if the edge is like no other.
    kinds: Vec<Option<u32>>,
    /// For each kind, whether the old graph has an edge of it.
    is_old: Vec<bool>,
    /// The number of the node that takes each new edge.
    nodes: Vec<Option<usize>>,
    /// The number of each node's view of each new state.
    views: Vec<Vec<u32>>,
    /// The number of the node that takes each old edge.
    old_nodes: Vec<Option<usize>>,
    /// The messages under way in each new state.
    arrivals: Vec<Vec<Arrival>>,
    /// The message that each new edge receives.
    messages: Vec<Option<Message>>,
}

impl Alike {
    /// Compares the steps of two graphs. Each graph comes with what its nodes see.
    pub fn new(old: (&StateGraph, &View), new: (&StateGraph, &View)) -> Result<Alike, RestoreError> {
        let store = Store::new();
        let mut shared = Shared::default();
        let mut before = Reader::new(old.0, old.1, &store, &mut shared)?;
        let mut after = Reader::new(new.0, new.1, &store, &mut shared)?;
        let (old, new) = (old.0, new.0);
        before.look(&mut shared);
        after.look(&mut shared);
        let (old_keys, new_keys) = (before.keys(), after.keys());
        // If one situation has different outcomes, nodes depend on something that is not seen here.
        let mut doubtful = several_outcomes(&old_keys);
        doubtful.extend(several_outcomes(&new_keys));
        let mut known: FxHashMap<Key, u32> = FxHashMap::default();
        let old_kinds = number(old_keys, &doubtful, &mut known);
        let kinds = number(new_keys, &doubtful, &mut known);
        // If the variables differ, no step counts as known, because nobody has seen how steps change an added variable.
        let is_comparable = before.columns() == after.columns();
        let mut is_old = vec![false; known.len()];
        for kind in old_kinds.into_iter().flatten().filter(|_| is_comparable) {
            is_old[kind as usize] = true;
        }
        Ok(Alike {
            kinds,
            is_old,
            nodes: new.edges().map(|edge| after.node(edge)).collect(),
            old_nodes: old.edges().map(|edge| before.node(edge)).collect(),
            arrivals: new.states().map(|state| after.arrivals(state)).collect(),
            messages: new.edges().map(|edge| after.message(edge)).collect(),
            views: after.into_views(),
        })
    }

    /// The kind of a step. `None` if the step is like no other.
    pub fn kind(&self, edge: EdgeId) -> Option<u32> {
        self.kinds[edge.index()]
    }

    /// Whether the old graph has a step that is like this one.
    pub fn is_known(&self, edge: EdgeId) -> bool {
        self.kind(edge).is_some_and(|kind| self.is_old[kind as usize])
    }

    /// The number of the node that takes a step.
    pub fn node(&self, edge: EdgeId) -> Option<usize> {
        self.nodes[edge.index()]
    }

    /// The number of the node that takes a step of the old graph.
    pub fn old_node(&self, edge: EdgeId) -> Option<usize> {
        self.old_nodes[edge.index()]
    }

    /// The number of each node's view of a state.
    pub fn views(&self, state: StateId) -> &[u32] {
        &self.views[state.index()]
    }

    /// Messages under way in a state, each with the node that it is for.
    pub fn arrivals(&self, state: StateId) -> &[Arrival] {
        &self.arrivals[state.index()]
    }

    /// The message that a step receives.
    pub fn message(&self, edge: EdgeId) -> Option<Message> {
        self.messages[edge.index()]
    }
}

/// The situations that have more than one outcome in a graph.
fn several_outcomes(keys: &[Option<Key>]) -> FxHashSet<Given> {
    let mut outcomes: FxHashMap<&Given, &Outcome> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for Key { given, outcome } in keys.iter().flatten() {
        if *outcomes.entry(given).or_insert(outcome) != outcome {
            found.insert(given.clone());
        }
    }
    found
}

fn number(
    keys: Vec<Option<Key>>,
    doubtful: &FxHashSet<Given>,
    known: &mut FxHashMap<Key, u32>,
) -> Vec<Option<u32>> {
    let mut kind = |key: Option<Key>| {
        let key = key.filter(|key| !doubtful.contains(&key.given))?;
        let next = known.len() as u32;
        Some(*known.entry(key).or_insert(next))
    };
    keys.into_iter().map(&mut kind).collect()
}
