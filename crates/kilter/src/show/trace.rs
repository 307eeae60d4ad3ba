//! Shows a behavior step by step: each action with its arguments, and what it changed.

use std::fmt::Write;

use kilter_base::Name;
use kilter_check::{Step, Trace};
use kilter_report::style::{FAINT, NEW, STRONG, paint};
use kilter_value::{Store, Value, View};

use super::difference::{Change, Kind, between};

/// The column at which lines of a state start.
const INDENT: usize = 6;

/// How to show a trace.
pub struct Viewer<'v> {
    /// The store with the values.
    pub store: &'v Store,
    /// The names of the variables.
    pub variables: &'v [Name],
    /// Whether to show all variables in all states.
    pub full: bool,
    /// The number of columns of the output.
    pub width: usize,
}

impl Viewer<'_> {
    /// The trace as text.
    pub fn show(&self, trace: &Trace) -> String {
        let mut out = String::new();
        let mut before: Vec<(String, Value)> = Vec::new();
        for (index, step) in trace.steps.iter().enumerate() {
            let _ = writeln!(out, "{:>3}  {}", index + 1, paint(STRONG, self.title(step, index)));
            let state = self.state(step);
            if (index == 0 && step.action.is_none()) || self.full {
                for (name, value) in &state {
                    self.whole(&mut out, name, *value);
                }
            } else if index > 0 {
                self.changes(&mut out, &before, &state);
            }
            before = state;
        }
        out
    }

    fn title(&self, step: &Step, index: usize) -> String {
        match &step.action {
            Some(action) => action_title(action, self.store),
            None if index == 0 => "initial state".to_owned(),
            None => "step".to_owned(),
        }
    }

    /// The names and values to show: the fields of ALIAS, if there is one, or else the variables.
    fn state(&self, step: &Step) -> Vec<(String, Value)> {
        match step.alias.map(|alias| (alias, self.store.view(alias))) {
            Some((_, View::Record { shape, values })) => {
                let name = |name| self.store.string_text(name).unwrap_or_default().to_owned();
                shape.iter().map(name).zip(values).collect()
            }
            Some((alias, _)) => vec![("ALIAS".to_owned(), alias)],
            None => self.variables.iter().map(ToString::to_string).zip(step.state.iter().copied()).collect(),
        }
    }

    fn whole(&self, out: &mut String, name: &str, value: Value) {
        let start = INDENT + name.chars().count() + 3;
        let text = self.store.show_pretty(value, start, self.width.saturating_sub(start));
        let _ = writeln!(out, "{:INDENT$}{name} = {text}", "");
    }

    fn changes(&self, out: &mut String, before: &[(String, Value)], after: &[(String, Value)]) {
        let length = out.len();
        for (name, new) in after {
            match before.iter().find(|(other, _)| other == name) {
                Some((_, old)) => {
                    for change in between(self.store, name, *old, *new) {
                        self.change(out, &change);
                    }
                }
                None => self.whole(out, name, *new),
            }
        }
        if out.len() == length {
            let _ = writeln!(out, "{:INDENT$}{}", "", paint(FAINT, "(nothing changed)"));
        }
    }

    fn change(&self, out: &mut String, Change { place, kind }: &Change) {
        let start = INDENT + place.chars().count() + 2;
        let new = |value: Value, word: &str| {
            let start = start + word.chars().count();
            let text = self.store.show_pretty(value, start, self.width.saturating_sub(start));
            format!("{word}{}", paint(NEW, text))
        };
        let each = |values: &[Value], word: &str| values.iter().map(|value| new(*value, word)).collect();
        let lines: Vec<String> = match kind {
            Kind::Became(old, new) => vec![self.arrow(*old, *new, start)],
            Kind::Added(value) => vec![new(*value, "(new) → ")],
            Kind::Removed(value) => vec![new(*value, "(gone) ")],
            Kind::Appended(values) => each(values, "appended "),
            Kind::Dropped(values) => each(values, "lost its head "),
            Kind::Elements { gained, lost } => [each(gained, "gained "), each(lost, "lost ")].concat(),
        };
        for line in lines {
            let _ = writeln!(out, "{:INDENT$}{place}: {line}", "");
        }
    }

    /// Writes `old → new`, on two lines if they do not fit on one.
    fn arrow(&self, old: Value, new: Value, start: usize) -> String {
        let (from, to) = (self.store.show(old), self.store.show(new));
        if start + from.chars().count() + 3 + to.chars().count() <= self.width {
            return format!("{from} → {}", paint(NEW, to));
        }
        let from = self.store.show_pretty(old, start, self.width.saturating_sub(start));
        let to = self.store.show_pretty(new, INDENT + 4, self.width.saturating_sub(INDENT + 4));
        format!("{from}\n{:INDENT$}  → {}", "", paint(NEW, to))
    }
}

/// Writes `Send(from = n1, to = n2)`.
pub(super) fn action_title((name, args): &(Name, Vec<(Name, Value)>), store: &Store) -> String {
    if args.is_empty() {
        return name.to_string();
    }
    let args: Vec<String> =
        args.iter().map(|(name, value)| format!("{name} = {}", store.show(*value))).collect();
    format!("{name}({})", args.join(", "))
}
