//! Does with `kilter demo` what a newcomer does: writes it, finds its bug, mends it as its README says, tests it again. It is also explored by
//! `.ci/newcomer`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn kilter(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("kilter can be started")
}

#[track_caller]
fn says(output: &Output, code: i32, parts: &[&str]) {
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}

/// The change that the demo's README describes: the number of the line, the line as it is, the line as it should be.
fn repair(readme: &str) -> (usize, &str, &str) {
    let number = readme.split("change line ").nth(1).and_then(|rest| rest.split(' ').next());
    let number = number.and_then(|number| number.parse().ok()).expect("the README names a line");
    let marked = |mark: &str| readme.lines().find_map(|line| line.strip_prefix(mark)).expect("a line");
    (number, marked("    -"), marked("    +"))
}

/// What the README of the repository shows of the finding.
fn found_by_readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(path).expect("it is there");
    let found = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    found.filter(|found| found.starts_with("1. inconsistent-state")).expect("it shows a finding").to_owned()
}

#[test]
fn its_bug_is_found_and_can_be_mended_as_its_readme_says() {
    let folder = tempfile::tempdir().expect("a folder");
    says(&kilter(folder.path(), &["demo"]), 0, &["cd kilter-demo\n", "kilter test kilter.toml\n"]);
    let demo = folder.path().join("kilter-demo");

    says(&kilter(&demo, &["check", "Election.tla"]), 0, &["ok: everything holds"]);
    says(&kilter(&demo, &["test", "kilter.toml"]), 1, &[found_by_readme().as_str()]);
    assert!(demo.join(".kilter/report.html").is_file());

    let read = |name: &str| fs::read_to_string(demo.join(name)).expect("it is there");
    let (readme, program) = (read("README.md"), read("election.py"));
    let (number, wrong, right) = repair(&readme);
    let mut lines: Vec<&str> = program.lines().collect();
    assert_eq!(lines[number - 1], wrong);
    lines[number - 1] = right;
    fs::write(demo.join("election.py"), lines.join("\n")).expect("ours");

    let mended = kilter(&demo, &["test", "kilter.toml", "--json"]);
    says(&mended, 0, &[]);
    let answer: Value = serde_json::from_slice(&mended.stdout).expect("one JSON object");
    assert_eq!((&answer["verdict"], &answer["passed"]), (&Value::from("ok"), &answer["cases"]), "{answer}");
}

#[test]
fn a_folder_that_is_in_use_is_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("mine"), "text").expect("ours");
    says(&kilter(folder.path(), &["demo", "."]), 2, &["error: . is not empty", "kilter demo DIR"]);
    says(&kilter(folder.path(), &["demo", "mine"]), 2, &["error: mine is no folder"]);
    says(&kilter(folder.path(), &["demo", "mine/in"]), 2, &["error: mine/in is no folder"]);
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1);
    assert_eq!(fs::read_to_string(folder.path().join("mine")).expect("it is there"), "text");
}

#[test]
fn an_empty_folder_and_a_name_with_blanks_will_do() {
    let folder = tempfile::tempdir().expect("a folder");
    says(&kilter(folder.path(), &["demo", "."]), 0, &["cd .\n"]);
    fs::create_dir(folder.path().join("it is mine")).expect("ours");
    says(&kilter(folder.path(), &["demo", "it is mine"]), 0, &["cd 'it is mine'\n"]);
    assert!(folder.path().join("it is mine/election.py").is_file());
}
