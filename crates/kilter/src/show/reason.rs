//! Shows why a formula is false, and why an action is not enabled.

use std::fmt::Write;

use kilter_base::{Name, Sources, Span};
use kilter_eval::reason::{Choice, Reason, Shown};
use kilter_report::style::{FAINT, STRONG, paint, plural};
use kilter_value::{Store, Value};

use super::trace::action_title;
use crate::formulas::FORMULAS;
use crate::why::{Answer, Ways};

/// Longer texts are cut.
const TEXT_MAX: usize = 200;
/// The most ways through an action that are listed by name.
const WAYS_MAX: usize = 3;

/// Turns reasons into text.
#[derive(Clone, Copy)]
pub struct Teller<'t> {
    /// The files of the specification.
    pub sources: &'t Sources,
    /// The store with the values.
    pub store: &'t Store,
}

impl Teller<'_> {
    /// Why a violated formula is false. `place` says where, such as "in state 3".
    pub fn explanation(&self, name: &Name, place: &str, reasons: &[Reason]) -> String {
        let mut out = String::new();
        if !reasons.is_empty() {
            let _ = writeln!(out, "{} is false {place}, because", paint(STRONG, name));
            self.reasons(&mut out, reasons, 1, name.as_str());
        }
        out
    }

    /// Why an action is not enabled, or that it is.
    pub fn answer(&self, answer: &Answer) -> String {
        let Answer { asked, state, steps, ways } = answer;
        let name = asked.split('(').next().unwrap_or_default();
        if !steps.is_empty() {
            let steps: Vec<String> = steps.iter().map(|step| action_title(step, self.store)).collect();
            return format!("{} is enabled in state {state}: {}\n", paint(STRONG, asked), listed(&steps));
        }
        let mut out = format!("{} is not enabled in state {state}, because\n", paint(STRONG, asked));
        for Ways { actions, n, reasons } in ways {
            let actions: Vec<String> =
                actions.iter().map(|action| action_title(action, self.store)).collect();
            let mut depth = 1;
            if *n > 1 || actions.iter().any(|action| action != asked) {
                let _ = writeln!(out, "  {}", ways_title(&actions, *n));
                depth = 2;
            }
            self.reasons(&mut out, reasons, depth, name);
        }
        if ways.is_empty() {
            out.push_str("  no way through the specification leads to it\n");
        }
        out
    }

    /// Writes reasons. `around` is the definition that they are in.
    pub(super) fn reasons(&self, out: &mut String, reasons: &[Reason], depth: usize, around: &str) {
        for reason in reasons {
            let indent = 2 * depth;
            let within = reason.within.as_ref().map_or(around, |call| call.name.as_str());
            let call = reason.within.as_ref().filter(|_| within != around);
            let call = call.map(|call| format!(", in {}", self.text(call.span)));
            let place = paint(FAINT, format!("({})", self.place(reason.span)));
            let _ = writeln!(
                out,
                "{:indent$}{} is {}{}{} {place}",
                "",
                self.text(reason.span),
                if reason.holds { "true" } else { "false" },
                self.choice(reason),
                call.unwrap_or_default()
            );
            for shown in &reason.values {
                let (text, value) = (self.expression(shown), self.value(shown.value));
                if text != value {
                    let _ = writeln!(out, "{:indent$}  {text} = {value}", "");
                }
            }
            self.reasons(out, &reason.below, depth + 1, within);
        }
    }

    fn place(&self, span: Span) -> String {
        let file = self.sources.file(span.file);
        if file.name == FORMULAS { file.name.clone() } else { self.sources.place(span) }
    }

    /// The choice of a quantifier's names, after `is false`.
    fn choice(&self, reason: &Reason) -> String {
        match &reason.choice {
            Choice::None => String::new(),
            Choice::One(names) => format!(" for {}", self.bindings(names)),
            Choice::All(0) => ", there is nothing to choose".to_owned(),
            Choice::All(1) => " for the only choice".to_owned(),
            Choice::All(n) => format!(" for all {n} choices"),
        }
    }

    fn bindings(&self, names: &[(Name, Value)]) -> String {
        let names: Vec<String> =
            names.iter().map(|(name, value)| format!("{name} = {}", self.value(*value))).collect();
        names.join(", ")
    }

    /// An expression, with the part of it that is meant.
    pub fn expression(&self, shown: &Shown) -> String {
        format!("{}{}", self.text(shown.span), shown.path)
    }

    fn value(&self, value: Value) -> String {
        cut(&self.store.show(value))
    }

    /// The text of a formula, on one line.
    pub fn text(&self, span: Span) -> String {
        cut(self.sources.text(span))
    }
}

/// A text on one line, and not too long.
fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn listed(words: &[String]) -> String {
    let (first, rest) = words.split_at(words.len().min(WAYS_MAX));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("{}{more}", first.join(", "))
}

fn ways_title(actions: &[String], n: u64) -> String {
    match (actions.is_empty(), n) {
        (true, _) => "before it:".to_owned(),
        (false, 1) => format!("for {}:", listed(actions)),
        (false, _) => format!("for {}, {}:", listed(actions), plural(n, "way")),
    }
}
