//! Cases chosen by a text that they have in them: `--only`.

mod common;

use std::process::{Command, Output};

use common::root;

fn kilter(words: &[&str]) -> Output {
    let report = tempfile::tempdir().expect("a folder can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.args(words).arg("--report").arg(report.path()).current_dir(root());
    command.output().expect("it can be run")
}

fn lines(words: &[&str]) -> Vec<String> {
    let output = kilter(words);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// What is listed is what has the text in it, and no other case has.
#[track_caller]
fn check(words: &[&str], only: &str) {
    let all = lines(&[words, &["--list"]].concat());
    let wanted: Vec<String> = all.iter().filter(|line| line.contains(only)).cloned().collect();
    assert!(!wanted.is_empty() && wanted.len() < all.len(), "{all:#?}");
    assert_eq!(lines(&[words, &["--list", "--only", only]].concat()), wanted);
}

#[test]
fn cases_are_chosen_by_their_text() {
    check(&["test", "systems/lease"], "TakeOver");
    check(&["converge", "systems/converge/toystore.toml"], "up=AB");
}

#[test]
fn what_is_run_is_what_is_listed() {
    let n_listed = lines(&["test", "systems/lease", "--list", "--only", "TakeOver"]).len();
    let ran = lines(&["test", "systems/lease", "--only", "TakeOver"]);
    let said = format!("{n_listed} of {n_listed} cases run, {n_listed} passed");
    assert!(ran.iter().any(|line| line.starts_with(&said)), "{ran:#?}");
}

#[test]
fn a_text_that_no_case_has_is_an_error() {
    for words in [["test", "systems/lease"], ["converge", "systems/converge/toystore.toml"]] {
        let output = kilter(&[&words[..], &["--only", "Nonsense"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains("no case has `Nonsense` in it"), "{said}");
    }
}
