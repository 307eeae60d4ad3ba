//! Options that all verbs which run cases have: `--only` and `--keep`.

mod common;

use std::process::{Command, Output};

use common::root;

fn kilter(words: &[&str]) -> Output {
    run(words, &[])
}

/// The same with the bug of the lease.
fn with_bug(words: &[&str]) -> Output {
    run(words, &[("LEASE_BUG", "1")])
}

fn run(words: &[&str], env: &[(&str, &str)]) -> Output {
    let report = tempfile::tempdir().expect("a folder can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.args(words).arg("--report").arg(report.path()).current_dir(root()).envs(env.iter().copied());
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

/// What nodes of a finding leave behind is kept for whoever wants to look at it.
#[test]
fn what_nodes_leave_behind_is_kept() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let keep = folder.path().join("kept");
    let keep = keep.to_str().expect("a path of letters");
    let kept = || {
        let cases = std::fs::read_dir(keep).expect("something was kept");
        cases.map(|case| case.expect("a folder").path()).collect::<Vec<_>>()
    };
    assert_eq!(with_bug(&["test", "systems/lease", "--keep", keep]).status.code(), Some(1));
    assert!(!kept().is_empty());
    assert!(kept().iter().all(|case| case.join("n1/output").is_file() && case.join("n2/data").is_dir()));
    std::fs::remove_dir_all(keep).expect("ours");
    assert_eq!(kilter(&["explore", "systems/lease/explore.toml", "--keep", keep]).status.code(), Some(1));
    assert!(!kept().is_empty() && kept().iter().all(|case| case.join("n2/output").is_file()));
}
