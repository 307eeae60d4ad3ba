//! The numbers that `kilter graph info` prints.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::file::fingerprint;
use crate::graph::StateGraph;
use crate::walk;

/// A graph in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// What it was made from.
    pub origin: String,
    /// Whether the graph has all successors of all states.
    pub complete: bool,
    /// The variables' names.
    pub variables: Vec<String>,
    /// The number of distinct states.
    pub states: usize,
    /// The number of distinct edges: source, action, arguments, target.
    pub edges: usize,
    /// The number of ways through actions, summed over all edges.
    pub ways: usize,
    /// The number of edges with several ways.
    pub several_ways: usize,
    /// The number of initial states.
    pub initial: usize,
    /// The number of states on the longest of the shortest paths from an initial state, which is TLC's depth.
    pub depth: u32,
    /// The number of states that can't be reached from an initial state.
    pub unreachable: usize,
    /// The number of states without outgoing edges.
    pub sinks: usize,
    /// The number of edges from a state to itself.
    pub self_loops: usize,
    /// The number of strongly connected components.
    pub components: usize,
    /// The number of states of the largest component.
    pub largest_component: usize,
    /// The number of different labels: action, arguments and ways.
    pub labels: usize,
    /// The number of different values.
    pub values: usize,
    /// The number of edges of each action, by name. Actions without edges are included.
    pub actions: BTreeMap<String, usize>,
    /// A fingerprint of the graph's content.
    pub fingerprint: String,
}

/// Counts everything in a graph.
pub fn summarize(graph: &StateGraph) -> Summary {
    let levels = walk::levels(graph);
    let components = walk::components(graph);
    Summary {
        origin: graph.origin().to_owned(),
        complete: graph.is_complete(),
        variables: graph.variables().to_vec(),
        states: graph.n_states(),
        edges: graph.n_edges(),
        ways: graph.edges().map(|edge| graph.ways_of(edge).len()).sum(),
        several_ways: graph.edges().filter(|edge| graph.ways_of(*edge).len() > 1).count(),
        initial: graph.initial().len(),
        depth: levels.depth(),
        unreachable: graph.n_states() - levels.n_reached(),
        sinks: graph.states().filter(|state| graph.outgoing(*state).len() == 0).count(),
        self_loops: graph.edges().filter(|edge| graph.source(*edge) == graph.target(*edge)).count(),
        components: components.n as usize,
        largest_component: components.sizes().into_iter().max().unwrap_or(0) as usize,
        labels: graph.n_labels(),
        values: graph.values().len(),
        actions: count_actions(graph),
        fingerprint: format!("{:016x}", fingerprint(graph)),
    }
}

fn count_actions(graph: &StateGraph) -> BTreeMap<String, usize> {
    let mut by_id = vec![0; graph.actions().len()];
    for edge in graph.edges() {
        by_id[graph.label(graph.label_id(edge)).action().0 as usize] += 1;
    }
    let mut by_name = BTreeMap::new();
    for (action, n_edges) in graph.actions().iter().zip(by_id) {
        *by_name.entry(action.name.clone()).or_default() += n_edges;
    }
    by_name
}
