//! Guided testing of the program, from a test: it conforms, and with its bug it does not.

use std::fs;
use std::path::Path;

use kilter::Host;
use kilter::run::RunOptions;
use kilter::test::{self, TestOptions};
use serde_json::Value as Json;

/// Runs all cases of a configuration of this folder, with the program as it was just built; the exit code, and the record.
fn run(config: &str, jobs: u16) -> (u8, Vec<Json>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(folder.join(config)).expect("the configuration is there");
    let text = text
        .replace("../../target/release/cache", env!("CARGO_BIN_EXE_cache"))
        .replace("../../specs", &folder.join("../../specs").display().to_string());
    let scratch = tempfile::tempdir().expect("a directory for the report");
    let report = scratch.path().join("report");
    let config = scratch.path().join(config);
    fs::write(&config, text).expect("a directory of ours");
    let run = RunOptions { jobs, report: Some(report.clone()), ..RunOptions::default() };
    let options = TestOptions { run, ..TestOptions::of(config) };
    let code = test::run(&options, &mut Host::default()).expect("no error of ours").code();
    let record = fs::read_to_string(report.join("record.jsonl")).expect("a record was written");
    (code, record.lines().map(|line| serde_json::from_str(line).expect("lines of JSON")).collect())
}

fn events<'r>(record: &'r [Json], event: &str) -> Vec<&'r Json> {
    record.iter().filter(|line| line["event"] == event).collect()
}

#[test]
fn the_cache_conforms() {
    let (code, record) = run("kilter.toml", 2);
    assert_eq!(code, 0);
    let cases = events(&record, "case");
    assert!(cases.len() > 3 && cases.iter().all(|case| case["passed"] == true), "{record:?}");
    assert!(cases.iter().all(|case| case["waited_ms"] == 0.0), "nothing is decided by a timeout");
}

#[test]
fn the_bug_is_found() {
    let (code, record) = run("bug.toml", 1);
    assert_eq!(code, 1);
    let findings = events(&record, "finding");
    assert!(findings.iter().all(|finding| finding["kind"] == "inconsistent-state"), "{findings:?}");
    // The same number again, and the server denies that it is the largest.
    let shortest = findings.iter().min_by_key(|finding| finding["step"].as_u64()).expect("a finding");
    assert_eq!((&shortest["action"], &shortest["step"]), (&Json::from("Respond"), &Json::from(5)));
    assert_eq!(shortest["differences"][0]["expected"], r#"[type |-> "answer", text |-> "Max"]"#);
}

#[test]
fn a_run_does_not_go_on_with_another_mapping() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = tempfile::tempdir().expect("a directory for the report");
    let run = |config: &str, resume: bool| {
        let text = fs::read_to_string(folder.join(config)).expect("the configuration is there");
        let text = text
            .replace("../../target/release/cache", env!("CARGO_BIN_EXE_cache"))
            .replace("../../specs", &folder.join("../../specs").display().to_string());
        let config = scratch.path().join(config);
        fs::write(&config, text).expect("a directory of ours");
        let report = Some(scratch.path().join("report"));
        let run = RunOptions { report, resume, max_findings: Some(1), ..RunOptions::default() };
        test::run(&TestOptions { run, ..TestOptions::of(config) }, &mut Host::default())
    };
    assert_eq!(run("bug.toml", false).expect("no error of ours").code(), 1);
    let refused =
        run("kilter.toml", true).err().expect("cases that failed elsewhere are not those of this one");
    assert!(refused.to_string().contains("may be another system"), "{refused}");
    assert_eq!(run("bug.toml", true).expect("it is the same").code(), 1);
}
