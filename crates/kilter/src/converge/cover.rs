//! Few schedules that cover a model: each of its transitions up to symmetry, or each pair of actions that can follow
//! each other. The crate `suite` has the algorithms.

use std::sync::Arc;

use kilter_base::Id as _;
use kilter_converge::step::Step;
use kilter_graph::intake::Intake;
use kilter_graph::{Builder, StateGraph, StateId as Node, ValueId};
use kilter_suite::{Cover, Goal, cover};
use kilter_value::Store;
use rustc_hash::FxHashMap;

use super::model::{INITIAL, Model, StateId};
use crate::error::{Context as _, Tried};

/// The part of a model that its symmetry leaves, as a graph.
struct Part {
    graph: StateGraph,
    /// The step of each label, by the label's only argument.
    steps: FxHashMap<ValueId, Arc<Step>>,
    /// Whether a schedule may end in each state.
    ends: Vec<bool>,
}

/// Makes schedules that cover a model. Each ends where the model is done.
pub(super) fn choose(model: &mut Model, what: Cover) -> Tried<Vec<Vec<Arc<Step>>>> {
    let Part { graph, steps, ends } = part(model)?;
    let goal = Goal { cover: what, end_states: Some(ends), ..Goal::default() };
    let suite = cover(&graph, &goal).context("schedules that cover the model")?;
    let mut edges = Vec::new();
    let mut chosen = Vec::new();
    for test in 0..suite.n_tests() as usize {
        suite.read(test, &mut edges);
        let step = |edge: &_| {
            graph.args(graph.label(graph.label_id(*edge))).next().map(|id| Arc::clone(&steps[&id]))
        };
        chosen.push(edges.iter().filter_map(step).collect());
    }
    Ok(chosen)
}

fn part(model: &mut Model) -> Tried<Part> {
    let store = Store::new();
    let mut intake = Intake::new(&store);
    let mut builder = Builder::new("a model", Vec::new());
    let (mut steps, mut ends) = (FxHashMap::default(), Vec::new());
    let mut nodes: FxHashMap<StateId, Node> = FxHashMap::default();
    let first = builder.state([].into_iter());
    nodes.insert(INITIAL, first);
    builder.initial(first);
    let mut waiting = vec![INITIAL];
    while let Some(state) = waiting.pop() {
        let node = nodes[&state];
        let is_done = model.is_done(state)?;
        ends.resize(ends.len().max(node.index() + 1), false);
        ends[node.index()] = is_done;
        let edges = if is_done { Vec::new() } else { model.edges(state)?.to_vec() };
        for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.is_first) {
            let target = *nodes.entry(edge.target).or_insert_with(|| {
                waiting.push(edge.target);
                builder.state([].into_iter())
            });
            let number = intake.add(store.int(steps.len() as i32));
            steps.insert(number, model.step(state, index)?);
            let action = builder.action(model.action(edge), vec!["step".to_owned()]);
            let label = builder.label(action, [number].into_iter(), [].into_iter());
            builder.edge(node, target, label);
        }
    }
    Ok(Part { graph: builder.finish(intake.finish()), steps, ends })
}
