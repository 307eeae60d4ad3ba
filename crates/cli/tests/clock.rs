//! Runs `kilter test` and `kilter explore` with a clock that jumps, on nodes that ask their probe for the time.

use crate::common;

use std::process::{Command, Output};

use common::root;

fn kilter(words: &[&str], bug: bool) -> Output {
    let report = tempfile::tempdir().expect("a folder can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.args(words).arg("--report").arg(report.path()).current_dir(root()).env_remove("LEASE_BUG");
    if bug {
        command.env("LEASE_BUG", "1");
    }
    command.output().expect("it can be run")
}

#[track_caller]
fn says(output: &Output, code: i32, part: &str) {
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(code) && text.contains(part), "{:?}\n{text}", output.status);
}

#[test]
fn a_system_is_tested_with_it() {
    says(&kilter(&["test", "systems/lease"], false), 0, "4 of 4 cases run, 4 passed");
}

#[test]
fn a_node_that_does_not_notice_it_is_found() {
    says(&kilter(&["test", "systems/lease"], true), 1, "missing-action");
}

#[test]
fn a_search_finds_what_it_breaks() {
    says(&kilter(&["explore", "systems/lease/explore.toml"], false), 1, "CLOCK n2");
    says(&kilter(&["explore", "systems/lease/explore.toml", "--faults", "0"], false), 0, "ok: ");
}

/// The nodes of this test never ask their probe for the time.
#[test]
fn nodes_that_know_nothing_of_it_are_told() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let config = folder.path().join("explore.toml");
    let node = root().join("systems/lock/node");
    let text = format!(
        "[system]\nnodes = [\"n1\", \"n2\"]\ncommand = [{node:?}, \"{{node}}\", \"{{peers}}\"]\nenv = {{ LOCK_LANGUAGES = \"python\" }}\n\
         [explore]\ndepth = 2\nfaults = 1\nfault-kinds = [\"clock\"]\nfaults-anywhere = true\n"
    );
    std::fs::write(&config, text).expect("ours");
    let config = config.to_str().expect("a path of letters");
    says(&kilter(&["explore", config], false), 2, "node n1 knows nothing of the fault `clock`");
}
