//! Shows how a behavior goes on forever.

use std::fmt::Write;

use kilter_base::{Name, Sources, Span};
use kilter_check::{Back, Fair, Repair, Trace, Why};
use kilter_report::style::{FAINT, STRONG, paint};
use kilter_value::{Store, Value};

use super::trace::action_title;
use crate::remarks::{one_line, values};

/// If there are more fairness conditions, they are only counted.
const FAIRNESS_MAX: usize = 12;
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
    lines.extend(back.repairs.iter().map(|one| repair(one, store)));
    if !back.is_behavior {
        lines.push(STANDS_FOR_OTHERS.to_owned());
    }
    for line in lines {
        let _ = writeln!(out, "{:6}{}", "", paint(FAINT, line));
    }
    out
}

/// The fairness that would rule a loop out, as a sentence.
pub fn repair(repair: &Repair, store: &Store) -> String {
    let Repair { action, args, strong } = repair;
    let action = action_title(&(action.clone(), args.clone()), store);
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

/// A part of a formula, with the values of the names that are bound around it.
fn part(span: Span, bindings: &[(Name, Value)], sources: &Sources, store: &Store) -> String {
    let text = one_line(span, sources);
    if bindings.is_empty() { text } else { format!("{text} with {}", values(bindings, store)) }
}
