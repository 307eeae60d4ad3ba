//! Covers edges up to renaming of interchangeable model values.
//!
//! Two states are in the same class if exchanging model values turns one into the other, and likewise two edges. A walk
//! from class to class can always be lifted to a walk from state to state: from any state of a class, some exchange
//! turns the next step into a step from this state. So the cheapest cover of all classes of edges is the cheapest suite
//! that covers every edge up to renaming.
//!
//! A graph that SYMMETRY has made smaller has only one state of each class. Still, two of its edges are in the same
//! class if an exchange that keeps their source turns one into the other.

use kilter_graph::values::Restored;
use kilter_graph::{ActionId, EdgeId, RestoreError, StateGraph, StateId, WaysId};
use kilter_value::{Permutation, PermuteCache, Store, Value};
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::cover::cover_net;
use crate::goal::{Goal, GoalError};
use crate::group::Group;
use crate::net::{NONE, Net};
use crate::suite::Suite;
use crate::tests::Tests;

/// Why there is no suite up to renaming.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SymmetryError {
    /// The graph has no such model value.
    #[error("the graph has no model value `{name}`; it has {known}")]
    UnknownModel {
        /// The name.
        name: String,
        /// The model values of the graph.
        known: String,
    },
    /// Exchanging the model values leads out of the graph.
    #[error("{} are not interchangeable in this graph: {what}", .names.join(", "))]
    NotSymmetric {
        /// The model values.
        names: Vec<String>,
        /// What is missing in the graph.
        what: String,
    },
    /// There is nothing to exchange.
    #[error("no model values are interchangeable in this graph; without symmetry the suite is the plain one")]
    None,
    /// The group of exchanges is too large.
    #[error(
        "the model values can be exchanged in more than {} ways; name fewer of them",
        crate::group::ORDER_MAX
    )]
    TooMany,
    /// The goal is wrong, or cannot be reached.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// The graph's values cannot be restored.
    #[error("{0}")]
    Values(String),
}

impl From<RestoreError> for SymmetryError {
    fn from(error: RestoreError) -> Self {
        SymmetryError::Values(error.to_string())
    }
}

/// What an edge does: its action, arguments, ways through the action, and successor.
type EdgeKey = (ActionId, Vec<Value>, WaysId, Vec<Value>);

/// A graph whose states and edges can be renamed.
pub struct Renaming<'g> {
    graph: &'g StateGraph,
    values: Restored,
    store: &'g Store,
    caches: Vec<PermuteCache>,
    /// States by their values.
    states: FxHashMap<Vec<Value>, u32>,
}

/// The classes of a graph's states.
struct Classes {
    /// The state that represents each state's class.
    of: Vec<u32>,
    /// For each state, the exchange that turns the representing state into it.
    exchanges: Vec<u32>,
}

/// Makes the suite that covers every edge up to renaming. Also returns the sets of model values that are renamed. These
/// are the given sets, or if none are given, all sets of interchangeable values.
pub fn cover_up_to_renaming(
    graph: &StateGraph,
    sets: &[Vec<String>],
    goal: &Goal,
) -> Result<(Suite, Vec<Vec<String>>), SymmetryError> {
    let store = Store::new();
    let mut renaming = Renaming::new(graph, &store)?;
    let is_reduced = !graph.exchanges().is_empty();
    let sets = renaming.known_sets(sets, is_reduced)?;
    let group = renaming.group(&sets, is_reduced)?;
    renaming.caches = vec![PermuteCache::default(); group.order()];
    let names: Vec<String> = sets.iter().flatten().cloned().collect();
    let not_symmetric = |what: String| SymmetryError::NotSymmetric { names: names.clone(), what };
    let classes = if is_reduced {
        renaming.single_classes()
    } else {
        renaming.classes(&group).map_err(not_symmetric)?
    };
    let arcs = renaming.class_arcs(&group, &classes).map_err(not_symmetric)?;
    let mut initial: Vec<u32> = graph.initial().map(|state| classes.of[state.0 as usize]).collect();
    initial.sort_unstable();
    initial.dedup();
    let net = Net::from_arcs(graph.n_states(), initial, arcs.into_iter());
    let suite = cover_net(graph, net, goal)?;
    let suite = if is_reduced { suite } else { renaming.lift(&group, &classes, &suite) };
    Ok((suite, sets))
}

