//! `kilter man` writes a page for each verb, and one for the verbs of a verb.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use clap::CommandFactory as _;
use kilter_cli::args::Args;

/// The names of the pages that a command and its verbs should have.
fn wanted(command: &clap::Command, name: &str, pages: &mut BTreeSet<String>) {
    pages.insert(format!("{name}.1"));
    for verb in command.get_subcommands() {
        wanted(verb, &format!("{name}-{}", verb.get_name()), pages);
    }
}

#[test]
fn every_verb_has_a_page_with_its_options_and_exit_codes() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("pages");
    let output = Command::new(env!("CARGO_BIN_EXE_kilter")).arg("man").arg(&pages).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");

    let entries = fs::read_dir(&pages).expect("it was made").map(|entry| entry.expect("it can be read"));
    let written: BTreeSet<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let mut expected = BTreeSet::new();
    wanted(&Args::command(), "kilter", &mut expected);
    assert_eq!(written, expected);
    assert!(expected.contains("kilter-graph-info.1") && expected.contains("kilter-man.1"));

    let page = fs::read_to_string(pages.join("kilter-test.1")).expect("it is there");
    for part in ["Drive a system along its specification", "since", "the system could not be run"] {
        assert!(page.contains(part), "{part:?} is missing in\n{page}");
    }
}
