//! Runs every row of the table for people who come from TLC: what they typed gives what the table says.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::root;
use kilter_cli::tlc::HABITS;
use serde_json::{Value, json};

const SPEC: &str = "---- MODULE Spec ----
EXTENDS Naturals
CONSTANT Max
VARIABLE x
Init == x \\in {0, 7}
Up == x < Max /\\ x' \\in {x + 1, x + 2}
Next == Up
Small == x < 6
====
";

struct Row {
    typed: Vec<String>,
    now: String,
}

/// The words of a command, with quotation marks as in a shell.
fn words(text: &str) -> Vec<String> {
    let parts = text.split('"').enumerate();
    let words = parts.flat_map(|(index, part)| {
        if index % 2 == 1 {
            vec![part.to_owned()]
        } else {
            part.split_whitespace().map(str::to_owned).collect()
        }
    });
    words.collect()
}

/// The first table of the guide.
fn rows() -> Vec<Row> {
    let guide = fs::read_to_string(root().join("docs/guide/from-tlc.md")).expect("the guide is there");
    let (_, table) = guide.split_once("| you typed | now type | remarks |\n").expect("it has a table");
    let lines = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        Row { typed: words(cells[1]), now: cells[2].to_owned() }
    };
    lines.map(row).collect()
}

fn kilter(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args(words)
        .current_dir(folder)
        .output()
        .expect("kilter can be started")
}

/// What an answer depends on: not the time, and not the memory.
fn answer(output: &Output) -> (Option<i32>, Value) {
    let found = match serde_json::from_slice::<Value>(&output.stdout) {
        Ok(found) => {
            let keys =
                ["verdict", "message", "states_generated", "distinct_states", "depth", "trace", "violations"];
            keys.iter().map(|key| found[key].clone()).collect()
        }
        Err(_) => json!(String::from_utf8_lossy(&output.stdout)),
    };
    (output.status.code(), found)
}

#[track_caller]
fn check(folder: &Path, row: &Row) {
    let typed: Vec<&str> = row.typed.iter().map(String::as_str).collect();
    let case = typed.join(" ");
    let spec: &[&str] = if typed == ["Spec"] { &[] } else { &["Spec.tla"] };
    let old = kilter(folder, &[&["check"], typed.as_slice(), spec, &["--json"]].concat());
    let said = String::from_utf8_lossy(&old.stderr).into_owned();
    let now = match row.now.as_str() {
        "Spec.tla" => "check Spec.tla".to_owned(),
        "leave it out" => {
            assert!(
                said.contains(&format!("note: {} of TLC has no effect here", typed[0])),
                "{case}: {said}"
            );
            "check Spec.tla".to_owned()
        }
        now if now.starts_with("simulate") => now.replacen("simulate", "simulate Spec.tla", 1),
        now if now.starts_with("--") && !now.contains("FILE") => format!("check Spec.tla {now}"),
        instead => {
            let instead = instead.trim_end_matches(" FILE").replace("nothing", "");
            assert_eq!((old.status.code(), old.stdout.len()), (Some(2), 0), "{case}: {said}");
            assert!(said.contains(typed[0]) && said.contains(&instead), "{case}: {said}");
            assert_eq!(said.lines().count(), 1, "{case}: {said}");
            return;
        }
    };
    let new = kilter(folder, &[now.split(' ').collect::<Vec<_>>(), vec!["--json"]].concat());
    if typed[0] == "-recover" {
        // There is nothing to go on from, whoever asks.
        let new_said = String::from_utf8_lossy(&new.stderr).into_owned();
        assert_eq!((old.status.code(), &said), (Some(2), &new_said));
        assert!(said.contains("no checkpoint"), "{said}");
        return;
    }
    assert_ne!(new.status.code(), Some(2), "{case}: {}", String::from_utf8_lossy(&new.stderr));
    assert_eq!(answer(&old), answer(&new), "{case}: {said}");
}

#[test]
fn every_row_of_the_table_is_true() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file can be written");
    write("Spec.tla", SPEC);
    write("Spec.cfg", "INIT Init\nNEXT Next\nCONSTANT Max = 5\nINVARIANT Small\n");
    write("Small.cfg", "INIT Init\nNEXT Next\nCONSTANT Max = 2\n");
    let rows = rows();
    for row in &rows {
        check(folder.path(), row);
    }
    for habit in HABITS {
        let is_shown = rows.iter().any(|row| row.typed[0] == habit.name);
        assert!(is_shown, "docs/guide/from-tlc.md does not show {}", habit.name);
    }
}

/// A word with one dash is named whole, whoever knows no such option.
#[test]
fn an_option_that_nobody_has_is_named() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (verb, option, wanted) in [
        ("check", "-sany", "there is no option -sany; `kilter check --help` lists all options"),
        ("check", "-foo", "there is no option -foo; `kilter check --help` lists all options"),
        ("check", "-states-max", "did you mean --states-max?"),
        ("simulate", "-behavior", "did you mean --behaviors? `kilter simulate --help`"),
    ] {
        common::says(&kilter(folder.path(), &[verb, option, "Spec"]), 2, &[wanted]);
    }
}
