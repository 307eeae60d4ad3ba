//! A lock service whose nodes are written in five languages, each with its own probe, against one specification: under control, and by
//! what they log when nobody is in control.

mod logs;

use std::path::{Path, PathBuf};
use std::process::Command;

use kilter::Host;
use kilter::run::RunOptions;
use kilter::test::{self, TestOptions};

fn lock() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs a part of the cases, with the languages turned round so often; the exit code.
fn run(turn: u8, env: &[(&str, &str)]) -> u8 {
    let report = tempfile::tempdir().expect("a folder for the report");
    let shard = Some(format!("{}/80", turn + 1).parse().expect("a part"));
    let run = RunOptions { shard, report: Some(report.path().to_owned()), ..RunOptions::default() };
    let options = TestOptions { run, ..TestOptions::of(lock().join("kilter.toml")) };
    let turn = turn.to_string();
    let languages = [("LOCK_TURN", turn.as_str()), ("LOCK_RUST", env!("CARGO_BIN_EXE_lock"))];
    let env = env.iter().chain(&languages).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let env = env.collect();
    let mut host = Host { env, ..Host::default() };
    test::run(&options, &mut host).expect("no error of ours").code()
}

#[test]
fn five_languages_hold_one_lock() {
    let mut build = Command::new(lock().join("build"));
    let built = build.env("LOCK_RUST", env!("CARGO_BIN_EXE_lock")).status().expect("it can be started");
    assert!(built.success());
    // Each language has the server once.
    for turn in 0..5 {
        assert_eq!(run(turn, &[]), 0, "turn {turn}");
        assert_eq!(run(turn, &[("LOCK_BUG", "1")]), 1, "turn {turn}");
    }
    // The nodes are built, so this is no test of its own: two would build them at the same time.
    logs::are_behaviors();
}
