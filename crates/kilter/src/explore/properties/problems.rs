//! What is wrong with formulas, shown where they are written.

use std::collections::BTreeMap;

use kilter_base::{Diagnostic, Diagnostics, FileId, Severity, Sources, Span};
use kilter_value::Store;

use super::{Formulas, texts};
use crate::diagnostics::Problems;
use crate::load::load_texts;

/// The end of the module that is made around a formula.
const MODULE_END: &str = "found `====`";

/// How formulas named JSON's `null` once. It would equal nothing now.
const QUOTED_NULL: &str = "\"null\"";

/// Looks at each formula alone: what is not closed in one must not be told of the next.
pub(super) fn check(nodes: &[String], formulas: &Formulas<'_>) -> Result<(), Box<Problems>> {
    let mut found = Problems { sources: Sources::default(), diagnostics: Diagnostics::default() };
    let safety = formulas.safety.iter().map(|(name, text)| (format!("the property `{name}`"), text.as_str()));
    for (name, text) in safety.chain(formulas.goal.map(|goal| ("the goal".to_owned(), goal))) {
        let alone = Formulas { safety: &BTreeMap::new(), goal: Some(text), ..*formulas };
        let (module, config, _) = texts(nodes, &alone);
        if let Some(start) = text.find(QUOTED_NULL) {
            let span = Span {
                file: found.sources.add(&name, text),
                start: start as u32,
                end: (start + QUOTED_NULL.len()) as u32,
            };
            let mut told =
                Diagnostic::error(span, format!("in {name}: what nodes report as `null` is no string"));
            told.help = Some("write `null` without quotes".to_owned());
            found.diagnostics.push(told);
            continue;
        }
        let Err(refusal) = load_texts(("properties", &module), ("properties.cfg", &config), &Store::new())
        else {
            continue;
        };
        // The formula is the last thing in the module that reads so.
        let before = module.rfind(text).unwrap_or(0) as u32;
        let formula = Formula { name: &name, file: found.sources.add(&name, text), before, text };
        for diagnostic in refusal.diagnostics.iter().filter(|one| one.severity == Severity::Error) {
            let told = formula.tell(diagnostic, formulas.variables);
            // What is wrong with the variables is wrong with each formula.
            if !found.diagnostics.iter().any(|other| *other == told) {
                found.diagnostics.push(told);
            }
        }
    }
    if found.diagnostics.is_empty() { Ok(()) } else { Err(Box::new(found)) }
}

/// A formula, and where it is in the module around it.
struct Formula<'f> {
    name: &'f str,
    file: FileId,
    before: u32,
    text: &'f str,
}

impl Formula<'_> {
    /// The same in the words and at the places of the formula.
    fn tell(&self, diagnostic: &Diagnostic, variables: &[String]) -> Diagnostic {
        let Some(span) = diagnostic.span.and_then(|span| self.moved(span)) else {
            return Diagnostic::global(format!("`variables` of [properties]: {}", diagnostic.message));
        };
        let message = diagnostic.message.replace(MODULE_END, "found the end");
        let mut told = Diagnostic::error(span, format!("in {}: {message}", self.name));
        let related = diagnostic.related.iter();
        told.related =
            related.filter_map(|(span, label)| Some((self.moved(*span)?, label.clone()))).collect();
        let known = || {
            format!("a formula may use `up`, `Nodes`, `null` and what nodes report: {}", variables.join(", "))
        };
        told.help = diagnostic.help.clone().or(message.ends_with("is not defined").then(known));
        told
    }

    /// A place of the module in the formula; `None` if it is before it. Its end is the end of the formula.
    fn moved(&self, span: Span) -> Option<Span> {
        let end = self.text.trim_end().len() as u32;
        let start = span.start.checked_sub(self.before)?.min(end);
        Some(Span { file: self.file, start, end: (span.end - self.before).clamp(start, end.max(start)) })
    }
}

/// The same problems in the file with the formulas, if it has them word by word; otherwise each formula stands alone.
pub(in crate::explore) fn in_file(problems: &Problems, path: &str, text: &str) -> Problems {
    let mut sources = Sources::default();
    let file = sources.add(path, text);
    let mut place = |span: Span| {
        let formula = problems.sources.file(span.file);
        let mut places = text.match_indices(formula.text.as_str());
        match (places.next(), places.next()) {
            (Some((offset, _)), None) => {
                let offset = offset as u32;
                Span { file, start: span.start + offset, end: span.end + offset }
            }
            _ => Span { file: sources.add(&formula.name, &formula.text), ..span },
        }
    };
    let mut diagnostics = Diagnostics::default();
    for diagnostic in &problems.diagnostics {
        let span = diagnostic.span.map(&mut place);
        let related = diagnostic.related.iter().map(|(span, label)| (place(*span), label.clone())).collect();
        diagnostics.push(Diagnostic { span, related, ..diagnostic.clone() });
    }
    Problems { sources, diagnostics }
}
