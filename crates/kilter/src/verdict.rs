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

/// The word for a search that a limit has ended.
pub const BOUNDED: &str = "bounded";

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
    of_verdict(&outcome.verdict)
}

/// The answer for a verdict.
pub fn of_verdict(verdict: &Verdict) -> Answer {
    let (word, code) = match verdict {
        Verdict::Holds => ("ok", 0),
        Verdict::Bounded(Limit::Interrupt) => (BOUNDED, INTERRUPTED),
        Verdict::Bounded(Limit::Disk) => (BOUNDED, SYSTEM_ERROR),
        Verdict::Bounded(_) => (BOUNDED, 0),
        Verdict::Assumption { .. } => ("assumption", 10),
        Verdict::Deadlock { .. } => ("deadlock", 11),
        Verdict::Invariant { .. } => ("invariant", 12),
        Verdict::Property { .. } | Verdict::Liveness { .. } => ("property", 13),
        Verdict::Postcondition { .. } => ("postcondition", 10),
        Verdict::Error { error, .. } if error.kind == ErrorKind::Assertion => ("assertion", 14),
        Verdict::Error { .. } => ("error", 75),
    };
    Answer { word, code, property: verdict.property().map(ToString::to_string) }
}

/// All violations of a search that went on after the first, in order.
pub fn violations(outcome: &Outcome) -> Vec<&Verdict> {
    let is_violation = |verdict: &&Verdict| !matches!(verdict, Verdict::Holds | Verdict::Bounded(_));
    std::iter::once(&outcome.verdict).chain(&outcome.others).filter(is_violation).collect()
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
pub fn trace_of(verdict: &Verdict) -> Option<&Trace> {
    match verdict {
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
pub fn loop_of(verdict: &Verdict) -> Option<&Back> {
    match verdict {
        Verdict::Liveness { back, .. } => Some(back),
        _ => None,
    }
}

/// The error of a verdict, if it is one.
pub fn error_of(verdict: &Verdict) -> Option<&EvalError> {
    match verdict {
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

/// The verdict of a search as a sentence.
pub fn sentence(outcome: &Outcome) -> String {
    readable(in_full(&outcome.verdict, outcome))
}

/// A violation as a sentence.
pub fn sentence_of(violation: &Verdict, outcome: &Outcome) -> String {
    readable(in_full(violation, outcome))
}

fn in_full(verdict: &Verdict, outcome: &Outcome) -> String {
    match verdict {
        Verdict::Holds if outcome.unchecked.is_empty() => "everything holds".to_owned(),
        Verdict::Holds => "what was checked holds; not everything was checked".to_owned(),
        Verdict::Bounded(Limit::OutOfMemory) => format!(
            "out of memory at {}; nothing wrong was found before, and this is no proof{}",
            plural(outcome.counts.distinct, "state"),
            not_checked(&outcome.unchecked)
        ),
        Verdict::Bounded(Limit::Disk) => format!(
            "nothing wrong was found before the disk could not be used any more{}; this is no proof",
            outcome
                .disk
                .as_ref()
                .and_then(|disk| disk.trouble.as_ref())
                .map_or_else(String::new, |trouble| format!(" ({trouble})"))
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
        Verdict::Liveness { name, back, .. } if !back.is_behavior => {
            format!(
                "the temporal property {name} seems to be violated, in states that stand for others; no behavior was \
                 found that violates it"
            )
        }
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

/// The end of a sentence such as "nothing was found before …".
pub fn reason(limit: Limit) -> &'static str {
    match limit {
        Limit::States => "the limit on states was reached",
        Limit::Depth => "the limit on depth was reached",
        Limit::Time => "the time was over",
        Limit::Memory => "the limit on memory was reached",
        Limit::OutOfMemory => "memory ran out",
        Limit::Disk => "the disk could not be used any more",
        Limit::Interrupt => "the search was interrupted",
        Limit::Exit => "the specification asked to stop",
    }
}
