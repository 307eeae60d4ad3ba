//! Checks the section `[suite]` of a mapping as far as that needs no state graph, so that a slip of the pen shows before anything
//! long begins.

use kilter_base::{Diagnostic, Diagnostics, FileId, Span, suggest};
use kilter_mapping::Summary;
use kilter_mapping::file::{SuiteSection, place_in_suite};
use kilter_suite::Cover;

use crate::predicate::mistake;
use crate::suite::Request;

/// What is wrong with the value of a key.
struct Wrong<'w> {
    key: &'static str,
    /// The part of the value that is wrong, if that is known.
    word: Option<&'w str>,
    message: String,
    help: Option<String>,
}

/// What is wrong with the section, for a specification with these names and model values. The mapping is source file `id`, and
/// has this text.
pub(crate) fn check(
    section: &SuiteSection,
    summary: &Summary,
    models: &[&str],
    (id, text): (FileId, &str),
) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    for Wrong { key, word, message, help } in wrongs(section, summary, models) {
        let range = place_in_suite(text, key).map(|range| {
            let at = word.and_then(|word| Some((text.get(range.clone())?.find(word)?, word.len())));
            at.map_or(range.clone(), |(at, length)| range.start + at..range.start + at + length)
        });
        let span = range.map(|range| Span { file: id, start: range.start as u32, end: range.end as u32 });
        diagnostics.push(Diagnostic { span, help, ..Diagnostic::global(message) });
    }
    diagnostics
}

fn wrongs<'w>(section: &'w SuiteSection, summary: &Summary, models: &[&str]) -> Vec<Wrong<'w>> {
    let mut found = Vec::new();
    let actions = summary.action_names();
    for (key, names) in [("actions", &section.actions), ("end-actions", &section.end_actions)] {
        for name in names.iter().filter(|name| !actions.contains(&name.as_str())) {
            let message = format!("the specification has no action `{name}`");
            found.push(Wrong { key, word: Some(name), message, help: meant(name, &actions) });
        }
    }
    for name in section.symmetry.iter().flat_map(|set| set.split(',')).map(str::trim) {
        if !name.is_empty() && !models.contains(&name) {
            let message = format!("the specification has no model value `{name}`");
            found.push(Wrong { key: "symmetry", word: Some(name), message, help: meant(name, models) });
        }
    }
    if section.max_steps == Some(0) {
        let message = "a case of no steps tests nothing".to_owned();
        found.push(Wrong { key: "max-steps", word: None, message, help: None });
    }
    if let Err(wrong) = Request::of_section(section, None) {
        let help = meant(&wrong.value, &wrong.known);
        found.push(Wrong { key: wrong.key, word: None, message: wrong.to_string(), help });
    }
    let of_steps = section.cover.as_deref() != Some(Cover::States.name());
    let formulas = [("only-when", &section.only_when, of_steps), ("end-when", &section.end_when, false)];
    for (key, formula, of_steps) in formulas {
        let Some(formula) = formula else { continue };
        if let Some(error) = mistake(formula, of_steps, &summary.variables, models) {
            let help = "a formula can use the variables, model values and standard modules, but no definition of the specification";
            found.push(Wrong { key, word: None, message: error.to_string(), help: Some(help.to_owned()) });
        }
    }
    found
}

/// What may have been meant.
fn meant(name: &str, known: &[&str]) -> Option<String> {
    suggest::closest(name, known.iter().copied()).map(|similar| format!("did you mean `{similar}`?"))
}
