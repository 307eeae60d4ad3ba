//! The checks on states and steps, in TLC's order.

use super::env::Env;
use super::eval::{Evaluator, Frame};
use crate::model::{Action, Behaviors, Expr, Model, Property};
use crate::value::Error;

/// A predicate to check: its name, the predicate, and the mapping for the variables of the abstract module.
pub type Check<'m> = (&'m str, &'m Expr, Option<&'m [(String, Expr)]>);

impl<'m> Evaluator<'m> {
    /// Whether a step is allowed by a formula or by the next-state relation of a module.
    pub fn next_holds(&self, next: StepsOf<'m>, frame: Frame<'_, 'm>) -> Result<bool, Error> {
        match next {
            StepsOf::Formula(action) => self.holds(action, &Env::default(), frame),
            StepsOf::Next(behaviors) => {
                for action in &behaviors.actions {
                    if self.action_holds(action, frame)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Whether a step is a step of this action, for some arguments.
    pub fn action_holds(&self, action: &'m Action, frame: Frame<'_, 'm>) -> Result<bool, Error> {
        for env in self.contexts(&action.params, &Env::default(), frame)? {
            if self.holds(&action.body, &env, frame)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The steps that a check allows.
#[derive(Clone, Copy)]
pub enum StepsOf<'m> {
    /// The steps of an action formula.
    Formula(&'m Expr),
    /// The steps of a module's next-state relation.
    Next(&'m Behaviors),
}

/// The checks on states: invariants first, then properties of the form `[]P`.
pub fn state_checks(model: &Model) -> Vec<Check<'_>> {
    let invariants = model.invariants.iter().map(|(name, pred)| (name.as_str(), pred, None));
    let properties = model.properties.iter().filter_map(|(name, property)| match property {
        Property::Always(pred) => Some((name.as_str(), pred, None)),
        _ => None,
    });
    invariants.chain(properties).collect()
}

/// The checks on initial states.
pub fn initial_checks(model: &Model) -> Vec<Check<'_>> {
    let mut checks = Vec::new();
    for (name, property) in &model.properties {
        match (property, &model.abstraction) {
            (Property::Init(pred), _) => checks.push((name.as_str(), pred, None)),
            (Property::Refines, Some(second)) => {
                checks.push((name.as_str(), &second.behaviors.init, Some(second.mapping.as_slice())));
            }
            _ => {}
        }
    }
    checks
}

/// A check on steps: its name, the steps that are allowed, the variables that a stuttering step leaves unchanged, and
/// the mapping for the variables of the abstract module.
pub type StepCheck<'m> = (&'m str, StepsOf<'m>, &'m [String], Option<&'m [(String, Expr)]>);

/// The checks on steps.
pub fn step_checks(model: &Model) -> Vec<StepCheck<'_>> {
    let mut checks: Vec<StepCheck<'_>> = Vec::new();
    for (name, property) in &model.properties {
        match (property, &model.abstraction) {
            (Property::Steps(action, names), _) => {
                checks.push((name, StepsOf::Formula(action), names, None));
            }
            (Property::Refines, Some(second)) => checks.push((
                name,
                StepsOf::Next(&second.behaviors),
                &second.behaviors.variables,
                Some(&second.mapping),
            )),
            _ => {}
        }
    }
    checks
}
