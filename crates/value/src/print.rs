//! Values as TLC prints them, on one line.
//!
//! TLC prints `1..3` or `{1, 2, 3}`, depending on how the set was made. For us these are the same value. We print short
//! intervals as enumerated sets, because most sets in states are made that way, and long ones as `lo..hi`.

use crate::handle::Value;
use crate::store::Store;
use crate::view::{Elems, Infinite, View, interval_len};
use std::fmt::Write;

/// Longer intervals are printed as `lo..hi`.
const INTERVAL_MAX: usize = 64;
/// TLC prints the elements of lazy sets with fewer elements than this.
const ENUMERATED_MAX: usize = 2000;
/// TLC prints the elements of `SUBSET S` if `S` has fewer elements than this.
const POWERSET_BASE_MAX: usize = 7;

impl Store {
    /// The value as TLC prints it, on one line.
    pub fn show(&self, value: Value) -> String {
        let mut out = String::new();
        self.write(&mut out, value);
        out
    }

    pub(crate) fn write(&self, out: &mut String, value: Value) {
        match self.view(value) {
            View::Bool(true) => out.push_str("TRUE"),
            View::Bool(false) => out.push_str("FALSE"),
            View::Int(i) => write_display(out, i),
            View::String(number) => write_quoted(out, self.names().text(number)),
            View::Model(number) => out.push_str(self.names().text(number)),
            View::Infinite(infinite) => out.push_str(infinite_name(infinite)),
            View::Transient(u32::MAX) => out.push_str("null"),
            View::Transient(number) => write_display(out, format_args!("<closure {number}>")),
            View::Interval { lo, hi } if interval_len(lo, hi) > INTERVAL_MAX => self.write_part(out, value),
            View::Interval { lo, hi } => self.write_list(out, "{", self.interval_items(lo, hi).iter(), "}"),
            View::Set(elems) => self.write_list(out, "{", elems.iter(), "}"),
            View::Tuple(elems) => self.write_list(out, "<<", elems.iter(), ">>"),
            View::Record { shape, values } if self.are_names(shape) => self.write_record(out, shape, values),
            View::Record { .. } | View::Function { .. } => self.write_function(out, value),
            _ => self.write_lazy(out, value),
        }
    }

    /// Whether TLC prints a function over these strings as a record.
    pub(crate) fn are_names(&self, shape: Elems<'_>) -> bool {
        shape.iter().all(|name| self.string_text(name).is_some_and(is_name))
    }

    fn write_list(&self, out: &mut String, open: &str, elems: impl Iterator<Item = Value>, close: &str) {
        out.push_str(open);
        for (index, elem) in elems.enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.write(out, elem);
        }
        out.push_str(close);
    }

    fn write_record(&self, out: &mut String, shape: Elems<'_>, values: Elems<'_>) {
        out.push('[');
        for (index, (name, value)) in shape.iter().zip(values).enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            out.push_str(self.string_text(name).unwrap_or(""));
            out.push_str(" |-> ");
            self.write(out, value);
        }
        out.push(']');
    }

    fn write_function(&self, out: &mut String, function: Value) {
        let Some(parts) = self.parts(function) else { return };
        out.push('(');
        for (index, (arg, value)) in parts.domain.iter().zip(parts.values).enumerate() {
            if index > 0 {
                out.push_str(" @@ ");
            }
            self.write(out, arg);
            out.push_str(" :> ");
            self.write(out, value);
        }
        out.push(')');
    }

    fn write_lazy(&self, out: &mut String, set: Value) {
        let small = match self.view(set) {
            View::Powerset(base) => self.cardinality(base).is_ok_and(|n| n < POWERSET_BASE_MAX),
            _ => self.cardinality(set).is_ok_and(|n| n < ENUMERATED_MAX),
        };
        if small && let Ok(normal) = self.normalize(set) {
            self.write(out, normal);
        } else {
            self.write_expression(out, set);
        }
    }

    fn write_expression(&self, out: &mut String, set: Value) {
        match self.view(set) {
            View::Powerset(base) if matches!(self.view(base), View::Interval { .. }) => {
                out.push_str("SUBSET (");
                self.write_part(out, base);
                out.push(')');
            }
            View::Powerset(base) => {
                out.push_str("SUBSET ");
                self.write_part(out, base);
            }
            View::FunctionSet { domain, range } => {
                out.push('[');
                self.write_part(out, domain);
                out.push_str(" -> ");
                self.write_part(out, range);
                out.push(']');
            }
            View::RecordSet { shape, sets } => {
                out.push('[');
                for (index, (name, set)) in shape.iter().zip(sets).enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    out.push_str(self.string_text(name).unwrap_or(""));
                    out.push_str(": ");
                    self.write_part(out, set);
                }
                out.push(']');
            }
            View::Product(sets) => {
                out.push('(');
                for (index, set) in sets.iter().enumerate() {
                    out.push_str(if index > 0 { " \\X " } else { "" });
                    self.write_part(out, set);
                }
                out.push(')');
            }
            View::SeqSet(base) => {
                out.push_str("Seq(");
                self.write_part(out, base);
                out.push(')');
            }
            View::Cup(left, right) => self.write_infix(out, left, " \\cup ", right),
            View::Cap(left, right) => self.write_infix(out, left, " \\cap ", right),
            View::Diff(left, right) => self.write_infix(out, left, " \\ ", right),
            _ => {}
        }
    }

    fn write_infix(&self, out: &mut String, left: Value, operator: &str, right: Value) {
        self.write_part(out, left);
        out.push_str(operator);
        self.write_part(out, right);
    }

    /// Writes an operand of a set expression. Intervals are easiest to read as `lo..hi` there.
    pub(crate) fn write_part(&self, out: &mut String, set: Value) {
        match self.view(set) {
            View::Interval { lo, hi } => write_display(out, format_args!("{lo}..{hi}")),
            _ => self.write(out, set),
        }
    }
}

pub(crate) fn infinite_name(infinite: Infinite) -> &'static str {
    match infinite {
        Infinite::Nat => "Nat",
        Infinite::Int => "Int",
        Infinite::Real => "Real",
        Infinite::String => "STRING",
        Infinite::Any => "ANY",
    }
}

fn write_display(out: &mut String, what: impl std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{what}");
}

fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Whether the text has the form of a field name.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c == '_' || c.is_alphanumeric())
        && text.chars().any(char::is_alphabetic)
        && (text.chars().count() < 4 || !(text.starts_with("WF_") || text.starts_with("SF_")))
}
