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
        repository.commit();
        repository
    }

    /// Commits everything but what Kilter has written.
    fn commit(&self) {
        fs::write(self.path(".gitignore"), ".kilter\nsummary.md\n").expect("a folder of ours");
        self.git(&["add", "."]);
        self.git(&[
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@example.org",
            "commit",
            "--quiet",
            "-m",
            "a change",
        ]);
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
        let code = test::run(&options, &mut Host::default());
        let code = code.map_or_else(|error| error.code(), |ended| ended.code());
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

/// What the summary for a pull request says of everything since a revision, which should be tested anew.
#[track_caller]
fn assert_all_is_tested(repository: &Repository, all: &[bool], says: &str) {
    let (code, cases) = repository.test(Some("HEAD"));
    assert_eq!((code, cases.len()), (0, all.len()), "{says}");
    let summary = fs::read_to_string(repository.path("summary.md")).expect("a summary");
    assert!(
        summary.contains(says) && summary.contains("does not count, and everything is tested"),
        "{summary}"
    );
}

#[test]
fn a_record_of_other_code_confirms_nothing() {
    let repository = Repository::new();
    let (code, all) = repository.test(None);
    assert_eq!(code, 0);
    assert_eq!(repository.test(Some("HEAD")), (0, Vec::new()), "it is of this code");
    // The new revision was never tested, or not with success.
    repository.replace("src/main.rs", "\"NotMax\"", "\"Less\"");
    repository.commit();
    assert_all_is_tested(
        &repository,
        &all,
        "The record of the last full run is of other code than the old version's",
    );
    // A full run of that code is believed, but not that of a change on top of it.
    assert_eq!(repository.test(None).0, 0);
    assert_eq!(repository.test(Some("HEAD")), (0, Vec::new()));
    repository.replace("src/main.rs", "\"Less\"", "\"NotMax\"");
    assert_eq!(repository.test(None).0, 0);
    repository.replace("src/main.rs", "\"NotMax\"", "\"Less\"");
    assert_all_is_tested(&repository, &all, "is of other code");
}

#[test]
fn a_record_of_another_mapping_or_specification_confirms_nothing() {
    let repository = Repository::new();
    let (_, all) = repository.test(None);
    let mapping = fs::read_to_string(repository.path("kilter.toml")).expect("a mapping");
    fs::write(repository.path("kilter.toml"), format!("# Another one.\n{mapping}"))
        .expect("a folder of ours");
    repository.commit();
    assert_all_is_tested(&repository, &all, "is of another mapping");
    let (_, _) = repository.test(None);
    repository.replace("spec/Cache.tla", "\"NotMax\"", "\"Less\"");
    repository.commit();
    let (code, cases) = repository.test(Some("HEAD"));
    assert!(code == 1 && cases.contains(&false), "no run over this specification has passed");
    let summary = fs::read_to_string(repository.path("summary.md")).expect("a summary");
    assert!(summary.contains("is of another specification than the old version's"), "{summary}");
}

#[test]
fn a_record_that_does_not_say_of_which_code_it_is_confirms_nothing() {
    let repository = Repository::new();
    let (_, all) = repository.test(None);
    let path = repository.path(".kilter/record.jsonl");
    let text = fs::read_to_string(&path).expect("a record");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("{\"event\":\"source\"")).collect();
    assert_eq!(lines.len() + 1, text.lines().count());
    fs::write(&path, lines.join("\n") + "\n").expect("a folder of ours");
    assert_all_is_tested(&repository, &all, "does not say of which code it is");
}

#[test]
fn a_run_that_went_on_with_other_code_confirms_nothing() {
    let repository = Repository::new();
    let (_, all) = repository.test(None);
    let path = repository.path(".kilter/record.jsonl");
    let text = fs::read_to_string(&path).expect("a record");
    let kept = text.lines().position(|line| line.contains("\"event\":\"case\"")).expect("a case");
    let lines: Vec<&str> = text.lines().take(kept + 1).collect();
    fs::write(&path, lines.join("\n") + "\n").expect("a folder of ours");
    repository.replace("src/main.rs", "\"NotMax\"", "\"Less\"");
    let mut options = TestOptions::of(repository.path("kilter.toml"));
    options.run.resume = true;
    assert_eq!(test::run(&options, &mut Host::default()).expect("it runs").code(), 0);
    repository.replace("src/main.rs", "\"Less\"", "\"NotMax\"");
    assert_all_is_tested(&repository, &all, "is of other code");
}

#[test]
fn without_a_record_the_summary_says_what_is_believed() {
    let repository = Repository::new();
    assert_eq!(repository.test(Some("HEAD")), (0, Vec::new()));
    let summary = fs::read_to_string(repository.path("summary.md")).expect("a summary");
    assert!(
        summary.contains("There is no record of a full run, so the old version counts as one"),
        "{summary}"
    );
}

#[test]
fn each_edge_is_counted_once() {
    let repository = Repository::new();
    repository.replace("spec/Cache.tla", "\"NotMax\"", "\"Less\"");
    let options =
        TestOptions { since: Some("HEAD".to_owned()), ..TestOptions::of(repository.path("kilter.toml")) };
    let ended = test::run(&options, &mut Host::default()).expect("it runs");
    let answer = ended.ran().expect("something is run").json();
    let count = |name: &str| answer[name].as_u64().unwrap_or(0);
    let known = count("confirmed_edges") + count("failed_edges") + count("unreachable_edges");
    assert!(count("failed_edges") > 0 && count("unreachable_edges") > 0, "{answer}");
    assert_eq!(known + count("untried_edges"), count("edges"), "{answer}");
}

#[test]
fn revisions_that_cannot_be_used() {
    let repository = Repository::new();
    assert_eq!(repository.test(Some("no-such-revision")).0, 2);
}
