//! A record for scripts: the contract of `kilter test --json`.

use serde_json::{Value as Json, json};

use crate::record::Record;
use crate::summary::Summary;

/// One object.
pub fn json(record: &Record, summary: &Summary<'_>) -> Json {
    let findings: Vec<Json> = record
        .findings
        .iter()
        .map(|finding| {
            json!({
                "kind": finding.kind.name(),
                "case": finding.case,
                "step": finding.step,
                "action": finding.action,
                "variables": finding.variables,
                "summary": finding.summary,
                "group": finding.group,
                "stable": finding.stable,
                "shortest": finding.shortest,
                "repeat": finding.repeat,
            })
        })
        .collect();
    let actions: serde_json::Map<String, Json> = summary
        .coverage
        .iter()
        .map(|row| (row.action.clone(), json!({ "edges": row.n_edges, "confirmed": row.n_confirmed })))
        .collect();
    json!({
        "cases": summary.n_cases,
        "planned_cases": summary.n_planned,
        "passed": summary.n_passed,
        "findings": findings,
        "groups": summary.groups.len(),
        "edges": summary.n_edges,
        "confirmed_edges": summary.n_confirmed,
        "actions": actions,
        "seconds": summary.seconds,
        "cases_per_second": summary.cases_per_second,
        "waited_share": summary.waited_share,
        "finished": summary.is_finished,
    })
}
