//! Turns discoveries into findings for the record of a run.

use std::collections::BTreeMap;

use kilter_base::Id;
use kilter_graph::{EdgeId, StateGraph, StateId};
use kilter_run::{Event, Finding, Step};
use kilter_value::Store;

use crate::cases::{Case, id_to_repeat};
use crate::discovery::Discovery;
use crate::plan::Plan;
use crate::traffic::Traffic;

/// What was found out about a discovery afterwards.
#[derive(Clone, Debug, Default)]
pub struct FollowUp {
    /// Whether a second run of the case gave the same. `None` if there was none.
    pub stable: Option<bool>,
    /// A shorter case that gives the same, and what it gives.
    pub shortest: Option<(Case, Discovery)>,
}

/// Makes a finding for the record.
pub fn finding(
    plan: &Plan<'_>,
    store: &Store,
    case: &Case,
    discovery: &Discovery,
    follow_up: &FollowUp,
    repeat: &dyn Fn(&str) -> String,
) -> Finding {
    let shortest = follow_up.shortest.as_ref().map(|(case, _)| case.id.clone());
    // The shortest case is shown, because it is the easiest to understand and to repeat.
    let (shown_case, shown) =
        follow_up.shortest.as_ref().map_or((case, discovery), |(case, shown)| (case, shown));
    let mut hints = shown.hints.clone();
    if follow_up.stable == Some(false) {
        hints.push(
            "implementation: a second run of the case did not give the same; something is not under control"
                .to_owned(),
        );
    }
    Finding {
        kind: discovery.kind,
        case: case.id.clone(),
        step: discovery.step,
        edge: discovery.edge.map(|edge| edge.index() as u32),
        action: discovery.action.clone(),
        variables: discovery.variables.clone(),
        summary: shown.summary(plan, store),
        differences: shown.differences.clone(),
        offers: shown.offers.clone(),
        details: Vec::new(),
        initial: state(plan, store, shown_case.start),
        path: path(plan, store, shown_case, shown),
        given: None,
        stable: follow_up.stable,
        repeat: repeat(&shortest.clone().unwrap_or_else(|| id_to_repeat(case, discovery.step))),
        shortest,
        stands_for: None,
        group: discovery.group(),
        hints,
        logs: None,
        more: serde_json::Map::new(),
    }
}

/// All variables of a state, as text.
fn state(plan: &Plan<'_>, store: &Store, state: StateId) -> Vec<(String, String)> {
    let names = plan.graph.variables().iter().enumerate();
    names.map(|(index, name)| (name.clone(), store.show(plan.value(state, index)))).collect()
}

/// The steps of a case up to the one that failed: what happened to messages in them, and otherwise what the
/// specification says.
fn path(plan: &Plan<'_>, store: &Store, case: &Case, shown: &Discovery) -> Vec<Step> {
    let edges = &case.edges[..shown.step as usize];
    let mut traffic = shown.traffic.iter().cloned();
    let mut before = case.start;
    let mut steps = Vec::with_capacity(edges.len());
    for edge in edges {
        let Traffic { messages, expected } = traffic.next().unwrap_or_default();
        let after = plan.graph.target(*edge);
        let (step, rule) = (plan.step(*edge), plan.rule(*edge));
        let args = rule.params.iter().zip(&step.args);
        steps.push(Step {
            action: rule.action.clone(),
            args: args.map(|(name, value)| (name.clone(), store.show(*value))).collect(),
            node: step.node.map(|node| plan.node_name(node).to_owned()),
            messages,
            expected,
            changes: changes(plan, store, before, after),
        });
        before = after;
    }
    steps
}

fn changes(plan: &Plan<'_>, store: &Store, before: StateId, after: StateId) -> Vec<(String, String)> {
    let names = plan.graph.variables().iter().enumerate();
    let changed = names.filter(|(index, _)| plan.value(before, *index) != plan.value(after, *index));
    changed.map(|(index, name)| (name.clone(), store.show(plan.value(after, index)))).collect()
}

/// The numbers of edges, for the record.
pub fn edge_numbers(edges: &[EdgeId]) -> Vec<u32> {
    edges.iter().map(|edge| edge.index() as u32).collect()
}

/// The number of edges of each action of a graph.
pub fn edges_by_action(graph: &StateGraph) -> BTreeMap<String, u64> {
    let mut edges: BTreeMap<String, u64> = BTreeMap::new();
    for action in graph.actions() {
        edges.entry(action.name.clone()).or_default();
    }
    for edge in graph.edges() {
        *edges.entry(graph.action_of(edge).name.clone()).or_default() += 1;
    }
    edges
}

/// The event that says which action each edge of a graph has.
pub fn actions_of_edges(graph: &StateGraph) -> Event {
    let mut names: Vec<String> = graph.actions().iter().map(|action| action.name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    let place = |edge| names.binary_search(&graph.action_of(edge).name).unwrap_or(0) as u32;
    Event::Actions { of_edges: graph.edges().map(place).collect(), names }
}
