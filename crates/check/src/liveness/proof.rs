//! A counterexample as it is shown: its states and steps. Checks once more that it violates the property.

use std::collections::BTreeSet;

use kilter_base::Name;
use kilter_eval::temporal::Fairness;
use kilter_eval::{EvalError, Program, Successors, Worker};
use kilter_value::Value;

use super::letters::Place;
use super::word::Word;
use super::{Plan, Violation};
use crate::outcome::{Fair, Repair, Why};

/// A behavior that ends in a loop, with the values of all literals.
pub(crate) struct Proof {
    /// The state at each position. After the last position comes position `to` again.
    pub(crate) rows: Vec<Vec<Value>>,
    /// The state that the step from each position leads to. Where states stand for others, it may differ from the next
    /// state shown.
    pub(crate) successors: Vec<Vec<Value>>,
    pub(crate) to: usize,
    /// The values of the literals for the step from each position.
    values: Vec<Vec<bool>>,
}

impl Proof {
    /// Makes a proof from the states and the states that their steps lead to.
    pub(super) fn of_rows(
        plan: &Plan,
        worker: &mut Worker<'_>,
        rows: Vec<Vec<Value>>,
        successors: Vec<Vec<Value>>,
        to: usize,
    ) -> Result<Self, EvalError> {
        let steps = rows.iter().zip(&successors);
        let values: Result<_, EvalError> =
            steps.map(|(row, successor)| step_values(plan, worker, row, successor)).collect();
        Ok(Proof { values: values?, rows, successors, to })
    }

    /// Whether each step leads to the state that is shown next.
    pub(super) fn is_behavior(&self) -> bool {
        let next = |position: usize| self.rows.get(position + 1).unwrap_or(&self.rows[self.to]);
        self.successors.iter().enumerate().all(|(position, successor)| successor == next(position))
    }

    /// The number of literals that have the same value for a step as for the step from `position`.
    pub(super) fn likeness(
        &self,
        position: usize,
        plan: &Plan,
        worker: &mut Worker<'_>,
        row: &[Value],
        successor: &[Value],
    ) -> Result<usize, EvalError> {
        let values = step_values(plan, worker, row, successor)?;
        let after = state_values(plan, worker, successor)?;
        let shown_after = state_values(plan, worker, &self.successors[position])?;
        let same = |(one, other): &(&bool, &bool)| one == other;
        Ok(values.iter().zip(&self.values[position]).filter(same).count()
            + after.iter().zip(&shown_after).filter(same).count())
    }

    /// Whether the behavior satisfies the formula of the violation. It is evaluated from the definitions.
    pub(crate) fn stands(&self, violation: &Violation) -> bool {
        let literal = |position: usize, literal: u32| self.values[position][literal as usize];
        let word = Word { n_positions: self.rows.len(), cycle_start: self.to, literal: &literal };
        word.satisfies(&violation.formula)
    }

    /// Why the loop satisfies a fairness condition.
    pub(crate) fn reason(&self, fairness: &Fairness) -> Fair {
        let positions = self.to..self.rows.len();
        let literal = |position: usize, literal: u32| self.values[position][literal as usize];
        let enabled = |position: &usize| literal(*position, fairness.enabled);
        let why = if let Some(at) = positions.clone().find(|position| literal(*position, fairness.action)) {
            Why::Taken(at)
        } else if !positions.clone().any(|position| enabled(&position)) {
            Why::NeverEnabled
        } else {
            let disabled = positions.clone().find(|position| !enabled(position));
            Why::Disabled(disabled.unwrap_or(positions.start))
        };
        Fair { span: fairness.span, bindings: fairness.bindings.clone(), why }
    }

    /// The actions of Next that are enabled in the loop but never taken in it. If some are enabled in all its states,
    /// only these.
    pub(crate) fn repairs(&self, program: &Program, worker: &mut Worker<'_>) -> Vec<Repair> {
        let mut everywhere: Option<BTreeSet<Name>> = None;
        let mut somewhere = BTreeSet::new();
        let mut taken = BTreeSet::new();
        let mut successors = Successors::default();
        for (row, next) in self.rows.iter().zip(&self.successors).skip(self.to) {
            // An error after some successors does not matter here.
            let _ = worker.successors(row, &mut successors);
            let mut here = BTreeSet::new();
            for (successor, label) in successors.iter(row.len()) {
                let Some(action) = label.action.filter(|_| successor != row) else { continue };
                let name = program.actions[action].name.clone();
                if successor == next {
                    taken.insert(name.clone());
                }
                here.insert(name);
            }
            somewhere.extend(here.iter().cloned());
            everywhere = Some(match everywhere {
                None => here,
                Some(before) => before.intersection(&here).cloned().collect(),
            });
        }
        let idle = |names: &BTreeSet<Name>, strong: bool| -> Vec<Repair> {
            names.difference(&taken).map(|action| Repair { action: action.clone(), strong }).collect()
        };
        let weak = idle(&everywhere.unwrap_or_default(), false);
        if weak.is_empty() { idle(&somewhere, true) } else { weak }
    }
}

/// The values of all literals for a step.
fn step_values(
    plan: &Plan,
    worker: &mut Worker<'_>,
    row: &[Value],
    successor: &[Value],
) -> Result<Vec<bool>, EvalError> {
    let literals = plan.expansion.literals.iter();
    literals.map(|one| worker.literal_holds(one, row, Some(successor))).collect()
}

/// The values of the literals about states. Those about steps are false.
fn state_values(plan: &Plan, worker: &mut Worker<'_>, row: &[Value]) -> Result<Vec<bool>, EvalError> {
    let literals = plan.expansion.literals.iter().zip(&plan.labels.places);
    let values = literals.map(|(one, place)| match place {
        Place::State(_) => worker.literal_holds(one, row, None),
        Place::Step(_) => Ok(false),
    });
    values.collect()
}
