//! Conditions for ending a search early.

#![expect(clippy::disallowed_methods, reason = "a time limit of the user stops the search")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kilter_base::Name;
use kilter_eval::Program;

use crate::memory::{Allowance, Need};
use crate::outcome::{Limit, Outcome, Verdict};

/// The conditions: a flag that somebody else sets, a deadline, and a limit of memory.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    pub(crate) flag: Arc<AtomicBool>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) memory: Allowance,
}

impl Stop {
    pub(crate) fn is_due(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.memory.exceeded(Need::default()).is_some()
    }
}

/// The names of all temporal properties. A search that sees no infinite behaviors says nothing about them.
pub(crate) fn temporal_names(program: &Program) -> Vec<Name> {
    let mut names: Vec<Name> =
        program.temporals.properties.iter().map(|property| property.name.clone()).collect();
    names.extend(program.temporals.refused_properties.iter().map(|refusal| refusal.name.clone()));
    names.dedup();
    names
}

/// Corrects the outcome of a search that was stopped while a program ran for it. The evaluation failed only because the
/// program was killed, so this is not an error.
pub(crate) fn without_programs(program: &Program, interrupted: &AtomicBool, outcome: &mut Outcome) {
    let last = outcome.others.last().unwrap_or(&outcome.verdict);
    if matches!(last, Verdict::Error { .. }) && program.outside.has_stopped() {
        let limit = if interrupted.load(Ordering::Relaxed) { Limit::Interrupt } else { Limit::Time };
        match outcome.others.pop() {
            Some(_) => outcome.limit = Some(limit),
            None => outcome.verdict = Verdict::Bounded(limit),
        }
        outcome.unchecked = temporal_names(program);
    }
}