impl<'g> Renaming<'g> {
    fn new(graph: &'g StateGraph, store: &'g Store) -> Result<Self, SymmetryError> {
        let values = graph.values().restore(store)?;
        let states =
            graph.states().map(|state| (graph.state(state).map(|value| values[value]).collect(), state.0));
        Ok(Renaming { states: states.collect(), graph, values, store, caches: Vec::new() })
    }

    fn known_sets(&self, sets: &[Vec<String>], is_reduced: bool) -> Result<Vec<Vec<String>>, SymmetryError> {
        let known = self.graph.values().model_names();
        for name in sets.iter().flatten() {
            if !known.contains(&name.as_str()) {
                return Err(SymmetryError::UnknownModel { name: name.clone(), known: known.join(", ") });
            }
        }
        if !sets.is_empty() {
            return Ok(sets.to_vec());
        }
        if is_reduced {
            let mut moved: Vec<String> =
                self.graph.exchanges().iter().flatten().map(|(from, _)| from.clone()).collect();
            moved.sort_unstable();
            moved.dedup();
            return Ok(vec![moved]);
        }
        let found = self.interchangeable(&known);
        if found.is_empty() { Err(SymmetryError::None) } else { Ok(found) }
    }

    /// The sets of model values in which any two values can be exchanged.
    fn interchangeable(&self, names: &[&str]) -> Vec<Vec<String>> {
        let mut sets: Vec<Vec<&str>> = Vec::new();
        for name in names {
            let fits = |set: &Vec<&str>| self.can_exchange(set[0], name);
            match sets.iter().position(fits) {
                Some(index) => sets[index].push(name),
                None => sets.push(vec![name]),
            }
        }
        sets.retain(|set| set.len() > 1);
        sets.into_iter().map(|set| set.into_iter().map(str::to_owned).collect()).collect()
    }

    fn can_exchange(&self, a: &str, b: &str) -> bool {
        let (a, b) = (self.store.model_value(a), self.store.model_value(b));
        let swap = Permutation::new([(a, b), (b, a)]);
        let mut cache = PermuteCache::default();
        let image_of = |row: &mut Vec<Value>, cache: &mut PermuteCache| {
            for value in row {
                *value = self.store.permute(*value, &swap, cache);
            }
        };
        let is_initial = |state: u32| self.graph.initial().any(|other| other.0 == state);
        for state in self.graph.initial() {
            let mut row = self.row(state);
            image_of(&mut row, &mut cache);
            if !self.states.get(&row).is_some_and(|state| is_initial(*state)) {
                return false;
            }
        }
        for state in self.graph.states() {
            let mut row = self.row(state);
            image_of(&mut row, &mut cache);
            let Some(image) = self.states.get(&row) else { return false };
            let images = self.edge_keys(StateId(*image));
            for (mut key, _) in self.edge_list(state) {
                image_of(&mut key.1, &mut cache);
                image_of(&mut key.3, &mut cache);
                if !images.contains_key(&key) {
                    return false;
                }
            }
        }
        true
    }

    fn group(&self, sets: &[Vec<String>], is_reduced: bool) -> Result<Group, SymmetryError> {
        let model = |name: &String| self.store.model_value(name);
        let mut generators: Vec<Permutation> = Vec::new();
        if is_reduced {
            let exchanges = self.graph.exchanges().iter();
            generators.extend(
                exchanges.map(|pairs| Permutation::new(pairs.iter().map(|(a, b)| (model(a), model(b))))),
            );
        } else {
            for pair in sets.iter().flat_map(|set| set.windows(2)) {
                let (a, b) = (model(&pair[0]), model(&pair[1]));
                generators.push(Permutation::new([(a, b), (b, a)]));
            }
        }
        Group::new(&generators).ok_or(SymmetryError::TooMany)
    }

    fn row(&self, state: StateId) -> Vec<Value> {
        self.graph.state(state).map(|value| self.values[value]).collect()
    }

    fn image(&mut self, row: &[Value], group: &Group, exchange: u32) -> Vec<Value> {
        let cache = &mut self.caches[exchange as usize];
        row.iter().map(|value| self.store.permute(*value, group.get(exchange), cache)).collect()
    }

