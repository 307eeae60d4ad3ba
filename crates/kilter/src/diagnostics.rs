//! Shows errors and warnings to people, with the lines that they are about. The text always has styles; whoever prints
//! it removes them where they do not belong.

use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use kilter_base::{Diagnostic, Diagnostics, FileId, Severity, Sources, Span};

use kilter_report::style::{BAD, DOUBT, STRONG, paint, plural};
use kilter_system::keys::BadText;
use serde_json::{Value as Json, json};

/// The most diagnostics that are shown. Nobody reads more.
const SHOWN_MAX: usize = 100;

/// Everything that is wrong with a mapping or its specification.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.lines().join("\n"))]
pub struct Problems {
    /// All files that were read.
    pub sources: Sources,
    /// All errors and warnings.
    pub diagnostics: Diagnostics,
}

impl Problems {
    /// What is wrong with the text of a configuration, which is source file `id`.
    pub(crate) fn of_config(sources: Sources, id: FileId, error: BadText) -> Problems {
        let BadText { message, help, range } = error;
        let diagnostic = match range {
            Some(range) => Diagnostic::error(
                Span { file: id, start: range.start as u32, end: range.end as u32 },
                message,
            ),
            None => Diagnostic::global(message),
        };
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(Diagnostic { help, ..diagnostic });
        Problems { sources, diagnostics }
    }

    /// What is wrong with the text of a configuration.
    pub(crate) fn of_text(path: &Path, text: &str, error: BadText) -> Problems {
        let mut sources = Sources::default();
        let id = sources.add(path.display().to_string(), text);
        Problems::of_config(sources, id, error)
    }

    /// The diagnostics as text for people.
    pub fn text(&self) -> String {
        show(&self.sources, &self.diagnostics)
    }

    /// One line for each error.
    pub fn lines(&self) -> Vec<String> {
        self.errors().map(|diagnostic| diagnostic.one_line(&self.sources)).collect()
    }

    /// The errors, for scripts.
    pub fn json(&self) -> Vec<Json> {
        self.errors().map(|diagnostic| to_json(diagnostic, &self.sources)).collect()
    }

    fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// For scripts: message, help, file, line and column.
pub fn to_json(diagnostic: &Diagnostic, sources: &Sources) -> Json {
    let mut json = json!({ "message": diagnostic.message, "help": diagnostic.help });
    place(&mut json, diagnostic.span, sources);
    json
}

/// Adds file, line and column; null where there is no place.
pub fn place(json: &mut Json, span: Option<Span>, sources: &Sources) {
    let position = span.map(|span| (sources.file(span.file), sources.file(span.file).position(span.start)));
    json["file"] = position.map(|(file, _)| file.name.clone()).into();
    json["line"] = position.map(|(_, position)| position.line).into();
    json["column"] = position.map(|(_, position)| position.column).into();
}

/// The word that begins an error line.
pub fn error_word() -> String {
    paint(BAD, "error")
}

/// The number of columns of the terminal, or of a page if it is not known.
pub fn width() -> usize {
    const PAGE: usize = 100;
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(PAGE).clamp(60, 160)
}

/// Shows the diagnostics, unless they are very many, and the number of errors.
pub fn show(sources: &Sources, diagnostics: &Diagnostics) -> String {
    // If not all can be shown, errors come before warnings.
    let mut shown: Vec<&Diagnostic> = diagnostics.iter().collect();
    if shown.len() > SHOWN_MAX {
        shown.sort_by_key(|diagnostic| diagnostic.severity);
        shown.truncate(SHOWN_MAX);
    }
    let each: Vec<String> = shown.into_iter().map(|diagnostic| one(sources, diagnostic)).collect();
    let mut out = each.join("\n");
    let n_errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    if n_errors > 1 {
        let total = paint(BAD, plural(n_errors as u64, "error"));
        out.extend(["\n", &total, "\n"]);
    }
    out
}

fn one(sources: &Sources, diagnostic: &Diagnostic) -> String {
    if diagnostic.span.is_none() {
        return without_place(diagnostic);
    }
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(diagnostic.message.as_str()));
    if let Some(span) = diagnostic.span {
        let same_file = |(other, _): &&(Span, String)| other.file == span.file;
        let labels = diagnostic.related.iter().filter(same_file);
        let related = labels
            .map(|(other, label)| AnnotationKind::Context.span(range(sources, *other)).label(label.as_str()));
        group = group.element(snippet(sources, span).annotations(related));
        for (other, label) in diagnostic.related.iter().filter(|pair| !same_file(pair)) {
            group = group.element(Level::NOTE.message(label.as_str())).element(snippet(sources, *other));
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    Renderer::styled().term_width(width()).render(&[group]) + "\n"
}

fn without_place(diagnostic: &Diagnostic) -> String {
    let word = match diagnostic.severity {
        Severity::Error => error_word(),
        Severity::Warning => paint(DOUBT, "warning"),
    };
    let help = diagnostic.help.as_ref().map(|help| format!("  {}: {help}\n", paint(STRONG, "help")));
    format!("{word}: {}\n{}", diagnostic.message, help.unwrap_or_default())
}

/// The lines that a span covers.
pub fn snippet(sources: &Sources, span: Span) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let file = sources.file(span.file);
    Snippet::source(file.text.as_str())
        .path(file.name.as_str())
        .annotation(AnnotationKind::Primary.span(range(sources, span)))
}

/// The range of a span, as the renderer needs it: inside of the text, on character boundaries, and only the first line
/// of a long span.
fn range(sources: &Sources, span: Span) -> Range<usize> {
    const LINES_MAX: usize = 6;
    let text = &sources.file(span.file).text;
    let start = boundary(text, span.start as usize);
    let end = boundary(text, span.end as usize).max(start);
    let covered = &text[start..end];
    match covered.find('\n') {
        Some(first) if covered.matches('\n').count() > LINES_MAX => start..start + first,
        _ => start..end,
    }
}

/// The last character boundary up to an offset.
fn boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|offset| text.is_char_boundary(*offset)).unwrap_or(0)
}
