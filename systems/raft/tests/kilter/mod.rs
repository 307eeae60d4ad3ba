//! A test program that is its own `kilter`, so that nothing else has to be built.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value as Json;

/// Set where this program is `kilter`.
const AS_KILTER: &str = "RAFT_TEST_IS_KILTER";

/// Runs the tests; or `kilter`, if that is what this process is.
pub(crate) fn main(tests: fn()) -> ExitCode {
    if env::var_os(AS_KILTER).is_some() {
        return ::kilter::program::main(::kilter::Worlds::default());
    }
    if !env::args().any(|arg| arg == "--list") {
        tests();
    }
    ExitCode::SUCCESS
}

/// What a command of `kilter` says in the end about the system with a bug, or without one.
pub(crate) fn run(command: &str, config: &str, bug: &str, more: &[&str]) -> Json {
    let report = tempfile::tempdir().expect("a directory");
    let nodes = Path::new(env!("CARGO_BIN_EXE_raft-node")).parent().expect("a file is in a directory");
    let output = Command::new(env::current_exe().expect("this program"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([command, &format!("{config}.toml"), "--json", "--jobs", "2", "--report"])
        .arg(report.path())
        .args(more)
        .env(AS_KILTER, "1")
        .env("RAFT_BUG", bug)
        .env("PATH", nodes)
        .stderr(Stdio::inherit())
        .output()
        .expect("this program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{command} {config} {bug}: {error}: {text}"))
}
