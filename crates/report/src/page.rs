//! Writes a record as one HTML page that needs no other file, and works from a file.
//!
//! Summary, findings and coverage are HTML, which the template engine escapes. The paths, the cases and the notes are
//! embedded as JSON. A script draws a path when its finding is opened, and of the cases those that are in sight.

mod cases;
mod model;

use kilter_run::{Shown, Verb};
use minijinja::{AutoEscape, Environment, Error, Value, context, value::Serde};
use serde_json::{Value as Json, json};

use crate::record::Record;
use crate::summary::Summary;

use model::Page;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// The most findings of a group that are on the page. These are the ones with the shortest paths.
const SHOWN_MAX: usize = 25;

/// Writes the whole page.
pub fn page(record: &Record, summary: &Summary<'_>) -> String {
    // The template is ours and is rendered in every test. A record can't make it fail.
    render(record, summary).expect("the page's template fits its data")
}

fn render(record: &Record, summary: &Summary<'_>) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let page = Page::new(record, summary, SHOWN_MAX);
    let shown = page.shown();
    let mut paths: Vec<Json> = shown.iter().map(|finding| json!(finding)).collect();
    paths.extend(page.ends().map(end));
    let data = in_script(&json!({
        "nodes": record.header.nodes,
        "cases": cases::cases(record, &shown),
        "notes": cases::notes(record),
        "places": record.header.places,
        "code": record.header.code,
        "table": record.header.table,
        "findings": paths,
        "first": if record.header.verb == Verb::Follow { "State before" } else { "Initial state" },
        "observed": if record.header.verb == Verb::Follow { "log says" } else { "system has" },
    }));
    environment.template_from_named_str("page.html", TEMPLATE)?.render(context! {
        style => STYLE,
        script => SCRIPT,
        data => data,
        ..Value::from(Serde(&page))
    })
}

/// The last steps of a log that is accepted, drawn like a finding in which no step failed.
fn end(shown: &Shown) -> Json {
    json!({
        "kind": "accepted", "case": shown.case, "step": null, "action": "", "differences": [], "offers": [],
        "initial": shown.initial, "path": shown.path,
    })
}

/// Escapes JSON for a script element. Nothing in it can end the element, or open a comment.
fn in_script(json: &Json) -> String {
    json.to_string().replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}
