//! Diagnostics as data: what is wrong, where, and what to do. The command line renders them.

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

/// Cuts very long words of a text in the middle.
pub fn readable(text: String) -> String {
    if text.len() <= WORD_CHARS_MAX {
        return text;
    }
    let cut = |word: &str| {
        let n_chars = word.chars().count();
        if n_chars <= WORD_CHARS_MAX {
            return word.to_owned();
        }
        let start: String = word.chars().take(WORD_CHARS_KEPT).collect();
        let end: String = word.chars().skip(n_chars - WORD_CHARS_KEPT).collect();
        format!("{start}…{end}")
    };
    text.split_inclusive(char::is_whitespace).map(cut).collect()
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
}
