//! raft-rs against its specification: every edge of every scenario that fits into a test.

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;

/// What `kilter-raft-rs test` says of a scenario, and its exit code.
fn test(scenario: &str) -> (Json, Option<i32>) {
    let report = TempDir::new().expect("a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_kilter-raft-rs"))
        .arg("test")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(scenario))
        .arg("--json")
        .arg("--report")
        .arg(report.path())
        .output()
        .expect("the program runs");
    let json = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (json, output.status.code())
}

#[track_caller]
fn conforms(scenario: &str) {
    let (found, code) = test(scenario);
    assert_eq!(found["findings"], serde_json::json!([]), "{scenario}");
    assert_eq!(found["passed"], found["cases"], "{scenario}");
    assert!(found["cases"].as_u64() > Some(100), "{scenario}: {found}");
    assert_eq!(code, Some(0));
}

#[test]
fn elections() {
    conforms("election.toml");
}

#[test]
fn replication() {
    conforms("replication.toml");
}

#[test]
fn heartbeats() {
    conforms("heartbeats.toml");
}

#[test]
fn a_leader_takes_over() {
    conforms("takeover.toml");
}

#[test]
fn logs_that_differ_are_brought_together() {
    conforms("conflict.toml");
}

#[test]
fn faults() {
    conforms("faults.toml");
}

#[test]
fn snapshots() {
    conforms("snapshot.toml");
}

#[test]
fn snapshots_in_the_place_of_other_logs() {
    conforms("snapshot-conflict.toml");
}

#[test]
fn members_change() {
    conforms("members.toml");
}

#[test]
fn members_change_and_a_leader_takes_over() {
    conforms("members-takeover.toml");
}

#[test]
fn the_specification_of_another_raft_is_told_apart() {
    let (found, code) = test("stale.toml");
    assert_eq!(code, Some(1));
    let findings = found["findings"].as_array().expect("a list");
    assert!(!findings.is_empty());
    for finding in findings {
        assert_eq!(finding["kind"], "inconsistent-state", "{finding}");
        assert_eq!(finding["variables"], serde_json::json!(["messages"]), "{finding}");
        let requests = ["HandleRequestVote", "HandleAppend", "HandleHeartbeat"];
        assert!(requests.contains(&finding["action"].as_str().unwrap_or_default()), "{finding}");
    }
}
