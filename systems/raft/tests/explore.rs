//! Raft as processes, explored without a specification: the correct one passes, and each bug that can break an election is found.
//!
//! The nodes do the same again and walks depend on their seed only, so a number of walks finds the same each time, however busy the
//! machine is. The test program is its own `kilter`, so that nothing else has to be built.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value as Json;

/// Set where this program is `kilter`.
const AS_KILTER: &str = "RAFT_TEST_IS_KILTER";

/// Configuration, what to search with, and the bug that this finds.
const SEARCHES: [(&str, &[&str], &str); 3] = [
    ("explore-safety", &["--search", "random", "--seed", "1", "--walks", "150"], "vote-not-persisted"),
    ("explore-timers", &["--seed", "4", "--walks", "150"], "noop-freshness"),
    ("explore-duplicates", &["--seed", "7", "--walks", "250"], "vote-count"),
];

#[expect(clippy::print_stdout, reason = "a test says what it does")]
fn main() -> ExitCode {
    if env::var_os(AS_KILTER).is_some() {
        return kilter_cli::run_with(kilter_cli::Worlds::default());
    }
    if env::args().any(|arg| arg == "--list") {
        return ExitCode::SUCCESS;
    }
    println!("test the election without a bug");
    let found = explore("explore", "", &["--sequences-max", "150"]);
    assert_eq!(found["failing_sequences"], 0, "{found}");
    assert!(found["sequences"].as_u64() >= Some(150), "{found}");
    for (config, search, bug) in SEARCHES {
        println!("test {config} with {bug}");
        let found = explore(config, bug, search);
        let finding = &found["findings"][0];
        assert_eq!(finding["kind"], "safety", "{bug}: {found}");
        let schedule = finding["schedule"].as_str().expect("a schedule");
        let again = explore(config, bug, &["--replay", schedule]);
        assert_eq!((&again["kind"], &again["events"]), (&finding["kind"], &finding["events"]), "{again}");
        println!("test {config} without it");
        let found = explore(config, "", search);
        assert_eq!(found["failing_sequences"], 0, "{config}: {found}");
        let again = explore(config, "", &["--replay", schedule]);
        assert_eq!(again["kind"], "fine", "{config}: {again}");
    }
    ExitCode::SUCCESS
}

/// What `kilter explore` says in the end.
fn explore(config: &str, bug: &str, more: &[&str]) -> Json {
    let report = tempfile::tempdir().expect("a directory");
    let nodes = Path::new(env!("CARGO_BIN_EXE_raft-node")).parent().expect("a file is in a directory");
    let output = Command::new(env::current_exe().expect("this program"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["explore", &format!("{config}.toml"), "--json", "--jobs", "2", "--report"])
        .arg(report.path())
        .args(more)
        .env(AS_KILTER, "1")
        .env("RAFT_BUG", bug)
        .env("PATH", nodes)
        .stderr(Stdio::inherit())
        .output()
        .expect("this program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{config} {bug}: {error}: {text}"))
}
