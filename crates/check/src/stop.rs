//! When to end early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kilter_base::Name;
use kilter_eval::Program;

use crate::memory::{Allowance, Need};
use crate::outcome::{Limit, Outcome, Verdict};

/// Set by somebody else, or by the clock.
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

/// The properties that nothing is known about if no behavior goes on forever.
pub(crate) fn temporal_names(program: &Program) -> Vec<Name> {
    let mut names: Vec<Name> =
        program.temporals.properties.iter().map(|property| property.name.clone()).collect();
    names.extend(program.temporals.refused_properties.iter().map(|refusal| refusal.name.clone()));
    names.dedup();
    names
}

/// An evaluation that failed because the program that it asked for was ended with the search is no error.
pub(crate) fn without_programs(program: &Program, interrupted: &AtomicBool, outcome: &mut Outcome) {
    if matches!(outcome.verdict, Verdict::Error { .. }) && program.outside.has_stopped() {
        let limit = if interrupted.load(Ordering::Relaxed) { Limit::Interrupt } else { Limit::Time };
        outcome.verdict = Verdict::Bounded(limit);
        outcome.unchecked = temporal_names(program);
    }
}
