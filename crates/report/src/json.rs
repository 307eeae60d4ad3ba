//! Writes a record as JSON for scripts: the contract of `--json` of `kilter test`, `explore`, `converge` and `report`.

use kilter_run::{Finding, Place, Verb};
use serde_json::{Map, Value as Json, json};

use crate::record::Record;
use crate::shown::shown;
use crate::summary::{Group, Summary};
use crate::table::cited;
use crate::text::is_whole;

/// Writes the record as one object.
pub fn json(record: &Record, summary: &Summary<'_>) -> Json {
    let actions: Map<String, Json> = summary
        .coverage
        .iter()
        .map(|row| {
            (
                row.action.clone(),
                json!({ "edges": row.n_edges, "confirmed": row.n_confirmed, "failed": row.n_failed }),
            )
        })
        .collect();
    let mut answer = Map::new();
    if record.header.verb == Verb::Explore {
        // A search that has played nothing has counted nothing.
        answer.extend(["sequences", "events", "states", "depth"].map(|name| (name.to_owned(), json!(0))));
    }
    let counters = summary.counters.sums.iter().chain(&summary.counters.peaks);
    answer.extend(counters.map(|(name, n)| (name.clone(), json!(n))));
    answer.extend(summary.counters.n_distinct().map(|(name, n)| (format!("distinct_{name}"), json!(n))));
    let findings: Vec<Json> = record.findings.iter().map(|found| finding(record, found)).collect();
    let fields = json!({
        "cases": summary.n_cases,
        "planned": summary.n_planned,
        "passed": summary.n_passed,
        "not_run": summary.n_not_run,
        "steps": summary.n_steps,
        "findings": findings,
        "groups": summary.groups.iter().filter_map(Group::facts).collect::<Vec<_>>(),
        "seconds": summary.seconds,
        "cases_per_second": summary.cases_per_second,
        "waited_seconds": summary.waited_seconds,
        "finished": summary.is_finished,
        "verdict": verdict(record, summary),
    });
    extend(&mut answer, fields);
    if !actions.is_empty() {
        let fields = json!({
            "states": record.header.states,
            "edges": summary.n_edges,
            "confirmed_edges": summary.n_confirmed,
            "failed_edges": summary.n_failed_edges,
            "unreachable_edges": summary.n_behind,
            "actions": actions,
        });
        extend(&mut answer, fields);
        if summary.n_untried > 0 {
            answer.insert("untried_edges".to_owned(), json!(summary.n_untried));
        }
    }
    if let Some(shown) = shown(record) {
        answer.insert("shown".to_owned(), shown.json());
    }
    if let Some(why) = &record.stopped {
        answer.insert("stopped".to_owned(), json!(why));
    }
    if !record.missing.is_empty() {
        answer.insert("missing".to_owned(), json!(record.missing));
    }
    if let Some(shard) = record.header.shard {
        answer.insert("shard".to_owned(), json!(shard));
    }
    if record.header.verb == Verb::Explore || !record.warnings.is_empty() {
        answer.insert("warnings".to_owned(), json!(record.warnings));
    }
    if !record.header.mutations.is_empty() {
        answer.insert("mutations".to_owned(), json!(record.header.mutations));
    }
    if let Some(only) = &record.header.only {
        answer.insert("only".to_owned(), json!(only));
    }
    Json::Object(answer)
}

/// The verdict in one word.
fn verdict(record: &Record, summary: &Summary<'_>) -> &'static str {
    match record.findings.len() {
        0 if is_whole(record, summary) => "ok",
        0 => "bounded",
        _ => "findings",
    }
}

/// A finding: the fields that all methods have, and those of its own method.
fn finding(record: &Record, finding: &Finding) -> Json {
    let mut object = finding.more.clone();
    let fields = json!({
        "kind": finding.kind.name(),
        "case": finding.case,
        "step": finding.step,
        "action": finding.action,
        "variables": finding.variables,
        "summary": finding.summary,
        "stable": finding.stable,
        "shortest": finding.shortest,
        "steps": finding.path.len(),
        "group": finding.group,
        "repeat": finding.repeat,
        "logs": finding.logs,
    });
    extend(&mut object, fields);
    let place = |place: &Place| json!({ "file": place.file, "line": place.line });
    let table: Map<String, Json> = cited(record, finding)
        .into_iter()
        .map(|(name, places)| (name.to_owned(), places.iter().map(place).collect()))
        .collect();
    if !table.is_empty() {
        object.insert("table".to_owned(), Json::Object(table));
    }
    Json::Object(object)
}

fn extend(object: &mut Map<String, Json>, fields: Json) {
    if let Json::Object(fields) = fields {
        object.extend(fields);
    }
}
