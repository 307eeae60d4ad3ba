//! A counterexample as it is shown: its states and steps. Checks once more that it violates the property.

use std::collections::BTreeSet;

use kilter_base::Name;
use kilter_eval::temporal::Fairness;
use kilter_eval::{EvalError, Successors, Worker};
use kilter_value::Value;

use super::letters::Place;
use super::word::Word;
use super::{Plan, Violation};
use crate::expand::Model;
use crate::outcome::{Fair, Repair, Why};
use crate::trace;

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
    /// only these. An action that is taken with some arguments and not with others is named with these.
    pub(crate) fn repairs(&self, model: &Model<'_>, worker: &mut Worker<'_>) -> Vec<Repair> {
        let mut everywhere: Option<Vec<Instance>> = None;
        let mut somewhere: Vec<Instance> = Vec::new();
        let mut taken: Vec<Instance> = Vec::new();
        let mut successors = Successors::default();
        worker.set_recording(true);
        for (row, next) in self.rows.iter().zip(&self.successors).skip(self.to) {
            // An error after some successors does not matter here.
            let _ = worker.successors(row, &mut successors);
            let mut here: Vec<Instance> = Vec::new();
            for (successor, label) in successors.iter(row.len()).filter(|(successor, _)| *successor != row) {
                let Some(instance) = trace::describe(model.program, model.store, label) else { continue };
                if successor == next && !taken.contains(&instance) {
                    taken.push(instance.clone());
                }
                if !here.contains(&instance) {
                    here.push(instance);
                }
            }
            let new = here.iter().filter(|one| !somewhere.contains(one)).cloned().collect::<Vec<_>>();
            somewhere.extend(new);
            everywhere = Some(match everywhere {
                None => here,
                Some(before) => before.into_iter().filter(|one| here.contains(one)).collect(),
            });
        }
        let weak = idle(&everywhere.unwrap_or_default(), &somewhere, &taken, false);
        if weak.is_empty() { idle(&somewhere, &somewhere, &taken, true) } else { weak }
    }
}

/// An action with its arguments by name.
type Instance = (Name, Vec<(Name, Value)>);

/// The most repairs that name one action with its arguments.
const INSTANCES_MAX: usize = 3;

/// The repairs for those of `enabled` that are never taken.
fn idle(enabled: &[Instance], all: &[Instance], taken: &[Instance], strong: bool) -> Vec<Repair> {
    let is_idle = |one: &&Instance| !taken.contains(one);
    let names: BTreeSet<&Name> = enabled.iter().filter(is_idle).map(|(name, _)| name).collect();
    let mut repairs = Vec::new();
    for name in names {
        let of_name = |one: &&Instance| one.0 == *name;
        if all.iter().filter(of_name).all(|one| is_idle(&one)) {
            repairs.push(Repair { action: name.clone(), args: Vec::new(), strong });
            continue;
        }
        let instances = enabled.iter().filter(of_name).filter(is_idle).take(INSTANCES_MAX);
        repairs.extend(instances.map(|(name, args)| Repair {
            action: name.clone(),
            args: args.clone(),
            strong,
        }));
    }
    repairs
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
