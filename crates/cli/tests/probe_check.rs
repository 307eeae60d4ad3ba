//! Runs `kilter probe-check` on the probes of all languages, and on some that do something wrong.

use crate::common;

use std::path::Path;
use std::process::{Command, Output};

use common::{root, says};
use serde_json::Value as Json;

fn kilter(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kilter"));
    command.args(args).current_dir(root()).env("PYTHONDONTWRITEBYTECODE", "1");
    command.output().expect("kilter can be started")
}

/// Checks a probe by its sample node.
#[track_caller]
fn passes(command: &[&str]) {
    let checked = kilter(&[&["probe-check", "--patience", "60", "--"], command].concat());
    says(&checked, 0, &["ok: 28 of 28 checks passed"]);
}

#[test]
fn the_probe_of_python_passes() {
    passes(&["python3", "probes/python/example_node.py"]);
}

#[test]
fn the_probe_of_rust_passes() {
    let sample = Path::new(env!("CARGO_BIN_EXE_kilter")).with_file_name("examples").join("sample");
    assert!(sample.exists(), "`cargo build --workspace --examples` builds {}", sample.display());
    passes(&[sample.to_str().expect("a path of letters")]);
}

#[test]
fn languages_without_unix_sockets_pass_by_tcp() {
    says(
        &kilter(&[
            "probe-check",
            "--tcp",
            "--only",
            "takes",
            "--",
            "python3",
            "probes/python/example_node.py",
        ]),
        0,
        &["ok        it takes an action", "ok: 3 of 3 checks passed"],
    );
}

/// What each broken probe is told, and in which check.
#[test]
fn faults_are_named() {
    for (fault, check, wrong) in [
        ("reuses_numbers", "says what it has done", "which another offer has had"),
        ("runs_on", "ends when the testbed is gone", "it runs on after the testbed is gone"),
        ("takes_what_is_dropped", "is dropped", "after `drop`, `count` is 2, and should be 0"),
        ("takes_twice_as_once", "again after `twice`", "it must offer the same message again"),
        ("counts_deliveries", "takes delivery", "what is delivered does not count"),
        ("loses_digits", "gives values back", "and should be 18446744073709551615"),
        ("knows_everything", "does not know a request", "must be answered with `\"unknown\":true`"),
        ("never_withdraws", "withdraws", "still stands: say `withdraw`"),
        ("lets_timers_fire", "takes no action", "and was not told to do that"),
        ("forgets_what_it_sent", "done and sent", "`sent` is [], and should be"),
        ("is_never_still", "says hello", "and there is no `still`"),
        ("says_half_of_its_variables", "done and sent", "the variable `hours` is missing"),
        ("writes_no_trace", "KILTER_TRACE", "there is no Tick in its trace, which has 0 lines"),
        ("begins_unseen", "KILTER_TRACE", "line 2 of its trace is {"),
        ("writes_what_has_not_changed", "KILTER_TRACE", "line 3 of its trace is {"),
        ("misnames_clocks", "KILTER_TRACE", "line 3 of its trace is {"),
        ("writes_no_clocks", "vector clocks", "line 3 of its trace, Tick: it has no `clock`"),
        ("forgets_itself", "vector clocks", "without a number of n1 itself"),
        ("never_moves_on", "vector clocks", "it grows by 1 with each action"),
        ("hears_nothing", "vector clocks", "`clock` has null for n2, and should have 40"),
        ("believes_the_last", "vector clocks", "`clock` has 39 for n2, and should have 40"),
        ("sends_an_old_clock", "vector clocks", "has come with the clock {"),
        ("keeps_clocks_to_itself", "vector clocks", "its trace has a `clock`, and its messages have none"),
        ("starts_at_zero", "vector clocks", "after it was started again, its own number"),
    ] {
        let broken = format!("{}/tests/broken_probe.py", env!("CARGO_MANIFEST_DIR"));
        let command = ["--", "python3", &broken, fault];
        let output = kilter(&[&["probe-check", "--patience", "10", "--only", check], &command[..]].concat());
        says(&output, 1, &["WRONG", check, wrong, "out of kilter: 0 of 1 checks passed"]);
    }
}

#[test]
fn the_answer_is_one_object() {
    let broken = format!("{}/tests/broken_probe.py", env!("CARGO_MANIFEST_DIR"));
    let command = ["--", "python3", &broken, "takes_twice_as_once"];
    let output = kilter(&[&["probe-check", "--json", "--only", "a message"], &command[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    let answer: Json = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!((&answer["passed"], &answer["failed"]), (&2.into(), &1.into()), "{answer}");
    let failed = answer["checks"]
        .as_array()
        .and_then(|checks| checks.iter().find(|check| check["verdict"] == "failed"));
    let failed = failed.expect("one has failed");
    assert_eq!(failed["name"], "it offers a message again after `twice`");
    assert!(failed["conversation"].as_array().is_some_and(|lines| lines.len() > 5), "{failed}");
}

#[test]
fn bad_input_is_told() {
    says(&kilter(&["probe-check"]), 2, &["<COMMAND>"]);
    says(&kilter(&["probe-check", "--list"]), 0, &["its clock jumps"]);
    says(
        &kilter(&["probe-check", "--only", "swims", "--", "true"]),
        2,
        &["no check has \"swims\" in its name"],
    );
    says(&kilter(&["probe-check", "--", "/no/such/node"]), 3, &["\"/no/such/node\" can't be started"]);
    let ends = kilter(&["probe-check", "--only", "hello", "--", "sh", "-c", "echo no config >&2; exit 4"]);
    says(&ends, 1, &["ended before it connected: exit code 4", "no config"]);
    let silent = kilter(&["probe-check", "--patience", "1", "--only", "hello", "--", "sleep", "60"]);
    says(&silent, 1, &["WRONG"]);
}

/// Builds a sample node into a folder.
#[track_caller]
fn built(command: &mut Command) {
    let output = command.current_dir(root()).output().expect("the compiler can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_probe_of_c_passes() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = folder.path().join("sample");
    built(Command::new("probes/c/build").arg(&sample).env("CFLAGS", "-Werror"));
    passes(&[sample.to_str().expect("a path of letters")]);
    // Without the code for a testbed, it is a queue with timers.
    let plain = folder.path().join("plain");
    built(Command::new("probes/c/build").arg(&plain).env("CFLAGS", "-Werror -DKILTER_OFF"));
    says(
        &kilter(&["probe-check", "--only", "by itself", "--", plain.to_str().expect("a path of letters")]),
        0,
        &["ok: 1 of 1 checks passed"],
    );
}

#[test]
fn the_probe_of_go_passes() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = folder.path().join("sample");
    let mut build = Command::new("go");
    build.args(["build", "-tags", "kilter", "-o"]).arg(&sample).arg("./example");
    let output = build
        .current_dir(root().join("probes/go"))
        .env("GOFLAGS", "-mod=mod")
        .env("GOPROXY", "off")
        .output()
        .expect("go can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    passes(&[sample.to_str().expect("a path of letters")]);
}

#[test]
fn the_probe_of_javascript_passes() {
    passes(&["node", "probes/js/example_node.js"]);
}
