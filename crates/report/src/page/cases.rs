//! The cases and notes of the page. A script shows those that are in sight, because there may be very many.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use kilter_run::{Case, Finding};
use serde_json::{Value as Json, json};

use crate::record::Record;

/// Says which cases have which actions. Long texts are not repeated in each case.
pub(super) fn cases(record: &Record, shown: &[&Finding]) -> Json {
    let mut by_case: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, finding) in shown.iter().enumerate() {
        by_case.entry(&finding.case).or_insert(index + 1);
    }
    let rows: Vec<Json> = record.cases.iter().map(|case| row(record, case, &by_case)).collect();
    let names = record.actions.as_ref().map_or(&[][..], |actions| &actions.names);
    json!({ "actions": names, "rows": rows })
}

/// A case as a list: id, verdict, milliseconds, steps, indices of actions, number of its finding on the page, logs, and
/// why it was not run.
fn row(record: &Record, case: &Case, by_case: &BTreeMap<&str, usize>) -> Json {
    let verdict = match (&case.not_run, case.passed) {
        (Some(_), _) => "not run",
        (None, true) => "passed",
        (None, false) => "failed",
    };
    // JSON has no other numbers than finite ones.
    let ms = if case.ms.is_finite() { (case.ms * 1000.0).round() / 1000.0 } else { 0.0 };
    let of_edges = record.actions.as_ref().map_or(&[][..], |actions| &actions.of_edges);
    let actions: BTreeSet<u32> =
        case.edges.iter().filter_map(|edge| of_edges.get(*edge as usize)).copied().collect();
    let finding = by_case.get(case.id.as_str());
    json!([case.id, verdict, ms, case.steps, actions, finding, case.logs, case.not_run])
}

/// The notes, as pairs of case and text.
pub(super) fn notes(record: &Record) -> Json {
    record.notes.iter().map(|(case, text)| json!([case, text])).collect()
}

/// The files in a folder of logs, as pairs of name and relative address.
pub(super) fn log_files(record: &Record, logs: &str) -> Vec<(String, String)> {
    let first = match record.header.verb {
        kilter_run::Verb::Converge => "about.txt",
        kilter_run::Verb::Test | kilter_run::Verb::Explore | kilter_run::Verb::Follow => "conversation.txt",
    };
    let outputs = record.header.nodes.iter().map(|node| format!("{}.output.txt", node.replace('/', "_")));
    let names = std::iter::once(first.to_owned()).chain(outputs);
    names.map(|name| (name.clone(), address(&format!("{logs}/{name}")))).collect()
}

/// A relative address. It can't name another host or a script.
pub(super) fn address(path: &str) -> String {
    let mut address = String::from("./");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'/' => {
                address.push(char::from(byte));
            }
            other => _ = write!(address, "%{other:02X}"),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_are_relative() {
        assert_eq!(address("kilter-logs/e9/n1.output.txt"), "./kilter-logs/e9/n1.output.txt");
        assert_eq!(address("javascript:alert(1)"), "./javascript%3Aalert%281%29");
        assert_eq!(address("a b#c?d%é"), "./a%20b%23c%3Fd%25%C3%A9");
    }
}
