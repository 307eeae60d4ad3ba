//! The state of a check, with methods for all its parts.

use std::ops::Range;

use kilter_base::suggest::closest;
use kilter_base::{Diagnostic, Diagnostics, FileId, Span};
use kilter_system::keys::{BadText, Part};
use kilter_value::{Store, Value};
use serde_json::Value as Json;
use toml::Spanned;

use crate::errors;
use crate::shape::{self, Shape};
use crate::summary::Summary;
use crate::words::Words;

/// The state of a check.
pub(crate) struct Checker<'c> {
    pub(crate) id: FileId,
    pub(crate) text: &'c str,
    pub(crate) summary: &'c Summary,
    pub(crate) store: &'c Store,
    pub(crate) words: Words,
    pub(crate) diagnostics: Diagnostics,
}

impl Checker<'_> {
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        Span { file: self.id, start: range.start as u32, end: range.end as u32 }
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// An entry of the file. `None` if it can't be read, which is reported.
    pub(crate) fn entry<'e, T>(&mut self, entry: &'e Spanned<Part<T>>) -> Option<&'e T> {
        match &entry.get_ref().0 {
            Ok(read) => Some(read),
            Err(message) => {
                let BadText { message, help, range } = BadText::of_part(message, self.text, entry.span());
                let span = range.map(|range| self.span(range));
                self.push(Diagnostic { span, help, ..Diagnostic::global(message) });
                None
            }
        }
    }

    /// A section of the file. Its defaults if it is not there, or can't be read, which is reported.
    pub(crate) fn section<T: Clone + Default>(&mut self, section: Option<&Spanned<Part<T>>>) -> T {
        section.and_then(|section| self.entry(section)).cloned().unwrap_or_default()
    }

    /// The value of a name: a constant, a model value, a string of the specification, or a number.
    pub(crate) fn named(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.summary.constants.get(name) {
            return Some(*value);
        }
        if let Some(value) = self.words.value(&Json::from(name)) {
            return Some(value);
        }
        match name.parse() {
            Ok(number) => Some(self.store.int(number)),
            Err(_) => self.store.knows_name(name).then(|| self.store.string(name)),
        }
    }

    /// The index of the node with this name. Reports an error if there is none.
    pub(crate) fn node_named(&mut self, name: &Spanned<String>) -> Option<usize> {
        let node = self.words.node_named(name.get_ref());
        if node.is_none() {
            let known: Vec<String> = self.words.nodes().iter().map(|(name, _)| name.clone()).collect();
            self.push(errors::unknown_node(self.span(name.span()), name.get_ref(), &known));
        }
        node
    }

    /// Parses a shape. It is `any` if none is given, or if it has errors, which are reported.
    pub(crate) fn shape(&mut self, text: Option<&Spanned<String>>) -> Shape {
        let Some(text) = text else { return Shape::Any };
        match shape::parse(text.get_ref(), &|name| self.named(name)) {
            Ok(shape) => shape,
            Err(error) => {
                let range = self.inside(text, error.at);
                let known = self.summary.constants.keys().map(String::as_str);
                let similar = error.unknown.as_ref().and_then(|name| closest(name, known));
                self.push(errors::bad_shape(self.span(range), &error.message, similar));
                Shape::Any
            }
        }
    }

    /// The range of a place inside of a string of the file. It is as exact as the string's escapes allow.
    fn inside(&self, text: &Spanned<String>, at: usize) -> Range<usize> {
        let range = text.span();
        let raw = self.text.get(range.clone()).unwrap_or_default();
        match raw.find(text.get_ref().as_str()) {
            Some(start) if !text.get_ref().is_empty() => {
                let start = range.start + start + at.min(text.get_ref().len());
                start..(start + 1).min(range.end)
            }
            _ => range,
        }
    }
}

/// Converts TOML to JSON. `None` for a date or time, which JSON does not have.
pub(crate) fn json_of(value: &toml::Value) -> Option<Json> {
    Some(match value {
        toml::Value::String(text) => Json::from(text.as_str()),
        toml::Value::Integer(number) => Json::from(*number),
        toml::Value::Float(number) => Json::from(*number),
        toml::Value::Boolean(b) => Json::from(*b),
        toml::Value::Datetime(_) => return None,
        toml::Value::Array(items) => items.iter().map(json_of).collect::<Option<Json>>()?,
        toml::Value::Table(table) => {
            let fields = table.iter().map(|(name, value)| Some((name.clone(), json_of(value)?)));
            Json::Object(fields.collect::<Option<_>>()?)
        }
    })
}
