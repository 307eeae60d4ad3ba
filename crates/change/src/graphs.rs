//! Finds the states and steps of a new graph that the old graph has, too.
//!
//! Two states are the same if all variables that both graphs have are equal. Two steps are the same if their actions,
//! their arguments and the states before and after are. Numbers of values differ from graph to graph, so values are
//! compared in one store.

use kilter_base::Id;
use kilter_graph::{EdgeId, LabelId, RestoreError, StateGraph, StateId};
use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;

/// How a new graph compares with an old one.
#[derive(Clone, Debug)]
pub struct GraphChange {
    /// Variables that only the new graph has.
    pub added_variables: Vec<String>,
    /// Variables that only the old graph has.
    pub deleted_variables: Vec<String>,
    /// For each new edge, an old one that is the same.
    pub old_edge: Vec<Option<EdgeId>>,
    /// For each old edge, the first old one that is the same.
    pub old_first: Vec<EdgeId>,
    /// For each new state, whether the old graph does not have it.
    pub is_new_state: Vec<bool>,
    /// Old edges that are gone, each with a new state from which it should lead and does not.
    pub lost: Vec<(EdgeId, StateId)>,
    /// Initial states that were not initial before. If the new graph has added variables, all initial states.
    pub new_initial: Vec<StateId>,
    /// Whether some initial state was not initial before, judged by the variables that both graphs have.
    pub is_initial_new: bool,
    /// The shared number of each old state.
    old_states: Vec<u32>,
    /// The new states with each shared number.
    new_states: Vec<Vec<StateId>>,
}

impl GraphChange {
    /// Whether the old graph does not have an edge of the new one.
    pub fn is_new_edge(&self, edge: EdgeId) -> bool {
        self.old_edge[edge.index()].is_none()
    }

    /// The new states that are the same as an old state.
    pub fn new_states(&self, old: StateId) -> &[StateId] {
        &self.new_states[self.old_states[old.index()] as usize]
    }
}

/// A step in shared numbers: the state before, the label, the state after.
type StepKey = (u32, u32, u32);

/// An action, its arguments, and the exchange of names that the step makes.
type LabelKey = (String, Vec<Value>, Vec<(String, String)>);

/// Numbers for states and labels that mean the same in both graphs.
#[derive(Default)]
struct Shared {
    states: FxHashMap<Box<[Value]>, u32>,
    labels: FxHashMap<LabelKey, u32>,
}

/// The states and edges of a graph in shared numbers.
struct Numbered {
    states: Vec<u32>,
    edges: Vec<StepKey>,
}

/// Compares two graphs.
pub fn compare(old: &StateGraph, new: &StateGraph) -> Result<GraphChange, RestoreError> {
    let store = Store::new();
    let common: Vec<&String> = new.variables().iter().filter(|name| old.variables().contains(name)).collect();
    let mut shared = Shared::default();
    let before = number(old, &common, &store, &mut shared)?;
    let after = number(new, &common, &store, &mut shared)?;
    let mut known: FxHashMap<StepKey, EdgeId> = FxHashMap::default();
    for edge in old.edges() {
        known.entry(before.edges[edge.index()]).or_insert(edge);
    }
    let old_first = old.edges().map(|edge| known[&before.edges[edge.index()]]).collect();
    let old_edge = after.edges.iter().map(|key| known.get(key).copied()).collect();
    let (mut is_old_state, mut is_old_initial) =
        (vec![false; shared.states.len()], vec![false; shared.states.len()]);
    before.states.iter().for_each(|state| is_old_state[*state as usize] = true);
    old.initial().for_each(|state| is_old_initial[before.states[state.index()] as usize] = true);
    let mut new_states = vec![Vec::new(); shared.states.len()];
    new.states().for_each(|state| new_states[after.states[state.index()] as usize].push(state));
    let added_variables = names_missing(new.variables(), old.variables());
    let was_initial = |state: &StateId| is_old_initial[after.states[state.index()] as usize];
    Ok(GraphChange {
        deleted_variables: names_missing(old.variables(), new.variables()),
        old_edge,
        old_first,
        is_new_state: after.states.iter().map(|state| !is_old_state[*state as usize]).collect(),
        lost: lost(old, new, &before, &after, &new_states),
        is_initial_new: !new.initial().all(|state| was_initial(&state)),
        // Nobody has compared the initial values of added variables.
        new_initial: new
            .initial()
            .filter(|state| !added_variables.is_empty() || !was_initial(state))
            .collect(),
        added_variables,
        old_states: before.states,
        new_states,
    })
}

fn names_missing(of: &[String], there: &[String]) -> Vec<String> {
    of.iter().filter(|name| !there.contains(name)).cloned().collect()
}

fn number(
    graph: &StateGraph,
    common: &[&String],
    store: &Store,
    shared: &mut Shared,
) -> Result<Numbered, RestoreError> {
    let values = graph.values().restore(store)?;
    let columns: Vec<usize> = common
        .iter()
        .filter_map(|name| graph.variables().iter().position(|variable| variable == *name))
        .collect();
    let mut states = Vec::with_capacity(graph.n_states());
    for state in graph.states() {
        let row: Box<[Value]> = columns.iter().map(|column| values[graph.value(state, *column)]).collect();
        let next = shared.states.len() as u32;
        states.push(*shared.states.entry(row).or_insert(next));
    }
    let mut label_keys: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut label_key = |edge: EdgeId| {
        let (label, exchange) = (graph.label_id(edge), graph.exchange(edge));
        *label_keys.entry((label.0, exchange)).or_insert_with(|| {
            let key = describe(graph, label, exchange, &values);
            let next = shared.labels.len() as u32;
            *shared.labels.entry(key).or_insert(next)
        })
    };
    let edges = graph
        .edges()
        .map(|edge| {
            let (source, target) = (graph.source(edge).index(), graph.target(edge).index());
            (states[source], label_key(edge), states[target])
        })
        .collect();
    Ok(Numbered { states, edges })
}

fn describe(
    graph: &StateGraph,
    label: LabelId,
    exchange: u32,
    values: &kilter_graph::values::Restored,
) -> LabelKey {
    let label = graph.label(label);
    let args = graph.args(label).map(|arg| values[arg]).collect();
    let exchange = graph.exchanges().get(exchange as usize).cloned().unwrap_or_default();
    (graph.action(label.action()).name.clone(), args, exchange)
}

/// Old edges that are gone, each with a new state from which it should lead and does not.
fn lost(
    old: &StateGraph,
    new: &StateGraph,
    before: &Numbered,
    after: &Numbered,
    new_states: &[Vec<StateId>],
) -> Vec<(EdgeId, StateId)> {
    let mut steps: Vec<(u32, StepKey)> = Vec::with_capacity(after.edges.len());
    steps.extend(new.edges().map(|edge| (new.source(edge).0, after.edges[edge.index()])));
    steps.sort_unstable();
    let mut lost = Vec::new();
    for edge in old.edges() {
        let key = before.edges[edge.index()];
        for state in &new_states[key.0 as usize] {
            if steps.binary_search(&(state.0, key)).is_err() {
                lost.push((edge, *state));
            }
        }
    }
    lost
}
