//! Turns verdicts into words, sentences and exit codes.

use kilter_base::Name;
use kilter_base::diagnostic::readable;
use kilter_check::{Back, Grown, Limit, Measure, Outcome, Trace, Verdict};
use kilter_eval::{ErrorKind, EvalError};
use kilter_report::style::{count, plural};

use crate::error::{INTERRUPTED, SYSTEM_ERROR};
use crate::load::Cause;

/// The most sizes of a variable that are shown.
const SIZES_MAX: usize = 4;

/// A verdict for scripts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The word in the JSON output.
    pub word: &'static str,
    /// The exit code, which is the same as TLC's.
    pub code: u8,
    /// The name of what is violated, if it has one.
    pub property: Option<String>,
}

/// The answer of a search.
pub fn of_outcome(outcome: &Outcome) -> Answer {
    let (word, code, property) = match &outcome.verdict {
        Verdict::Holds => ("ok", 0, None),
        Verdict::Bounded(Limit::Interrupt) => ("bounded", INTERRUPTED, None),
        Verdict::Bounded(_) => ("bounded", 0, None),
        Verdict::Assumption { name } => ("assumption", 10, Some(name)),
        Verdict::Deadlock { .. } => ("deadlock", 11, None),
        Verdict::Invariant { name, .. } => ("invariant", 12, Some(name)),
        Verdict::Property { name, .. } | Verdict::Liveness { name, .. } => ("property", 13, Some(name)),
        Verdict::Postcondition { name } => ("postcondition", 10, Some(name)),
        Verdict::Error { error, .. } if error.kind == ErrorKind::Assertion => ("assertion", 14, None),
        Verdict::Error { .. } => ("error", 75, None),
    };
    Answer { word, code, property: property.map(ToString::to_string) }
}

/// The answer when there is nothing to search.
pub fn of_cause(cause: Cause) -> Answer {
    let (word, code) = match cause {
        Cause::Spec => ("parse", 150),
        Cause::Config => ("config", 151),
        Cause::System => ("system", SYSTEM_ERROR),
    };
    Answer { word, code, property: None }
}

/// The behavior that a verdict is about.
pub fn trace_of(outcome: &Outcome) -> Option<&Trace> {
    match &outcome.verdict {
        Verdict::Deadlock { trace }
        | Verdict::Invariant { trace, .. }
        | Verdict::Property { trace, .. }
        | Verdict::Liveness { trace, .. }
        | Verdict::Error { trace, .. } => Some(trace).filter(|trace| !trace.steps.is_empty()),
        Verdict::Holds | Verdict::Bounded(_) | Verdict::Assumption { .. } | Verdict::Postcondition { .. } => {
            None
        }
    }
}

/// How the behavior of a verdict goes on forever, if it does.
pub fn loop_of(outcome: &Outcome) -> Option<&Back> {
    match &outcome.verdict {
        Verdict::Liveness { back, .. } => Some(back),
        _ => None,
    }
}

/// The error of a verdict, if it is one.
pub fn error_of(outcome: &Outcome) -> Option<&EvalError> {
    match &outcome.verdict {
        Verdict::Error { error, .. } => Some(error),
        _ => None,
    }
}

/// How a variable got larger and larger, as a sentence.
pub fn growth(grown: &Grown) -> String {
    let Grown { variable, measure, by_depth } = grown;
    let what = match measure {
        Measure::Elements => "elements",
        Measure::Number => "largest number",
    };
    let last = &by_depth[by_depth.len().saturating_sub(SIZES_MAX)..];
    let sizes: Vec<String> =
        last.iter().map(|(depth, size)| format!("{} at depth {depth}", count(*size))).collect();
    format!(
        "{variable} gets larger with the depth ({what}: {}); if nothing bounds it, the search never ends, \
         and a CONSTRAINT can bound it",
        sizes.join(", ")
    )
}

/// The verdict as a sentence.
pub fn sentence(outcome: &Outcome) -> String {
    readable(in_full(outcome))
}

fn in_full(outcome: &Outcome) -> String {
    match &outcome.verdict {
        Verdict::Holds if outcome.unchecked.is_empty() => "everything holds".to_owned(),
        Verdict::Holds => "what was checked holds; not everything was checked".to_owned(),
        Verdict::Bounded(Limit::OutOfMemory) => format!(
            "out of memory at {}; nothing wrong was found before, and this is no proof{}",
            plural(outcome.counts.distinct, "state"),
            not_checked(&outcome.unchecked)
        ),
        Verdict::Bounded(limit) => format!(
            "nothing wrong was found before {}; this is no proof{}",
            reason(*limit),
            not_checked(&outcome.unchecked)
        ),
        Verdict::Assumption { name } => format!("the assumption {name} is false"),
        Verdict::Deadlock { .. } => "deadlock: the last state has no successor".to_owned(),
        Verdict::Invariant { name, .. } => format!("the invariant {name} is violated"),
        Verdict::Property { name, trace } if trace.steps.len() < 2 => {
            format!("the property {name} is violated by an initial state")
        }
        Verdict::Property { name, .. } => format!("the property {name} is violated by the last step"),
        Verdict::Liveness { name, trace, back } if back.stutters(trace) => {
            format!("the temporal property {name} is violated when nothing happens after the last state")
        }
        Verdict::Liveness { name, .. } => {
            format!("the temporal property {name} is violated by a behavior that repeats itself")
        }
        Verdict::Postcondition { name } => format!("the postcondition {name} is false"),
        Verdict::Error { error, .. } => error.message.clone(),
    }
}

/// The end of a sentence, with the temporal properties that were not checked.
fn not_checked(properties: &[Name]) -> String {
    let names: Vec<&str> = properties.iter().map(Name::as_str).collect();
    if names.is_empty() { String::new() } else { format!("; not checked: {}", names.join(", ")) }
}

fn reason(limit: Limit) -> &'static str {
    match limit {
        Limit::States => "the limit on states was reached",
        Limit::Depth => "the limit on depth was reached",
        Limit::Time => "the time was over",
        Limit::Memory => "the limit on memory was reached",
        Limit::OutOfMemory => "memory ran out",
        Limit::Interrupt => "the search was interrupted",
        Limit::Exit => "the specification asked to stop",
    }
}
