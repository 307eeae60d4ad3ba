//! Finds the states some of whose steps are missing in the graph, because a CONSTRAINT or an ACTION_CONSTRAINT excludes
//! them.
//!
//! What a node offers in such a state may be allowed, so it is never a finding there.

use kilter_base::Id;
use kilter_eval::{Program, Successors, Worker};
use kilter_graph::StateGraph;
use kilter_value::{Store, Value};

use crate::error::{AnyError, Error};

/// For each state of a graph, whether a step from it violates the constraints. Empty if there are no constraints.
pub fn borders(program: &Program, store: &Store, graph: &StateGraph) -> Result<Vec<bool>, Error> {
    if program.constraints.is_empty() && program.action_constraints.is_empty() {
        return Ok(if graph.is_complete() { Vec::new() } else { vec![true; graph.n_states()] });
    }
    let values = graph.values().restore(store).map_err(AnyError::from)?;
    let mut worker = Worker::new(program, store, crate::resources::stack_bytes());
    let mut borders = vec![false; graph.n_states()];
    for state in graph.states() {
        let row: Vec<Value> = graph.state(state).map(|value| values[value]).collect();
        borders[state.index()] =
            is_border(program, &mut worker, &row).map_err(|error| AnyError::from(error.message))?;
    }
    Ok(borders)
}

fn is_border(
    program: &Program,
    worker: &mut Worker<'_>,
    row: &[Value],
) -> Result<bool, kilter_eval::EvalError> {
    let mut successors = Successors::default();
    worker.successors(row, &mut successors)?;
    for (next, _) in successors.iter(row.len()) {
        for constraint in &program.constraints {
            if !worker.holds(constraint, next, None)? {
                return Ok(true);
            }
        }
        for constraint in &program.action_constraints {
            if !worker.holds(constraint, row, Some(next))? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
