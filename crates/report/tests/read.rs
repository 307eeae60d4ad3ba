//! Reads records that are whole, cut, resumed, or no records.

use crate::common;

use common::{ELECTION, record};
use expect_test::{Expect, expect};
use kilter_report::{read, summarize};

fn check_error(text: &str, expected: &Expect) {
    match read(text.as_bytes()) {
        Ok(record) => panic!("read {record:?}"),
        Err(error) => expected.assert_eq(&error.to_string()),
    }
}

fn header() -> &'static str {
    ELECTION.lines().next().expect("a first line")
}

fn case(id: &str, passed: bool) -> String {
    format!(
        r#"{{"event":"case","id":"{id}","passed":{passed},"steps":1,"edges":[],"ms":1.0,"waited_ms":0.0}}"#
    )
}

#[test]
fn a_whole_record() {
    let record = record(ELECTION);
    assert_eq!((record.cases.len(), record.findings.len(), record.notes.len()), (8, 5, 1));
    assert_eq!(record.seconds, Some(2.75));
    assert!(!record.is_cut && summarize(&record).is_finished);
}

#[test]
fn a_record_cut_anywhere_can_be_read_up_to_there() {
    let first = header().len();
    for end in (first + 1..ELECTION.len()).step_by(97) {
        let text = &ELECTION[..end];
        let record = record(text);
        // A last line without its line feed counts if it is complete.
        let n_whole =
            text.lines().filter(|line| line.contains(r#""event": "case""#) && line.ends_with('}')).count();
        assert_eq!(record.cases.len(), n_whole, "cut at byte {end}");
        assert!(!summarize(&record).is_finished);
    }
}

#[test]
fn a_case_that_was_run_again_counts_once_and_as_it_went_last() {
    let finding = ELECTION.lines().find(|line| line.contains(r#""case": "c4""#)).expect("c4 has a finding");
    let lines = [header(), finding, &case("c4", false), &case("c9", true), finding, &case("c4", false)];
    let twice = record(&lines.join("\n"));
    assert_eq!((twice.cases.len(), twice.findings.len()), (2, 1));
    let repaired = record(&[&lines[..], &[&case("c4", true)]].concat().join("\n"));
    assert_eq!((repaired.cases.len(), repaired.findings.len()), (2, 0));
    assert_eq!(summarize(&repaired).n_passed, 2);
}

#[test]
fn what_was_confirmed_once_stays_confirmed() {
    let with = |edge: u32| case("c1", true).replace("\"edges\":[]", &format!("\"edges\":[{edge}]"));
    let record = record(&[header(), &with(3), &with(5)].join("\n"));
    assert_eq!(summarize(&record).n_confirmed, 2);
}

#[test]
fn sittings_add_up() {
    let end = r#"{"event":"finished","seconds":1.5}"#;
    assert_eq!(record(&[header(), end, &case("c1", true), end].join("\n")).seconds, Some(3.0));
}

#[test]
fn what_is_no_record() {
    check_error("", &expect!["the record is empty: the run ended before it began; run it again"]);
    check_error(
        &header()[..40],
        &expect!["the record is empty: the run ended before it began; run it again"],
    );
    check_error(
        "<html>\n",
        &expect![
            "this is no record of a run: its first line is no header of the format `kilter-run` (it is no JSON)"
        ],
    );
    check_error(
        "{\"format\":\"kilter-suite\",\"version\":1}\n",
        &expect![
            "this is no record of a run: its first line is no header of the format `kilter-run` (it says `kilter-suite`)"
        ],
    );
    check_error(
        "{\"format\":\"kilter-run\",\"version\":9}\n",
        &expect![
            "the record has version 9 of its format, and this Kilter reads versions up to 4; use a newer one"
        ],
    );
    check_error(
        &format!("{}\n{{\"event\":\"case\"}}\n{}\n", header(), case("c1", true)),
        &expect!["line 2 of the record is broken: missing field `id`"],
    );
}

#[test]
fn a_record_knows_the_code_of_all_its_cases() {
    let source = |code: &str| format!(r#"{{"event":"source","fingerprint":"{code}"}}"#);
    let sources = |lines: &[String]| {
        let text = [&[header().to_owned()], lines].concat().join("\n") + "\n";
        let record = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        record.sources.into_iter().collect::<Vec<String>>()
    };
    assert_eq!(sources(&[source("one"), case("a", true)]), ["one"]);
    // The run was continued after the code was changed.
    assert_eq!(sources(&[source("one"), case("a", true), source("two"), case("b", true)]), ["one", "two"]);
    // It was begun by a Kilter that did not say what it tests.
    assert_eq!(sources(&[case("a", true), source("two"), case("b", true)]), ["", "two"]);
}
