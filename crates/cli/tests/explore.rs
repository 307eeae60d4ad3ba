//! Runs `kilter explore` through the command line. Programs with a system of their own are tested in
//! `systems/protocols/tests/command.rs`.

use std::fs;
use std::process::{Command, Output};

/// Runs `kilter explore` with a configuration.
fn explore(config: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config.toml");
    fs::write(&path, config).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.arg("explore").arg(&path).arg("--report").arg(folder.path().join("report"));
    command.output().expect("kilter runs")
}

#[test]
fn a_system_that_is_linked_in_is_for_the_program_that_links_it() {
    let output = explore("[system]\nworld = \"gossip\"\n");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    for says in ["there is no world `gossip`", "linked into a program of its own", "with the same arguments"]
    {
        assert!(text.contains(says), "{text}");
    }
}

#[test]
fn processes_that_do_not_start_are_told_from_bad_input() {
    let output = explore("[system]\nnodes = [\"n1\"]\ncommand = [\"no-such-program\"]\n");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}
