//! Kilter itself on this system: the correct one passes, each bug is found as what it is.
//!
//! The whole suites take minutes (`bench/raft.py`). Here every hundredth case is run, and bugs until the first finding.

mod kilter;

use std::process::ExitCode;

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

fn main() -> ExitCode {
    kilter::main(tests)
}

#[expect(clippy::print_stdout, reason = "a test says what it does")]
fn tests() {
    for scenario in ["election", "replication", "client", "conflict", "compaction", "election5"] {
        println!("test {scenario}");
        let found = kilter::run("test", scenario, "", &["--shard", "1/100"]);
        assert!(found["cases"].as_u64() > Some(20), "{scenario}: {found}");
        assert_eq!(found["passed"], found["cases"], "{scenario}: {found}");
        assert_eq!(found["waited_seconds"], 0.0, "{scenario} waits for timeouts");
    }
    for (bug, mapping, kind, action, variable) in BUGS {
        println!("test {bug} with {mapping}");
        let found = kilter::run("test", mapping, bug, &["--max-findings", "1"]);
        let first = &found["findings"][0];
        assert_eq!((first["kind"].as_str(), first["action"].as_str()), (Some(kind), Some(action)), "{first}");
        let variables = first["variables"].as_array().cloned().unwrap_or_default();
        assert!(variable.is_none_or(|variable| variables.contains(&variable.into())), "{first}");
        assert_eq!(first["stable"], true, "{first}");
    }
}
