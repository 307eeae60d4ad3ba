//! Suites as JSON lines, and the errors for damaged ones.

use crate::common;

use common::{Plan, build};
use kilter_graph::{StateGraph, fingerprint};
use kilter_suite::file::{FORMAT, Header, VERSION, write};
use kilter_suite::read::{ReadError, check};
use kilter_suite::tests::Tests;
use kilter_suite::{Bound, Goal, Suite, cover};

fn graph() -> StateGraph {
    build(&Plan { n_states: 3, initial: vec![0], edges: vec![(0, 1, 0), (1, 2, 1), (2, 0, 2), (0, 2, 0)] })
}

fn lines(graph: &StateGraph) -> Vec<String> {
    let suite = cover(graph, &Goal::default()).expect("a suite");
    let header = Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        graph: format!("{:016x}", fingerprint(graph)),
        tests: suite.n_tests(),
        steps: suite.n_steps(),
        ..Header::default()
    };
    let mut bytes = Vec::new();
    write(graph, &suite, &header, &mut bytes).expect("memory");
    String::from_utf8(bytes).expect("text").lines().map(str::to_owned).collect()
}

#[test]
fn a_test_is_told_by_what_changes() {
    let lines = lines(&graph());
    let test: serde_json::Value = serde_json::from_str(&lines[1]).expect("JSON");
    assert_eq!(test["initial"], serde_json::json!({ "n": { "#bigint": "0" } }));
    let step = &test["steps"][0];
    assert_eq!((&step["action"], step["args"].as_object().map(serde_json::Map::len)), (&"A".into(), Some(0)));
    assert!(step["changes"]["n"].is_object());
}

#[test]
fn what_was_written_is_found_to_be_right() {
    let graph = graph();
    let (_, checked) = check(&graph, lines(&graph).into_iter()).expect("a suite of this graph");
    assert!(checked.edges.iter().all(|covered| *covered) && checked.states.iter().all(|covered| *covered));
}

#[test]
fn ids_do_not_depend_on_numbers() {
    // The last graph has the same behavior, and one more edge that shifts all numbers.
    let one = build(&Plan { n_states: 2, initial: vec![0], edges: vec![(0, 1, 1)] });
    let id = |lines: Vec<String>| lines[1].split('"').nth(3).map(str::to_owned);
    let two = build(&Plan { n_states: 2, initial: vec![0], edges: vec![(1, 1, 0), (0, 1, 1)] });
    let suite = lines(&two);
    assert_eq!(id(lines(&one)).map(|id| id.len()), Some(16));
    assert_ne!(id(lines(&one)), id(suite));
    let same = build(&Plan { n_states: 3, initial: vec![0], edges: vec![(2, 2, 0), (0, 1, 1)] });
    assert_eq!(id(lines(&one)), id(lines(&same)));
}

#[test]
fn tests_that_cannot_be_told_apart_are_an_error_that_names_both() {
    let graph = graph();
    let mut tests = Tests::default();
    tests.push(0, &[0, 2, 3]);
    tests.push(0, &[1]);
    tests.push(0, &[0, 2, 3]);
    let suite = Suite::from_walks(tests, 4, 4, Bound::default(), 20);
    let error = write(&graph, &suite, &Header::default(), &mut Vec::new()).expect_err("a collision");
    let error = error.to_string();
    assert!(error.starts_with("tests 1 and 3 of the suite have the same id "), "{error}");

    let mut lines = lines(&graph);
    let id = lines[1].split('"').nth(3).expect("an id").to_owned();
    lines.push(lines[1].clone());
    let error = check(&graph, lines.into_iter()).expect_err("a collision").to_string();
    let expected = format!("test {id} is in line 2 already");
    assert!(error.starts_with("line ") && error.ends_with(&expected), "{error}");
}

#[test]
fn damage_is_noticed() {
    let graph = graph();
    let good = lines(&graph);
    let fails = |lines: Vec<String>, part: &str| {
        let error = check(&graph, lines.into_iter()).expect_err("damaged").to_string();
        assert!(error.contains(part), "{error}");
    };
    fails(Vec::new(), "not a suite");
    fails(vec!["{}".to_owned()], "not a suite");
    fails(vec![good[0].replace("\"version\":1", "\"version\":9")], "version 9");
    fails(good[..1].to_vec(), "cut off");
    let with =
        |from: &str, to: &str| good.iter().map(|line| line.replacen(from, to, 1)).collect::<Vec<String>>();
    fails(with("\"edge\":", "\"edge\":9"), "no edge of the graph");
    fails(with("\"start\":0", "\"start\":1"), "initial state");
    fails(with("\"action\":\"A\"", "\"action\":\"B\""), "does not say what its edges say");
    let other = build(&Plan { n_states: 1, initial: vec![0], edges: vec![(0, 0, 0)] });
    let error = check(&other, good.into_iter()).expect_err("another graph");
    assert!(matches!(error, ReadError::OtherGraph { .. }), "{error}");
}
