//! Diagnostics as data: what is wrong, where, and what to do. The command line renders them.

use std::borrow::Cow;

use crate::source::{Sources, Span};

/// How serious a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but probably not as intended.
    Warning,
}

/// A message about a place in the sources, or about the input as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether the input can be used.
    pub severity: Severity,
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    /// Where the fault is. `None` if it belongs to no place, such as a missing file.
    pub span: Option<Span>,
    /// Other places that explain the message, each with a short label.
    pub related: Vec<(Span, String)>,
    /// What the user can do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Place and message on one line.
    pub fn one_line(&self, sources: &Sources) -> String {
        match self.span {
            Some(span) => format!("{}: {}", sources.place(span), self.message),
            None => self.message.clone(),
        }
    }

    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: readable(message.into()),
            span: Some(span),
            related: Vec::new(),
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// An error that belongs to no place, such as a missing file.
    pub fn global(message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: readable(message.into()),
            span: None,
            related: Vec::new(),
            help: None,
        }
    }

    /// Adds a hint that says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(readable(help.into()));
        self
    }

    /// Adds another place that explains the message, with a short label.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, readable(label.into())));
        self
    }
}

/// Longer words of a message are cut. Nobody reads a name of a million letters.
const WORD_CHARS_MAX: usize = 200;
/// The number of characters kept at each end of a word that is cut.
const WORD_CHARS_KEPT: usize = 60;

/// Longer messages are cut. A value that is written out may have a million elements.
const TEXT_CHARS_MAX: usize = 4000;
/// The number of characters kept at each end of a message that is cut.
const TEXT_CHARS_KEPT: usize = 1500;

/// Cuts very long words of a text, and a very long text, in the middle.
pub fn readable(text: String) -> String {
    if text.len() <= WORD_CHARS_MAX {
        return text;
    }
    let word = |word| without_middle(word, WORD_CHARS_MAX, WORD_CHARS_KEPT);
    let text: String = text.split_inclusive(char::is_whitespace).map(word).collect();
    without_middle(&text, TEXT_CHARS_MAX, TEXT_CHARS_KEPT).into_owned()
}

/// A text of more than `chars_max` characters becomes its first and last `n_kept`.
fn without_middle(text: &str, chars_max: usize, n_kept: usize) -> Cow<'_, str> {
    // No text has more characters than bytes.
    if text.len() <= chars_max || text.chars().count() <= chars_max {
        return text.into();
    }
    let place = |nth: Option<(usize, char)>| nth.map_or(text.len(), |(place, _)| place);
    let start = &text[..place(text.char_indices().nth(n_kept))];
    let end = &text[place(text.char_indices().nth_back(n_kept - 1))..];
    format!("{start}…{end}").into()
}

/// Diagnostics in the order they were found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Appends a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.items.push(diagnostic);
    }

    /// Appends all diagnostics of another list.
    pub fn extend(&mut self, other: Diagnostics) {
        self.items.extend(other.items);
    }

    /// Whether at least one diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.items.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The diagnostics in the order they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// Whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What is wrong with a line of JSON, and in which column. Its reader says `… at line 1 column 7`, because it sees one line
/// alone.
pub fn in_one_line(reason: &str) -> String {
    match reason.rsplit_once(" at line 1 column ") {
        Some((what, "0")) => what.to_owned(),
        Some((what, column)) => format!("{what}, in column {column}"),
        None => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut_and_others_stay() {
        let name = "a".repeat(1_000_000);
        let message = Diagnostic::global(format!("`{name}` is not defined")).message;
        assert!(message.starts_with("`aaa") && message.ends_with("a` is not defined"), "{message}");
        assert!(message.chars().count() < 200);
        let text = "many short words ".repeat(100);
        assert_eq!(Diagnostic::global(text.clone()).message, text);
    }

    #[test]
    fn a_long_text_is_cut_in_the_middle() {
        let text = format!("in {{{}}} is no 7", "ä, ".repeat(1_000_000));
        let message = Diagnostic::global(text).message;
        assert!(message.starts_with("in {ä, ä") && message.ends_with("ä, } is no 7"), "{message}");
        assert_eq!(message.chars().count(), 2 * TEXT_CHARS_KEPT + 1);
    }
}