    /// Makes each state a class of its own.
    fn single_classes(&self) -> Classes {
        let n = self.graph.n_states();
        Classes { of: (0..n as u32).collect(), exchanges: vec![0; n] }
    }

    /// Sorts states into classes. The state with the smallest number represents a class.
    fn classes(&mut self, group: &Group) -> Result<Classes, String> {
        let n = self.graph.n_states();
        let mut classes = Classes { of: vec![NONE; n], exchanges: vec![0; n] };
        for state in self.graph.states() {
            if classes.of[state.0 as usize] != NONE {
                continue;
            }
            let row = self.row(state);
            for exchange in 0..group.order() as u32 {
                let image = self.image(&row, group, exchange);
                let Some(other) = self.states.get(&image) else {
                    return Err(format!("a state that state {} becomes is missing", state.0));
                };
                if classes.of[*other as usize] == NONE {
                    classes.of[*other as usize] = state.0;
                    classes.exchanges[*other as usize] = exchange;
                }
            }
        }
        Ok(classes)
    }

    /// A state's edges, each with what it does.
    fn edge_list(&self, state: StateId) -> Vec<(EdgeKey, EdgeId)> {
        self.graph.outgoing(state).map(|edge| (self.edge_key(edge), edge)).collect()
    }

    fn edge_keys(&self, state: StateId) -> FxHashMap<EdgeKey, EdgeId> {
        self.edge_list(state).into_iter().collect()
    }

    fn edge_key(&self, edge: EdgeId) -> EdgeKey {
        let label = self.graph.label(self.graph.label_id(edge));
        let args = self.graph.args(label).map(|arg| self.values[arg]).collect();
        let mut successor = self.row(self.graph.target(edge));
        if let Some(pairs) = self.graph.exchanges().get(self.graph.exchange(edge) as usize) {
            let model = |name: &String| self.store.model_value(name);
            let exchange = Permutation::new(pairs.iter().map(|(a, b)| (model(a), model(b))));
            let mut cache = PermuteCache::default();
            for value in &mut successor {
                *value = self.store.permute(*value, &exchange, &mut cache);
            }
        }
        (label.action(), args, label.ways(), successor)
    }

    /// One arc for each class of edges, from a class of states to another.
    fn class_arcs(&mut self, group: &Group, classes: &Classes) -> Result<Vec<(u32, u32, u32)>, String> {
        let mut arcs = Vec::new();
        for state in self.graph.states().filter(|state| classes.of[state.0 as usize] == state.0) {
            let row = self.row(state);
            let keepers: Vec<u32> = (0..group.order() as u32)
                .filter(|exchange| self.image(&row, group, *exchange) == row)
                .collect();
            let keys = self.edge_keys(state);
            for (key, edge) in self.edge_list(state) {
                let mut is_first = true;
                for exchange in &keepers {
                    let args = self.image(&key.1, group, *exchange);
                    let successor = self.image(&key.3, group, *exchange);
                    let Some(other) = keys.get(&(key.0, args, key.2, successor)) else {
                        return Err(format!("an edge that edge {} becomes is missing", edge.0));
                    };
                    is_first &= *other >= edge;
                }
                if is_first {
                    arcs.push((state.0, classes.of[self.graph.target(edge).0 as usize], edge.0));
                }
            }
        }
        Ok(arcs)
    }

    /// Turns walks from class to class into tests from state to state. The exchanges add up along a test.
    fn lift(&mut self, group: &Group, classes: &Classes, suite: &Suite) -> Suite {
        let mut lifted = Tests::default();
        let mut edges = Vec::new();
        for test in 0..suite.n_tests() as usize {
            let class = suite.read(test, &mut edges);
            // If one state of a class is initial, all of them are.
            let (mut at, mut exchange) = (class, 0);
            for edge in &edges {
                let key = self.edge_key(*edge);
                let args = self.image(&key.1, group, exchange);
                let successor = self.image(&key.3, group, exchange);
                let keys = self.edge_keys(at);
                let step = *keys
                    .get(&(key.0, args, key.2, successor))
                    .expect("a symmetric graph has every image of an edge");
                lifted.extend(step.0);
                let target = self.graph.target(*edge);
                exchange = group.product(classes.exchanges[target.0 as usize], exchange);
                at = self.graph.target(step);
            }
            lifted.close(class.0);
        }
        Suite::from_edges(lifted, suite)
    }
}
