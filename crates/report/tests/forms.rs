//! Records as text, JSON and JUnit.

use crate::common;

use common::{BROADCAST, ELECTION, TOYSTORE, record};
use expect_test::{expect, expect_file};
use kilter_report::style::unstyled;
use kilter_report::{Record, json, junit, summarize, text};

#[test]
fn on_a_terminal() {
    let record = record(ELECTION);
    expect_file!["records/election.txt"].assert_eq(&unstyled(&text::text(&record, &summarize(&record))));
}

#[test]
fn for_scripts() {
    let record = record(ELECTION);
    let json = json::json(&record, &summarize(&record));
    let pretty = serde_json::to_string_pretty(&json).expect("JSON prints") + "\n";
    expect_file!["records/election.json"].assert_eq(&pretty);
}

#[test]
fn for_continuous_integration() {
    let record = record(ELECTION);
    expect_file!["records/election.junit.xml"].assert_eq(&junit::junit(&record, &summarize(&record)));
}

#[test]
fn of_a_run_that_was_killed() {
    let record = record(&ELECTION[..ELECTION.len() - 60]);
    let text = unstyled(&text::text(&record, &summarize(&record)));
    let end: Vec<&str> = text.lines().rev().take(2).collect();
    expect![[r"
        not all cases were run: the record ends in the middle of a line: the run was killed; what it had written is counted
        7 of 8 cases run, 2 passed, 24 steps; 11 of 20 edges confirmed, 9 not tried; 2.7/s; 2.6 s, 2.0 s of them waiting for timeouts"]].assert_eq(&end.join("\n"));
}

#[test]
fn of_nothing() {
    let record = Record::default();
    expect![[r"
        bounded: there was nothing to run
        0 of 0 cases run, 0 passed, 0 steps; 0.0/s; 0.0 s
        not all cases were run: the record has no end: the run was killed, or is still going
    "]]
    .assert_eq(&unstyled(&text::text(&record, &summarize(&record))));
}

/// The last lines of a record's text.
fn end(text: &str, n_lines: usize) -> String {
    let record = record(text);
    let text = unstyled(&text::text(&record, &summarize(&record)));
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(n_lines)..].join("\n")
}

#[test]
fn of_a_search() {
    expect![[r"
             kilter explore systems/protocols/broadcast-bug.toml --case '0.0.2'

        1,032 sequences fail; 1 of them is told as a finding, the first in each part of the search
        out of kilter: 1 finding of 1 kind
        1,036 sequences, 1,032 of them failing; 46,176 events (234,731/s), 275 states, depth 28; 1 of 1 part done; 0.2 s"]]
    .assert_eq(&end(BROADCAST, 5));
}

#[test]
fn of_schedules() {
    expect![[r"
           it came again when the case was run again
           repeat with:
             kilter converge systems/converge/toystore.toml --ops 2 --schedule 'write=A0,B0,C1 up=AB up=C write=A0,B1,C1 up=ABC'

        out of kilter: 3 findings of 1 kind
        5 of 5 cases run, 2 passed, 19 steps; 0.3/s; 15.3 s, 9.0 s of them waiting for timeouts"]]
    .assert_eq(&end(TOYSTORE, 6));
}
