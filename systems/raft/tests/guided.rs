//! Kilter itself on this system: the correct one passes, each bug is found as what it is.
//!
//! The whole suites take minutes (`bench/raft.py`). Here every hundredth case is run, and bugs until the first finding. The test
//! program is its own `kilter`, so that nothing else has to be built.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value as Json;

/// Set where this program is `kilter`.
const AS_KILTER: &str = "RAFT_TEST_IS_KILTER";

/// Bug, mapping, and what the first finding must be: kind, action, a variable.
const BUGS: [(&str, &str, &str, &str, Option<&str>); 7] = [
    ("vote-count", "election", "inconsistent-state", "HandleRequestVoteResponse", Some("votesGranted")),
    ("vote-not-persisted", "election5", "inconsistent-state", "Restart", Some("votedFor")),
    ("noop-freshness", "election5", "unexpected-action", "HandleRequestVoteResponse", None),
    ("response-term", "election", "missing-action", "HandleRequestVoteResponse", None),
    ("snapshot-commit", "compaction", "inconsistent-state", "Restart", Some("log")),
    ("", "missing-reply", "inconsistent-state", "HandleAppendEntriesRequest", Some("messages")),
    ("", "update-term", "missing-action", "UpdateTerm", None),
];

#[expect(clippy::print_stdout, reason = "a test says what it does")]
fn main() -> ExitCode {
    if env::var_os(AS_KILTER).is_some() {
        return kilter_cli::run_with(kilter_cli::Worlds::default());
    }
    if env::args().any(|arg| arg == "--list") {
        return ExitCode::SUCCESS;
    }
    for scenario in ["election", "replication", "client", "conflict", "compaction", "election5"] {
        println!("test {scenario}");
        let found = kilter_test(scenario, "", &["--shard", "1/100"]);
        assert!(found["cases"].as_u64() > Some(20), "{scenario}: {found}");
        assert_eq!(found["passed"], found["cases"], "{scenario}: {found}");
        assert_eq!(found["waited_seconds"], 0.0, "{scenario} waits for timeouts");
    }
    for (bug, mapping, kind, action, variable) in BUGS {
        println!("test {bug} with {mapping}");
        let found = kilter_test(mapping, bug, &["--max-findings", "1"]);
        let first = &found["findings"][0];
        assert_eq!((first["kind"].as_str(), first["action"].as_str()), (Some(kind), Some(action)), "{first}");
        let variables = first["variables"].as_array().cloned().unwrap_or_default();
        assert!(variable.is_none_or(|variable| variables.contains(&variable.into())), "{first}");
        assert_eq!(first["stable"], true, "{first}");
    }
    ExitCode::SUCCESS
}

/// What `kilter test` says in the end.
fn kilter_test(mapping: &str, bug: &str, more: &[&str]) -> Json {
    let report = tempfile::tempdir().expect("a directory");
    let nodes = Path::new(env!("CARGO_BIN_EXE_raft-node")).parent().expect("a file is in a directory");
    let output = Command::new(env::current_exe().expect("this program"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["test", &format!("{mapping}.toml"), "--json", "--jobs", "2", "--report"])
        .arg(report.path())
        .args(more)
        .env(AS_KILTER, "1")
        .env("RAFT_BUG", bug)
        .env("PATH", nodes)
        .stderr(Stdio::inherit())
        .output()
        .expect("this program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{mapping} {bug}: {error}: {text}"))
}
