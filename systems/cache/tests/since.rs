//! `kilter test --since` on the program: only what a change touches is run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kilter::Host;
use kilter::test::{self, TestOptions};
use serde_json::Value as Json;

/// The program and its specification in a git repository of their own, committed.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Repository {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let repository = Repository { folder: tempfile::tempdir().expect("a folder") };
        let copy = |from: &str, to: &str| {
            let text = fs::read_to_string(own.join(from)).expect("it is there");
            let text = text
                .replace("../../target/release/cache", env!("CARGO_BIN_EXE_cache"))
                .replace("../../specs/Cache/", "spec/");
            let to = repository.path(to);
            fs::create_dir_all(to.parent().expect("a folder")).expect("a folder of ours");
            fs::write(to, text).expect("a folder of ours");
        };
        copy("kilter.toml", "kilter.toml");
        copy("src/main.rs", "src/main.rs");
        copy("../../specs/Cache/Cache.tla", "spec/Cache.tla");
        copy("../../specs/Cache/Cache.cfg", "spec/Cache.cfg");
        repository.git(&["init", "--quiet"]);
        repository.git(&["add", "."]);
        repository.git(&[
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "commit",
            "--quiet",
            "-m",
            "first",
        ]);
        repository
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn git(&self, args: &[&str]) {
        let done = Command::new("git").args(args).current_dir(self.folder.path()).status();
        assert!(done.expect("git can be started").success());
    }

    fn replace(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).expect("it is there");
        assert!(text.contains(from), "{from}");
        fs::write(self.path(file), text.replace(from, to)).expect("a folder of ours");
    }

    /// Runs what has to be run since a revision, or everything; the exit code, and the cases of the record with whether they passed.
    fn test(&self, since: Option<&str>) -> (u8, Vec<bool>) {
        let record =
            self.path(if since.is_some() { ".kilter/since/record.jsonl" } else { ".kilter/record.jsonl" });
        let _ = fs::remove_file(&record);
        let options = TestOptions {
            since: since.map(str::to_owned),
            markdown: since.map(|_| self.path("summary.md")),
            ..TestOptions::of(self.path("kilter.toml"))
        };
        let code = test::run(&options, &mut Host::default()).expect("no error of ours").code();
        let text = fs::read_to_string(record).unwrap_or_default();
        let lines = text.lines().map(|line| serde_json::from_str(line).expect("lines of JSON"));
        let cases = lines.filter(|line: &Json| line["event"] == "case");
        (code, cases.map(|case| case["passed"] == true).collect())
    }
}

#[test]
fn nothing_is_run_if_nothing_means_something_else() {
    let repository = Repository::new();
    repository.replace(
        "spec/Cache.tla",
        "\\E m \\in messages : Receive(m)",
        "\\E x \\in messages : Receive(x)",
    );
    repository.replace(
        "src/main.rs",
        "    fn serve(",
        "    // Serves one client after the other.\n    fn serve(",
    );
    assert_eq!(repository.test(Some("HEAD")), (0, Vec::new()));
}

#[test]
fn changed_code_is_tested_where_it_runs() {
    let repository = Repository::new();
    let (code, all) = repository.test(None);
    assert_eq!(code, 0);
    // Another way to say the same; the program itself is as it was built.
    repository.replace(
        "src/main.rs",
        "{ \"Max\" } else { \"NotMax\" }",
        "{ \"Max\" } else { \"Not\".to_owned() + \"Max\" }",
    );
    let (code, some) = repository.test(Some("HEAD"));
    assert_eq!(code, 0);
    assert!(!some.is_empty() && some.len() <= all.len(), "{} of {}", some.len(), all.len());
    let summary = fs::read_to_string(repository.path("summary.md")).expect("a summary");
    assert!(summary.contains("## What to test again") && summary.contains("code of `Respond`"), "{summary}");
}

#[test]
fn a_changed_specification_is_tested_where_it_differs() {
    let repository = Repository::new();
    repository.replace("spec/Cache.tla", "\"NotMax\"", "\"Less\"");
    let (code, cases) = repository.test(Some("HEAD"));
    assert_eq!(code, 1);
    assert!(cases.iter().any(|passed| !passed));
}

#[test]
fn what_no_run_has_confirmed_is_tested_too() {
    let repository = Repository::new();
    let (_, all) = repository.test(None);
    let record = repository.path(".kilter/record.jsonl");
    // The run was killed after one case.
    let text = fs::read_to_string(&record).expect("a record");
    let kept = text.lines().position(|line| line.contains("\"event\":\"case\"")).expect("a case");
    let lines: Vec<&str> = text.lines().take(kept + 1).collect();
    fs::write(&record, lines.join("\n") + "\n").expect("a folder of ours");
    let (code, cases) = repository.test(Some("HEAD"));
    assert_eq!(code, 0);
    assert!(!cases.is_empty() && cases.len() <= all.len());
}

#[test]
fn revisions_that_cannot_be_used() {
    let repository = Repository::new();
    assert_eq!(repository.test(Some("no-such-revision")).0, 2);
}
