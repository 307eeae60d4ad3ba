//! Reconstructs the behavior from an initial state to a given one.
//!
//! Only the parent of each state is kept. The steps are found again by computing successors, which also gives the
//! actions. With SYMMETRY or VIEW a stored state may stand for others, so the behavior is followed from its start.

use kilter_base::Name;
use kilter_eval::{Label, Program, Successors, Worker};
use kilter_value::{Store, Value, View};

use crate::chunk::Event;
use crate::expand::Model;
use crate::outcome::{Step, Trace};
use crate::space::Space;

/// The behavior that leads to an event. The state at fault comes last.
pub(crate) fn to_event(model: &Model<'_>, space: &Space, worker: &mut Worker<'_>, event: &Event) -> Trace {
    let mut rows = event.source.map_or_else(Vec::new, |source| space.way_to(source));
    rows.extend(event.successor.clone());
    along(model, worker, &rows)
}

/// The behavior through given states.
pub(crate) fn along(model: &Model<'_>, worker: &mut Worker<'_>, rows: &[Vec<Value>]) -> Trace {
    worker.set_recording(true);
    let mut steps = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        let action =
            if i == 0 { None } else { label_of(model.program, model.store, worker, &rows[i - 1], row) };
        steps.push(Step { action, state: row.clone(), alias: None });
    }
    add_aliases(model.program, worker, &mut steps);
    Trace { steps }
}

/// The action and arguments of a step from `from` to `to`. `None` if there is no such step, or it belongs to no action.
pub(crate) fn label_of(
    program: &Program,
    store: &Store,
    worker: &mut Worker<'_>,
    from: &[Value],
    to: &[Value],
) -> Option<(Name, Vec<(Name, Value)>)> {
    let mut successors = Successors::default();
    // An error after the wanted successor does not matter here.
    let _ = worker.successors(from, &mut successors);
    let label = successors.iter(from.len()).find(|(row, _)| *row == to).map(|(_, label)| *label);
    label.and_then(|label| describe(program, store, &label))
}

/// The name of a label's action, and its arguments by name.
pub(crate) fn describe(
    program: &Program,
    store: &Store,
    label: &Label,
) -> Option<(Name, Vec<(Name, Value)>)> {
    let action = &program.actions[label.action?];
    let args = match store.view(label.args) {
        View::Tuple(values) => action.args.iter().map(|(name, _)| name.clone()).zip(values.iter()).collect(),
        _ => Vec::new(),
    };
    Some((action.name.clone(), args))
}

/// Evaluates ALIAS in each state. For the last state, the next state is the state itself.
fn add_aliases(program: &Program, worker: &mut Worker<'_>, steps: &mut [Step]) {
    let Some(alias) = &program.alias else { return };
    for i in 0..steps.len() {
        let next = steps.get(i + 1).unwrap_or(&steps[i]).state.clone();
        worker.trace = steps[..i].iter().map(|step| step.state.clone()).collect();
        steps[i].alias = worker.value(alias, &steps[i].state, Some(&next)).ok();
    }
    worker.trace.clear();
}
