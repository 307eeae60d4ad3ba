//! What is said of a search besides its verdict: warnings, and what each action did.

use kilter_base::{Name, Sources, Span};
use kilter_check::{Coverage, Outcome, Verdict, Warning};
use kilter_eval::Program;
use kilter_value::{Store, Value};

use crate::verdict;

/// If there are more bindings, they are only counted.
const BINDINGS_MAX: usize = 5;

const NO_INITIAL_STATES: &str = "no state satisfies the initial predicate: nothing was checked";
const VIEWED_GRAPH: &str = "VIEW and --graph together: a step of the graph may lead to a state that only looks like the \
                            one that it really leads to, so make no tests from it";
const SYMMETRY: &str = "SYMMETRY and temporal properties together: there are too many states to tell all apart that \
                        SYMMETRY makes equal, so violations may be missed, or seem to exist; check temporal properties \
                        without it";
const VIEW: &str = "VIEW and temporal properties together: there are too many states to tell all apart that look the \
                    same, so violations may be missed, or seem to exist; check temporal properties without it";
const CONSTRAINT: &str = "CONSTRAINT and temporal properties together: behaviors that leave the constraint are not \
                          looked at, so that violations may be missed";

/// What the actions of one name did.
pub struct ActionCoverage {
    /// The name of the actions.
    pub name: Name,
    /// The place of its first disjunct, such as `Spec.tla:12:3`.
    pub place: String,
    /// The sums over all its disjuncts.
    pub coverage: Coverage,
}

/// Coverage by the names of actions, in the order of the specification.
pub fn by_action(outcome: &Outcome, program: &Program, sources: &Sources) -> Vec<ActionCoverage> {
    let mut rows: Vec<ActionCoverage> = Vec::new();
    for (action, coverage) in program.actions.iter().zip(&outcome.coverage) {
        match rows.iter_mut().find(|row| row.name == action.name) {
            Some(row) => {
                row.coverage.enabled += coverage.enabled;
                row.coverage.taken += coverage.taken;
                row.coverage.new += coverage.new;
            }
            None => rows.push(ActionCoverage {
                name: action.name.clone(),
                place: sources.place(program.origins.span(action.origin)),
                coverage: *coverage,
            }),
        }
    }
    rows
}

/// Remarks for the user besides the verdict.
pub fn warnings(
    outcome: &Outcome,
    rows: &[ActionCoverage],
    sources: &Sources,
    store: &Store,
    random: bool,
) -> Vec<String> {
    // For an exhaustive search, the verdict itself names what was not checked.
    let unchecked = outcome.unchecked.iter().filter(|_| random).map(|name| {
        format!(
            "the temporal property {name} was not checked: random behaviors cannot tell, use kilter check"
        )
    });
    let temporal = sentences(&outcome.warnings, sources, store);
    // A search that ended early says nothing about actions that were not taken.
    let complete = matches!(outcome.verdict, Verdict::Holds | Verdict::Postcondition { .. });
    let idle = rows.iter().filter(|row| complete && row.coverage.taken == 0);
    unchecked
        .chain(temporal)
        .chain(idle.map(|row| format!("the action {} never happened ({})", row.name, row.place)))
        .collect()
}

/// Warnings as sentences. Each part of a formula has one sentence for all its bindings.
fn sentences(warnings: &[Warning], sources: &Sources, store: &Store) -> Vec<String> {
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

/// The text of a part of a formula, on one line.
pub fn one_line(span: Span, sources: &Sources) -> String {
    sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Bound names with their values.
pub fn values(bindings: &[(Name, Value)], store: &Store) -> String {
    let values: Vec<String> =
        bindings.iter().map(|(name, value)| format!("{name} = {}", store.show(*value))).collect();
    values.join(", ")
}
