//! `kilter check` with several configurations, and with a folder of them.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::says;
use serde_json::Value;

const MODULE: &str = "---- MODULE Count ----\nEXTENDS Naturals\nCONSTANT Max\nVARIABLE x\nInit == x = 0\n\
                      Next == x < Max /\\ x' = x + 1\nFew == x < 5\n====\n";

fn write(folder: &Path, name: &str, max: u32) {
    let config = format!("INIT Init\nNEXT Next\nCONSTANT Max = {max}\nINVARIANT Few\nCHECK_DEADLOCK FALSE\n");
    fs::write(folder.join(name), config).expect("a file can be written");
}

/// A folder with one module and two configurations. One of them violates the invariant.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("Count.tla"), MODULE).expect("a file can be written");
    write(folder.path(), "Count.cfg", 3);
    write(folder.path(), "Count-large.cfg", 9);
    folder
}

fn kilter(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.arg("check").args(args).current_dir(folder).output().expect("kilter can be started")
}

#[test]
fn a_folder_is_one_table() {
    let folder = folder();
    let output = kilter(folder.path(), &["."]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(12), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("invariant              6 states  depth    6"), "{text}");
    assert!(lines[0].ends_with("./Count-large.cfg"), "{text}");
    assert_eq!(lines[1].trim(), "the invariant Few is violated");
    assert_eq!(lines[2].trim(), "kilter check ./Count.tla --config ./Count-large.cfg");
    let alone: Vec<&str> = lines[2].trim().split(' ').skip(2).collect();
    says(&kilter(folder.path(), &alone), 12, &["the invariant Few is violated", "x: 4 → 5"]);
    assert!(lines[3].starts_with("ok                     4 states  depth    4"), "{text}");
    assert!(lines[4].starts_with("2 models: 1 invariant, 1 ok; "), "{text}");
}

#[test]
fn files_of_others_in_a_folder_are_no_models() {
    let folder = folder();
    fs::create_dir(folder.path().join("python")).expect("a folder can be made");
    fs::write(folder.path().join("python/setup.cfg"), "[metadata]\nname = x\n")
        .expect("a file can be written");
    let text = kilter(folder.path(), &[".", "--no-cache"]).stdout;
    let text = String::from_utf8_lossy(&text);
    assert!(!text.contains("setup.cfg") && text.contains("\n2 models: "), "{text}");
}

#[test]
fn results_are_reused_until_something_changes() {
    let folder = folder();
    let run = |args: &[&str]| -> Value {
        let output = kilter(folder.path(), &[&["Count.cfg", "Count-large.cfg", "--json"], args].concat());
        serde_json::from_slice(&output.stdout).expect("standard output is one JSON object")
    };
    let first = run(&[]);
    assert_eq!((&first["reused"], &first["exit_code"]), (&0.into(), &12.into()), "{first}");
    assert_eq!(first["models"][0]["verdict"], "ok");
    assert_eq!(first["models"][1]["property"], "Few");
    let second = run(&[]);
    assert_eq!((&second["reused"], &second["exit_code"]), (&2.into(), &12.into()), "{second}");
    assert_eq!(run(&["--no-cache"])["reused"], 0);
    write(folder.path(), "Count.cfg", 4);
    let third = run(&[]);
    assert_eq!((&third["reused"], &third["models"][0]["distinct_states"]), (&1.into(), &5.into()), "{third}");
}

#[test]
fn a_junit_file_has_a_case_for_each() {
    let folder = folder();
    let output = kilter(folder.path(), &[".", "--junit", "out.xml", "--budget", "1h"]);
    assert_eq!(output.status.code(), Some(12));
    let text = fs::read_to_string(folder.path().join("out.xml")).expect("it was written");
    assert!(text.contains("tests=\"2\" failures=\"1\""), "{text}");
    assert!(
        text.contains("<failure type=\"invariant\" message=\"the invariant Few is violated\"/>"),
        "{text}"
    );
    let no_time = "0.000001ms";
    let output = kilter(folder.path(), &[".", "--no-cache", "--junit", "out.xml", "--budget", no_time]);
    assert_eq!(output.status.code(), Some(153));
    let text = fs::read_to_string(folder.path().join("out.xml")).expect("it was written");
    assert!(text.contains("failures=\"0\"") && text.contains("skipped=\"2\""), "{text}");
}

