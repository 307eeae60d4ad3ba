//! Runs the workflow of `docs/guide/ci.md` as GitHub would: once for a push, and once for a pull request with a bug.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A step of the workflow that runs a command.
#[derive(Debug)]
struct Step {
    name: String,
    /// The event that it is for; none stands for all.
    event: Option<String>,
    command: String,
}

/// The steps that run a command, in order, without the installation.
fn steps(guide: &str) -> Vec<Step> {
    let workflow = guide.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next());
    let steps = workflow.expect("there is a workflow").split("\n      - ").skip(1);
    steps.filter_map(step).filter(|step| step.name != "install").collect()
}

fn step(text: &str) -> Option<Step> {
    let value = |key: &str| text.lines().find_map(|line| line.trim().strip_prefix(key)).map(str::trim);
    let event = value("if: github.event_name == ").map(|event| event.trim_matches('\'').to_owned());
    Some(Step { name: value("name: ")?.to_owned(), event, command: value("run: ")?.to_owned() })
}

/// Runs a command in a folder, as GitHub runs a step. `outside` is a folder for the workflow's own files.
fn run(folder: &Path, outside: &Path, summary: &Path, command: &str) -> Output {
    let programs = Path::new(env!("CARGO_BIN_EXE_kilter")).parent().expect("it is in a folder");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("there is a PATH"));
    let mut bash = Command::new("bash");
    bash.args(["-e", "-c", command]).current_dir(folder).env("PATH", path);
    bash.env("GITHUB_BASE_REF", "main").env("GITHUB_STEP_SUMMARY", summary).env("RUNNER_TEMP", outside);
    bash.output().expect("there is a bash")
}

/// Plays an event. Gives the exit codes of the steps, and all summaries.
fn play(folder: &Path, event: &str) -> (Vec<Option<i32>>, String) {
    let guide = fs::read_to_string(common::root().join("docs/guide/ci.md")).expect("it is there");
    let steps = steps(&guide);
    let steps = steps.iter().filter(|step| step.event.as_deref().is_none_or(|of| of == event));
    let outside = tempfile::tempdir().expect("a folder");
    let mut codes = Vec::new();
    let mut summaries = String::new();
    for step in steps {
        let summary = tempfile::NamedTempFile::new().expect("a file");
        codes.push(run(folder, outside.path(), summary.path(), &step.command).status.code());
        summaries += &fs::read_to_string(summary.path()).expect("it is there");
    }
    (codes, summaries)
}

#[test]
fn the_workflow_tests_everything_on_a_push_and_what_changed_in_a_pull_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let sh = |command: &str| {
        let output = run(folder, folder, Path::new("/dev/null"), command);
        assert!(output.status.success(), "{command}: {output:?}");
    };
    sh("kilter demo . && sed -i 's/if not self.leader:/if self.voted_for is None:/' election.py");
    sh("echo .kilter > .gitignore && git init -q -b main && git add -A");
    sh(
        "git -c user.name=n -c user.email=e commit -q -m first && git update-ref refs/remotes/origin/main HEAD",
    );

    let (codes, summary) = play(folder, "push");
    assert_eq!(codes, [Some(0), Some(0)], "{summary}");
    assert!(summary.contains("    ok: the system does what the specification says"), "{summary}");

    let (codes, summary) = play(folder, "pull_request");
    assert_eq!(codes, [Some(0), Some(0)], "{summary}");
    assert!(summary.contains("**Nothing**: both versions are the same."), "{summary}");

    sh("sed -i 's/self.leader = 2 [*] len/self.leader = len/' election.py");
    let (codes, summary) = play(folder, "pull_request");
    assert_eq!(codes, [Some(1), Some(0)], "{summary}");
    for part in ["- code of `Count`: election.py", "    1. inconsistent-state Count: leader"] {
        assert!(summary.contains(part), "{part:?} is missing in\n{summary}");
    }
    // Somebody merges it. The push fails, so what is kept is of the code before; a pull request that changes nothing is not to pass by it.
    fs::copy(folder.join(".kilter/record.jsonl"), folder.join(".kilter/kept")).expect("a folder of ours");
    sh("git -c user.name=n -c user.email=e commit -qam bug && git update-ref refs/remotes/origin/main HEAD");
    assert_eq!(play(folder, "push").0, [Some(1), Some(0)]);
    fs::rename(folder.join(".kilter/kept"), folder.join(".kilter/record.jsonl")).expect("a folder of ours");
    let (codes, summary) = play(folder, "pull_request");
    assert_eq!(codes, [Some(1), Some(0)], "{summary}");
    assert!(summary.contains("> The record of the last full run is of other code"), "{summary}");
    for kept in [".kilter/record.jsonl", ".kilter/since/report.html", ".kilter/since/junit.xml"] {
        assert!(folder.join(kept).is_file(), "{kept}");
    }
}
