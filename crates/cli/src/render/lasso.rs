//! Shows how a behavior goes on forever, and warnings about temporal formulas.

use std::fmt::Write;

use kilter::verdict;
use kilter_base::{Name, Sources, Span};
use kilter_check::{Back, Fair, Repair, Trace, Warning, Why};
use kilter_value::{Store, Value};

use super::trace::action_title;
use super::{FAINT, STRONG, paint};

/// If there are more fairness conditions, they are only counted.
const FAIRNESS_MAX: usize = 12;
/// If there are more bindings, they are only counted.
const BINDINGS_MAX: usize = 5;

const NO_INITIAL_STATES: &str = "no state satisfies the initial predicate: nothing was checked";
const VIEWED_GRAPH: &str = "VIEW and --graph together: a step of the graph may lead to a state that only looks like the \
                            one that it really leads to, so make no tests from it";
const SYMMETRY: &str = "SYMMETRY and temporal properties together: violations may be missed, and counterexamples may \
                        be none";
const VIEW: &str =
    "VIEW and temporal properties together: violations may be missed, and counterexamples may be none";
const CONSTRAINT: &str = "CONSTRAINT and temporal properties together: behaviors that leave the constraint are not \
                          looked at, so that violations may be missed";

const STANDS_FOR_OTHERS: &str = "the states shown stand for others, by SYMMETRY or VIEW; no behavior of the \
                                 specification was found that goes this way, so check it without them";

/// The lines that follow the last state of a trace.
pub fn show(back: &Back, trace: &Trace, sources: &Sources, store: &Store) -> String {
    let title = match &back.action {
        _ if back.stutters(trace) => "stuttering: nothing changes any more".to_owned(),
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
    if !back.is_behavior {
        lines.push(STANDS_FOR_OTHERS.to_owned());
    }
    for line in lines {
        let _ = writeln!(out, "{:6}{}", "", paint(FAINT, line));
    }
    out
}

/// The fairness that would rule a loop out, as a sentence.
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

/// Why a loop satisfies a fairness condition, as a sentence.
pub fn fairness(fair: &Fair, sources: &Sources, store: &Store) -> String {
    let what = part(fair.span, &fair.bindings, sources, store);
    match fair.why {
        Why::Taken(at) => format!("{what} is satisfied: it is taken from state {}", at + 1),
        Why::Disabled(at) => format!("{what} is satisfied: it is not enabled in state {}", at + 1),
        Why::NeverEnabled => format!("{what} is satisfied: it is enabled nowhere in the loop"),
    }
}

/// Warnings as sentences. Each part of a formula has one sentence for all its bindings.
pub fn warnings(warnings: &[Warning], sources: &Sources, store: &Store) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut told: Vec<(bool, Span)> = Vec::new();
    for warning in warnings {
        match warning {
            Warning::NoInitialStates => sentences.push(NO_INITIAL_STATES.to_owned()),
            Warning::NoInitialStatesAdmitted { n_initial } => {
                sentences.push(none_admitted(*n_initial));
            }
            Warning::ViewedGraph => sentences.push(VIEWED_GRAPH.to_owned()),
            Warning::Symmetry => sentences.push(SYMMETRY.to_owned()),
            Warning::View => sentences.push(VIEW.to_owned()),
            Warning::Constraint => sentences.push(CONSTRAINT.to_owned()),
            Warning::Growing(grown) => sentences.push(verdict::growth(grown)),
            Warning::Antecedent { span, .. } | Warning::NeverEnabled { span, .. } => {
                let enabled = matches!(warning, Warning::NeverEnabled { .. });
                if !told.contains(&(enabled, *span)) {
                    told.push((enabled, *span));
                    sentences.push(never(enabled, *span, warnings, sources, store));
                }
            }
        }
    }
    sentences
}

fn none_admitted(n_initial: u64) -> String {
    format!(
        "CONSTRAINT excludes all initial states ({n_initial}): they were checked, but there is no step from them"
    )
}

/// A sentence about a part of a formula that never happens, with the bindings for which it does not.
fn never(enabled: bool, span: Span, warnings: &[Warning], sources: &Sources, store: &Store) -> String {
    let same = warnings.iter().filter_map(|warning| match warning {
        Warning::Antecedent { span: other, bindings } if !enabled && *other == span => Some(bindings),
        Warning::NeverEnabled { span: other, bindings } if enabled && *other == span => Some(bindings),
        _ => None,
    });
    let mut with: Vec<String> =
        same.filter(|bindings| !bindings.is_empty()).map(|bindings| values(bindings, store)).collect();
    let n_more = with.len().saturating_sub(BINDINGS_MAX);
    with.truncate(BINDINGS_MAX);
    if n_more > 0 {
        with.push(format!("and {n_more} more"));
    }
    let with = if with.is_empty() { String::new() } else { format!(", with {}", with.join("; ")) };
    let (text, place) = (one_line(span, sources), sources.place(span));
    if enabled {
        format!("the action of {text} is never enabled{with} ({place})")
    } else {
        format!("the left side of {text} is never true{with} ({place})")
    }
}

/// A part of a formula, with the values of the names that are bound around it.
fn part(span: Span, bindings: &[(Name, Value)], sources: &Sources, store: &Store) -> String {
    let text = one_line(span, sources);
    if bindings.is_empty() { text } else { format!("{text} with {}", values(bindings, store)) }
}

/// The text of a part of a formula, on one line.
fn one_line(span: Span, sources: &Sources) -> String {
    sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn values(bindings: &[(Name, Value)], store: &Store) -> String {
    let values: Vec<String> =
        bindings.iter().map(|(name, value)| format!("{name} = {}", store.show(*value))).collect();
    values.join(", ")
}