#[test]
fn what_does_not_fit_is_said() {
    let folder = folder();
    for name in ["One.tla", "Two.tla"] {
        fs::write(folder.path().join(name), MODULE).expect("a file can be written");
    }
    write(folder.path(), "Other.cfg", 3);
    fs::create_dir(folder.path().join("empty")).expect("a folder can be made");
    for (args, part) in [
        (&["Count.tla", "--junit", "out.xml"][..], "--junit is for several configurations"),
        (&[".", "--graph", "out.graph"][..], "--graph is for one specification alone"),
        (&["Other.cfg"][..], "there is no module for Other.cfg"),
        (&["none.cfg"][..], "none.cfg cannot be read"),
        (&["empty"][..], "there is no configuration"),
    ] {
        let output = kilter(folder.path(), args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(part), "{args:?}: {said}");
    }
}

#[test]
fn warnings_are_told_for_each() {
    let folder = folder();
    let nothing = "INIT Init\nNEXT Next\nCONSTANT Max = 0\nCHECK_DEADLOCK FALSE\n";
    fs::write(folder.path().join("Count-none.cfg"), nothing).expect("a file can be written");
    let output = kilter(folder.path(), &["Count-none.cfg", "Count.cfg", "--no-cache"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("ok                     1 state   depth    1"), "{text}");
    assert!(lines[1].trim().starts_with("warning: the action Next never happened (Count.tla:6:"), "{text}");
    assert!(lines[2].ends_with("Count.cfg"), "{text}");
    let json = kilter(folder.path(), &["Count-none.cfg", "--json", "--no-cache"]);
    let json: Value = serde_json::from_slice(&json.stdout).expect("standard output is one JSON object");
    assert_eq!(json["models"][0]["warnings"].as_array().map(Vec::len), Some(1), "{json}");
}

#[test]
fn in_nothing_nothing_is_checked() {
    let folder = folder();
    for limit in ["--budget 0s", "--time-max 0s", "--states-max 0", "--memory-max 0"] {
        let args: Vec<&str> = ["Count.cfg", "Count-large.cfg"].into_iter().chain(limit.split(' ')).collect();
        let output = kilter(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{limit}: {}", String::from_utf8_lossy(&output.stdout));
    }
    let output = kilter(folder.path(), &["Count.tla", "--library", "nowhere"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(150), "{text}");
    assert!(text.contains("nowhere of --library is no folder"), "{text}");
}

#[test]
fn an_error_at_the_end_of_a_configuration_has_one_place() {
    let folder = folder();
    fs::write(folder.path().join("Count.cfg"), "INIT Init\nNEXT Next\nCONSTANT Max = \n\n")
        .expect("a file can be written");
    let alone = kilter(folder.path(), &["Count.tla"]);
    says(&alone, 151, &["Count.cfg:3:15\n"]);
    let json = kilter(folder.path(), &["Count.tla", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).expect("standard output is one JSON object");
    let error = &json["errors"][0];
    assert_eq!((&error["line"], &error["column"]), (&3.into(), &15.into()), "{json}");
    says(&kilter(folder.path(), &["Count.cfg"]), 151, &["Count.cfg:3:15: expected a value"]);
}

/// What is not known in full does not look like a success in CI.
#[test]
fn a_junit_file_tells_bounded_models_and_warnings() {
    let folder = folder();
    let nothing = "INIT Init\nNEXT Next\nCONSTANT Max = 0\nCHECK_DEADLOCK FALSE\n";
    fs::write(folder.path().join("Count-none.cfg"), nothing).expect("a file can be written");
    let models = ["Count.cfg", "Count-none.cfg", "--no-cache", "--junit", "out.xml", "--states-max", "3"];
    says(&kilter(folder.path(), &models), 0, &["2 models: 1 bounded, 1 ok"]);
    let text = fs::read_to_string(folder.path().join("out.xml")).expect("it was written");
    let skipped = "<skipped message=\"nothing wrong was found before the limit on states was reached";
    assert!(text.contains("failures=\"0\"") && text.contains("skipped=\"1\""), "{text}");
    let (bounded, ok) = text.split_once("Count-none.cfg").expect("both are there");
    assert!(bounded.contains(skipped), "{text}");
    let warning = "<system-out>warning: the action Next never happened (Count.tla:6:";
    assert!(ok.contains(warning) && !ok.contains("<skipped"), "{text}");
}

#[test]
fn results_that_cannot_be_kept_can_be_left_out() {
    let folder = folder();
    fs::write(folder.path().join(".kilter"), "no folder").expect("a file can be written");
    let refused = kilter(folder.path(), &["Count.cfg"]);
    says(
        &refused,
        153,
        &[".kilter cannot be written (--cache DIR keeps results in another folder, --no-cache"],
    );
    says(&kilter(folder.path(), &["Count.cfg", "--no-cache"]), 0, &["1 ok"]);
}
