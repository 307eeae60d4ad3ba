//! What a record looks like as text, JSON and JUnit.

mod common;

use common::{ELECTION, record};
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
        7 of 8 cases run, 2 passed, 24 steps; 11 of 20 edges confirmed; 2.7/s, 2.6 s, 2.0 s of them waiting for timeouts"]].assert_eq(&end.join("\n"));
}

#[test]
fn of_nothing() {
    let record = Record::default();
    expect![[r"
        bounded: there was nothing to run
        0 of 0 cases run, 0 passed, 0 steps; 0.0/s, 0.0 s
        not all cases were run: the record has no end: the run was killed, or is still going
    "]]
    .assert_eq(&unstyled(&text::text(&record, &summarize(&record))));
}
