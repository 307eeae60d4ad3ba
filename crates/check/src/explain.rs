//! Explains a violation: why a formula is false in the last state of a trace, and why an action is not enabled in one of
//! its states. This happens once, after the search.

use kilter_base::Name;
use kilter_base::memory::{self, DEEP_STACK_BYTES};
use kilter_eval::reason::{Obstacle, Reason};
use kilter_eval::{EvalError, Program, Successors, Worker};
use kilter_value::{Store, Value};

use crate::outcome::{Trace, Verdict};
use crate::trace::describe;

/// Why the violated formula is false. Empty where that would say nothing, as for a deadlock.
pub fn explain(program: &Program, store: &Store, verdict: &Verdict) -> Vec<Reason> {
    let properties = &program.properties;
    let none = Trace::default();
    let (name, trace) = match verdict {
        Verdict::Invariant { name, trace } | Verdict::Property { name, trace } => (name, trace),
        Verdict::Assumption { name } => (name, &none),
        _ => return Vec::new(),
    };
    let states: Vec<&[Value]> = trace.steps.iter().map(|step| step.state.as_slice()).collect();
    let mut predicates = match verdict {
        Verdict::Invariant { .. } => vec![&program.invariants, &properties.invariants],
        Verdict::Property { .. } if states.len() > 1 => vec![&properties.steps],
        Verdict::Property { .. } => vec![&properties.initial],
        _ => vec![&program.assumptions],
    }
    .into_iter()
    .flatten()
    .filter(|predicate| predicate.name == *name);
    // A property of steps is about the last step, all others are about the last state.
    let (now, next) = match (verdict, states.as_slice()) {
        (Verdict::Property { .. }, [.., before, last]) => (*before, Some(*last)),
        (_, [.., last]) => (*last, None),
        (_, []) => (&[] as &[Value], None),
    };
    with_worker(
        program,
        store,
        trace,
        states.len().saturating_sub(1 + usize::from(next.is_some())),
        |worker| {
            let first = predicates.find(|predicate| matches!(worker.holds(predicate, now, next), Ok(false)));
            first.map(|predicate| worker.reasons(predicate, now, next)).unwrap_or_default()
        },
    )
}

/// Why an action is not enabled, or its steps if it is.
#[derive(Debug)]
pub struct WhyNot {
    /// The arguments of each of its steps.
    pub steps: Vec<Vec<(Name, Value)>>,
    /// What is in the way of others.
    pub obstacles: Vec<Obstacle>,
}

/// Looks for steps of the actions named `action` in a state of a trace, and for what is in their way.
pub fn why_not(
    program: &Program,
    store: &Store,
    trace: &Trace,
    index: usize,
    action: &Name,
) -> Result<WhyNot, EvalError> {
    with_worker(program, store, trace, index, |worker| {
        let mut successors = Successors::default();
        let state = &trace.steps[index].state;
        let obstacles = worker.obstacles(action, state, &mut successors)?;
        let labels = successors.iter(state.len()).filter_map(|(_, label)| describe(program, store, label));
        let mut steps: Vec<_> = labels.filter(|(name, _)| name == action).map(|(_, args)| args).collect();
        steps.dedup();
        Ok(WhyNot { steps, obstacles })
    })
}

/// Calls `evaluate` with a worker that is in a state of a trace.
fn with_worker<T: Send>(
    program: &Program,
    store: &Store,
    trace: &Trace,
    index: usize,
    evaluate: impl FnOnce(&mut Worker<'_>) -> T + Send,
) -> T {
    memory::with_stack(DEEP_STACK_BYTES, |stack| {
        let mut worker = Worker::new(program, store, stack);
        worker.info.level = index as u32 + 1;
        worker.trace = trace.steps.iter().take(index).map(|step| step.state.clone()).collect();
        evaluate(&mut worker)
    })
}
