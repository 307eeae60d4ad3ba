//! Verdicts as words, sentences and exit codes.

use kilter_check::{Limit, Outcome, Trace, Verdict};
use kilter_eval::{ErrorKind, EvalError};

use crate::load::Fault;

/// A verdict as scripts see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The word in the JSON output.
    pub word: &'static str,
    /// The exit code, TLC's.
    pub code: u8,
    /// What is violated, if that has a name.
    pub property: Option<String>,
}

/// What TLC's process ends with when it is interrupted.
const INTERRUPTED: u8 = 130;

/// The answer of a search.
pub fn of_outcome(outcome: &Outcome) -> Answer {
    let (word, code, property) = match &outcome.verdict {
        Verdict::Holds => ("ok", 0, None),
        Verdict::Bounded(Limit::Interrupt) => ("bounded", INTERRUPTED, None),
        Verdict::Bounded(_) => ("bounded", 0, None),
        Verdict::Assumption { name } => ("assumption", 10, Some(name)),
        Verdict::Deadlock { .. } => ("deadlock", 11, None),
        Verdict::Invariant { name, .. } => ("invariant", 12, Some(name)),
        Verdict::Property { name, .. } => ("property", 13, Some(name)),
        Verdict::Postcondition { name } => ("postcondition", 12, Some(name)),
        Verdict::Error { error, .. } if error.kind == ErrorKind::Assertion => ("assertion", 14, None),
        Verdict::Error { .. } => ("error", 75, None),
    };
    Answer { word, code, property: property.map(ToString::to_string) }
}

/// The answer when there is nothing to search.
pub fn of_fault(fault: Fault) -> Answer {
    let (word, code) = match fault {
        Fault::Spec => ("parse", 150),
        Fault::Config => ("config", 151),
        Fault::System => ("system", 153),
    };
    Answer { word, code, property: None }
}

/// The behavior that a verdict is about.
pub fn trace_of(outcome: &Outcome) -> Option<&Trace> {
    match &outcome.verdict {
        Verdict::Deadlock { trace }
        | Verdict::Invariant { trace, .. }
        | Verdict::Property { trace, .. }
        | Verdict::Error { trace, .. } => Some(trace).filter(|trace| !trace.steps.is_empty()),
        Verdict::Holds | Verdict::Bounded(_) | Verdict::Assumption { .. } | Verdict::Postcondition { .. } => None,
    }
}

/// The error that a verdict is about.
pub fn error_of(outcome: &Outcome) -> Option<&EvalError> {
    match &outcome.verdict {
        Verdict::Error { error, .. } => Some(error),
        _ => None,
    }
}
