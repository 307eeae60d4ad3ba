//! What a run says of itself: that steps of the specification were in no case, that a verdict may depend on time, that only a bound of the
//! model forbids what a node does.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::{root, says};
use serde_json::Value as Json;
use tempfile::TempDir;

/// A switch that goes on and off, which the model lets happen twice.
const SWITCH: &str = "---- MODULE Switch ----
EXTENDS Naturals
VARIABLES on, n
Init == on = FALSE /\\ n = 0
Flip == n < 2 /\\ on' = ~on /\\ n' = n + 1
Next == Flip
====
---- CONFIG Switch ----
INIT Init
NEXT Next
====
";
const MAPPING: &str = "[spec]
file = \"Switch.tla\"
[system]
nodes = [\"a\"]
command = [\"python3\", \"{dir}/switch.py\"]
[variables]
on = { kind = \"global\", node = \"a\" }
n = { kind = \"counter\" }
[actions]
Flip = { kind = \"node\", node = \"a\" }
";
const NODE: &str = "from kilter_probe import Event, Gate
gate, on = Gate(), False
while gate.next({\"on\": on}, [Event(\"Flip\")]) is not None:
    on = not on
";

fn kilter(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.args(words).current_dir(folder).env("PYTHONPATH", root().join("probes/python"));
    command.env("PYTHONDONTWRITEBYTECODE", "1").output().expect("it can be run")
}

fn switch(mapping: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder can be made");
    for (name, text) in [("Switch.tla", SWITCH), ("kilter.toml", mapping), ("switch.py", NODE)] {
        fs::write(folder.path().join(name), text).expect("ours");
    }
    folder
}

#[test]
fn a_bound_that_is_not_in_the_mapping_is_named() {
    let folder = switch(MAPPING);
    let hint = "nothing but n, which only bounds the model, keeps the specification from it; add `bounded = true` to `Flip`";
    says(&kilter(folder.path(), &["test"]), 1, &["unexpected-action Flip", "speaks for mapping", hint]);
    let bounded = MAPPING.replace("kind = \"node\", node", "kind = \"node\", bounded = true, node");
    says(&kilter(switch(&bounded).path(), &["test"]), 0, &["ok: the system does what"]);
}

/// A name that is wrong on one side would else switch the comparison off.
#[test]
fn a_variable_that_no_node_reports_is_told() {
    let anywhere = MAPPING.replace("kind = \"global\", node = \"a\"", "kind = \"global\"");
    let anywhere = anywhere.replace("kind = \"node\", node", "kind = \"node\", bounded = true, node");
    let told = "note: `on` was never compared, because no node has reported it";
    let answer = kilter(switch(&anywhere).path(), &["test"]);
    says(&answer, 0, &["ok: the system does what"]);
    assert!(!String::from_utf8_lossy(&answer.stdout).contains("never compared"));
    let misspelt = anywhere.replace("kind = \"global\"", "kind = \"global\", from = \"onn\"");
    says(&kilter(switch(&misspelt).path(), &["test"]), 0, &[told, "`from`"]);
}

/// A suite that does not take every edge is no proof that the system does what the specification says.
#[test]
fn edges_that_are_in_no_case_are_told() {
    let folder = TempDir::new().expect("a folder can be made");
    let at = |part: &str| root().join(part).display().to_string();
    let text = fs::read_to_string(root().join("systems/lease/kilter.toml")).expect("it is there");
    let text = text.replace("../../specs", &at("specs")).replace("{dir}/node", &at("systems/lease/node"));
    fs::write(folder.path().join("kilter.toml"), &text).expect("ours");
    says(&kilter(folder.path(), &["test"]), 0, &["ok: the system does what", "12 of 12 edges confirmed"]);
    fs::write(folder.path().join("kilter.toml"), text + "\n[suite]\ncover = \"actions\"\n").expect("ours");
    let output = kilter(folder.path(), &["test"]);
    says(
        &output,
        0,
        &[
            "bounded: nothing was found in the cases that were run; other edges of the graph are in none of them",
        ],
    );
    let answer = kilter(folder.path(), &["test", "--json"]);
    let answer: Json = serde_json::from_slice(&answer.stdout).expect("one JSON object");
    assert_eq!((&answer["verdict"], answer.get("only")), (&"bounded".into(), None), "{answer}");
}

/// The receiver offers the letter before the sender has said what it did, so the case passes, and might not the next time.
#[test]
fn a_message_that_nobody_has_reported_is_told_even_if_the_case_passes() {
    let report = TempDir::new().expect("a folder can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command
        .arg("test")
        .arg(root().join("crates/cli/tests/post/kilter.toml"))
        .arg("--report")
        .arg(report.path());
    let output = command.env("POST_BUG", "unreported").output().expect("it can be run");
    says(&output, 0, &["a node offered to take in a message that no node had reported as sent", "`sent()`"]);
    let output = command.env("POST_BUG", "").output().expect("it can be run");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("reported as sent"));
}

#[test]
fn a_folder_for_what_is_kept_is_made_before_anything_runs() {
    let folder = switch(MAPPING);
    fs::write(folder.path().join("file"), "").expect("ours");
    let refused = kilter(folder.path(), &["test", "--keep", "file"]);
    says(&refused, 2, &["--keep: nothing can be written to the folder file"]);
    assert!(refused.stdout.is_empty());
}
