//! Where states stand for others, a counterexample need not be a behavior. This module searches for one that is. It
//! goes through states with the same representatives, and violates the property by the definitions.

use kilter_eval::EvalError;
use kilter_value::Value;

use super::letters::Step;
use super::proof::Proof;
use super::unfolded::{Terrain, Unfolded};
use super::{Lasso, Plan, Violation};
use crate::expand::Hand;

/// The most rounds of the loop. Hidden parts of the state may take a few rounds to come back to their values.
const ROUNDS_MAX: usize = 64;

/// Follows the counterexample through real states. Returns `None` if this does not lead to a behavior that violates the
/// property.
pub(super) fn real<'p>(
    plan: &Plan,
    unfolded: &Unfolded,
    shown: &Proof,
    hand: &mut Hand<'p>,
    terrain: Terrain<'_, 'p>,
    violation: &Violation,
) -> Result<Option<Proof>, EvalError> {
    let lasso = &violation.lasso;
    let mut rows: Vec<Vec<Value>> = Vec::new();
    let mut row = shown.rows[0].clone();
    // The index and the state at which each round of the loop began.
    let mut rounds: Vec<(usize, Vec<Value>)> = Vec::new();
    let mut position = 0;
    loop {
        if position == lasso.stem.len() {
            if let Some((start, _)) = rounds.iter().find(|(_, before)| *before == row) {
                let proof = close(plan, hand, rows, row, *start)?;
                return Ok(Some(proof).filter(|proof| proof.stands(violation)));
            }
            if rounds.len() == ROUNDS_MAX {
                return Ok(None);
            }
            rounds.push((rows.len(), row.clone()));
        }
        let Some(next) = follow(plan, unfolded, shown, hand, terrain, lasso, position, &row)? else {
            return Ok(None);
        };
        if next != row {
            rows.push(std::mem::replace(&mut row, next));
        }
        position = if position + 1 < shown.rows.len() { position + 1 } else { lasso.stem.len() };
    }
}

/// Makes the behavior through `rows` that then goes back to position `to`. If `to` is behind the last row, `last` is
/// added and repeats forever.
fn close(
    plan: &Plan,
    hand: &mut Hand<'_>,
    mut rows: Vec<Vec<Value>>,
    last: Vec<Value>,
    to: usize,
) -> Result<Proof, EvalError> {
    if to == rows.len() {
        rows.push(last);
    }
    let mut successors: Vec<Vec<Value>> = rows[1..].to_vec();
    successors.push(rows[to].clone());
    Proof::of_rows(plan, &mut hand.worker, rows, successors, to)
}

/// Of the steps from `row` to the right representative, the one most like the step from `position`. Returns the state
/// after it, or `None` if there is no such step.
#[allow(clippy::too_many_arguments, reason = "all that a search knows")]
fn follow<'p>(
    plan: &Plan,
    unfolded: &Unfolded,
    shown: &Proof,
    hand: &mut Hand<'p>,
    terrain: Terrain<'_, 'p>,
    lasso: &Lasso,
    position: usize,
    row: &[Value],
) -> Result<Option<Vec<Value>>, EvalError> {
    let steps: Vec<(u32, Step)> = lasso.steps().collect();
    if steps[position].1 == Step::Stutter {
        return Ok(Some(row.to_vec()));
    }
    let (target, _) = *steps.get(position + 1).unwrap_or(&steps[lasso.stem.len()]);
    let representative = unfolded.representative(target);
    let mut best: Option<(usize, Vec<Value>)> = None;
    for (state, successor) in unfolded.steps(hand, terrain, row)? {
        if state != representative {
            continue;
        }
        let likeness = shown.likeness(position, plan, &mut hand.worker, row, &successor)?;
        if best.as_ref().is_none_or(|(most, _)| likeness > *most) {
            best = Some((likeness, successor));
        }
    }
    Ok(best.map(|(_, successor)| successor))
}
