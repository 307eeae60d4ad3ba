//! Runs `kilter explore` through the command line. Programs with a system of their own are tested in
//! `systems/protocols/tests/command.rs`.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::says;
use serde_json::Value as Json;

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
    says(
        &output,
        3,
        &["there is no program `no-such-program`: build it first, or say in [system] what builds it"],
    );
    let output =
        explore("[system]\nnodes = [\"n1\"]\ncommand = [\"{dir}/no-such-program\"]\nbuild = [\"true\"]\n");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("build it first"), "{output:?}");
}

/// Writes the system of `kilter demo`, and runs `kilter explore` with these options in it.
fn explore_demo(folder: &Path, options: &[&str]) -> Output {
    let kilter = || Command::new(env!("CARGO_BIN_EXE_kilter"));
    let demo = folder.join("kilter-demo");
    if !demo.exists() {
        kilter().arg("demo").current_dir(folder).output().expect("kilter runs");
    }
    let mut command = kilter();
    command.args(["explore", "explore.toml"]).args(options).current_dir(demo);
    command.output().expect("kilter runs")
}

#[test]
fn options_without_effect_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |options: &[&str]| explore_demo(folder.path(), options);
    says(&run(&["--nodes", "3"]), 2, &["--nodes is for systems that are linked in", "`nodes` in [system]"]);
    let words = ["--sequences-max", "1", "--json"];
    let warnings = |options: &[&str]| {
        let output = run(&[&words[..], options].concat());
        let json: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
        json["warnings"].to_string()
    };
    assert!(warnings(&["--faults", "1"]).contains("no fault was tried"), "{}", warnings(&["--faults", "1"]));
    assert!(!warnings(&[]).contains("no fault was tried"));
    assert!(!warnings(&["--faults", "1", "--faults-anywhere"]).contains("no fault was tried"));
    let config = folder.path().join("kilter-demo/explore.toml");
    let text = fs::read_to_string(&config).expect("it was written");
    let goal = "[properties]\ngoal = '\\E n \\in up : leader[n]'\n";
    fs::write(&config, text.replace("[properties]\n", goal)).expect("written");
    assert!(!warnings(&["--faults", "1"]).contains("no fault was tried"));
}
