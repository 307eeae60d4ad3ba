//! Turns discoveries into findings for the record of a run.

use kilter_base::Id;
use kilter_graph::{EdgeId, StateId};
use kilter_run::{Carried, Finding, Step};
use kilter_value::{Store, Value};

use crate::cases::{Case, id_to_repeat};
use crate::discovery::Discovery;
use crate::plan::Plan;
use kilter_mapping::mapping::{Compared, Deed};
use kilter_system::Fault;

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
        path: path(plan, store, shown_case.start, &shown_case.edges[..shown.step as usize]),
        given: None,
        stable: follow_up.stable,
        repeat: repeat(&shortest.clone().unwrap_or_else(|| id_to_repeat(case, discovery.step))),
        shortest,
        stands_for: None,
        group: discovery.group(),
        hints,
        more: serde_json::Map::new(),
    }
}

/// All variables of a state, as text.
fn state(plan: &Plan<'_>, store: &Store, state: StateId) -> Vec<(String, String)> {
    let names = plan.graph.variables().iter().enumerate();
    names.map(|(index, name)| (name.clone(), store.show(plan.value(state, index)))).collect()
}

/// The steps of a path, with what the specification says about them.
pub fn path(plan: &Plan<'_>, store: &Store, start: StateId, edges: &[EdgeId]) -> Vec<Step> {
    let mut before = start;
    let mut steps = Vec::with_capacity(edges.len());
    for edge in edges {
        let after = plan.graph.target(*edge);
        let (step, rule) = (plan.step(*edge), plan.rule(*edge));
        let args = rule.params.iter().zip(&step.args);
        steps.push(Step {
            action: rule.action.clone(),
            args: args.map(|(name, value)| (name.clone(), store.show(*value))).collect(),
            node: step.node.map(|node| plan.node_name(node).to_owned()),
            messages: messages(plan, store, *edge, before, after),
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

/// What happened to messages in a step: to its own, and to those that are new in the variables for messages.
fn messages(plan: &Plan<'_>, store: &Store, edge: EdgeId, before: StateId, after: StateId) -> Vec<Carried> {
    let (step, rule) = (plan.step(edge), plan.rule(edge));
    let to = |message: Value, known: Option<usize>| {
        let node = known.or_else(|| plan.reader(message));
        node.map_or_else(|| "?".to_owned(), |node| plan.node_name(node).to_owned())
    };
    let mut carried = Vec::new();
    if let Some(message) = step.message {
        let fate = match rule.deed {
            Deed::Fault(Fault::Drop) => "dropped",
            Deed::Fault(Fault::Duplicate) => "duplicated",
            _ => "taken",
        };
        let text = store.show(message);
        carried.push(Carried { fate: fate.to_owned(), from: None, to: to(message, step.node), text });
    }
    if matches!(rule.deed, Deed::Fault(_)) {
        return carried;
    }
    let from = step.node.map(|node| plan.node_name(node).to_owned());
    for (index, variable) in plan.mapping.variables.iter().enumerate() {
        if !matches!(variable.kind, Compared::Messages(_)) {
            continue;
        }
        let (old, new) = (plan.value(before, index), plan.value(after, index));
        for (message, n) in contents(new, store) {
            let had =
                contents(old, store).into_iter().find(|(other, _)| *other == message).map_or(0, |(_, n)| n);
            for _ in had..n {
                let text = store.show(message);
                carried.push(Carried {
                    fate: "sent".to_owned(),
                    from: from.clone(),
                    to: to(message, None),
                    text,
                });
            }
        }
    }
    carried
}

/// The elements of a set or a bag, with the number of their copies.
fn contents(value: Value, store: &Store) -> Vec<(Value, i32)> {
    if let Some(items) = store.items(value) {
        return items.iter().map(|item| (item, 1)).collect();
    }
    let parts = store.domain(value).and_then(|domain| store.items(domain)).zip(store.range_elems(value));
    let Some((args, counts)) = parts else { return Vec::new() };
    args.iter().zip(counts).map(|(arg, count)| (arg, store.as_int(count).unwrap_or(1))).collect()
}

/// The numbers of edges, for the record.
pub fn edge_numbers(edges: &[EdgeId]) -> Vec<u32> {
    edges.iter().map(|edge| edge.index() as u32).collect()
}
