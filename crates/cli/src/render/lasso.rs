//! How a behavior goes on forever, and what there is to say about temporal formulas.

use std::fmt::Write;

use kilter_base::{Name, Sources, Span};
use kilter_check::{Back, Fair, Repair, Trace, Warning, Why};
use kilter_value::{Store, Value};

use super::trace::action_title;
use super::{FAINT, STRONG, paint};

/// More fairness conditions than this are only counted.
const FAIRNESS_MAX: usize = 12;

/// The lines that follow the last state.
pub fn show(back: &Back, trace: &Trace, sources: &Sources, store: &Store) -> String {
    let stutters = back.to + 1 == trace.steps.len();
    let title = match &back.action {
        _ if stutters => "stuttering: nothing changes any more".to_owned(),
        Some(action) => format!("back to state {}: {}", back.to + 1, action_title(action, store)),
        None => format!("back to state {}", back.to + 1),
    };
    let mut out = format!("{:>3}  {}\n", "", paint(STRONG, title));
    let fair = back.fair.iter().map(|fair| fairness(fair, sources, store));
    let mut lines: Vec<String> = fair.take(FAIRNESS_MAX).collect();
    if back.fair.len() > FAIRNESS_MAX {
        lines.push(format!("and so are {} more fairness conditions", back.fair.len() - FAIRNESS_MAX));
    }
    lines.extend(back.repairs.iter().map(repair));
    for line in lines {
        let _ = writeln!(out, "{:6}{}", "", paint(FAINT, line));
    }
    out
}

/// What would rule a loop out.
pub fn repair(repair: &Repair) -> String {
    let Repair { action, strong } = repair;
    if *strong {
        format!(
            "{action} is enabled now and then, but never taken: strong fairness of it would rule this out"
        )
    } else {
        format!("{action} is enabled all along, but never taken: fairness of it would rule this out")
    }
}

/// Why a loop satisfies a fairness condition.
pub fn fairness(fair: &Fair, sources: &Sources, store: &Store) -> String {
    let what = part(fair.span, &fair.bindings, sources, store);
    match fair.why {
        Why::Taken(at) => format!("{what} is satisfied: it is taken from state {}", at + 1),
        Why::Disabled(at) => format!("{what} is satisfied: it is not enabled in state {}", at + 1),
        Why::NeverEnabled => format!("{what} is satisfied: it is enabled nowhere in the loop"),
    }
}

/// A warning as a sentence.
pub fn warning(warning: &Warning, sources: &Sources, store: &Store) -> String {
    match warning {
        Warning::Symmetry => "SYMMETRY and temporal properties together: violations may be missed, and \
                              counterexamples may be none"
            .to_owned(),
        Warning::Constraint => {
            "CONSTRAINT and temporal properties together: behaviors that leave the constraint \
                                are not looked at, so that violations may be missed"
                .to_owned()
        }
        Warning::Antecedent { span, bindings } => {
            let what = part(*span, bindings, sources, store);
            format!("the left side of {what} is never true ({})", sources.place(*span))
        }
        Warning::NeverEnabled { span, bindings } => {
            let what = part(*span, bindings, sources, store);
            format!("the action of {what} is never enabled ({})", sources.place(*span))
        }
    }
}

/// A part of a formula as it is written, on one line, with the values of the names that are bound around it.
fn part(span: Span, bindings: &[(Name, Value)], sources: &Sources, store: &Store) -> String {
    let text = sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
    if bindings.is_empty() {
        return text;
    }
    let values: Vec<String> =
        bindings.iter().map(|(name, value)| format!("{name} = {}", store.show(*value))).collect();
    format!("{text} with {}", values.join(", "))
}
