//! How `protocols` ends: when its answer can't be written, when nobody reads it, when it is told to. The verbs of `kilter` are tried in
//! `crates/cli/tests/ends.rs`.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

fn command(report: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_protocols"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("explore").args(args).arg("--report").arg(report);
    command
}

/// Commands that end soon and say something.
const SHORT: [&[&str]; 4] = [
    &["broadcast-bug.toml", "--sequences-max", "50"],
    &["broadcast-bug.toml", "--sequences-max", "50", "--json"],
    &["broadcast.toml", "--replay", "0"],
    &["broadcast.toml", "--replay", "0", "--json"],
];

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let report = tempfile::tempdir().expect("a folder");
    for args in SHORT {
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let output = command(report.path(), args).stdout(full).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(153), "{args:?}: {text}");
        let says = "standard output cannot be written: No space left on device";
        assert!(text.contains(says), "{args:?}: {text}");
    }
}

#[test]
fn nobody_who_listens_is_a_quiet_end() {
    let report = tempfile::tempdir().expect("a folder");
    for args in SHORT {
        let (listener, pipe) = std::io::pipe().expect("a pipe");
        drop(listener);
        let output = command(report.path(), args).stdout(pipe).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(141), "{args:?}: {text}");
        assert!(!text.contains("cannot be written") && !text.contains("has a bug"), "{args:?}: {text}");
    }
}

/// A search that takes long, and has begun.
fn searching(report: &Path) -> Child {
    let args = ["election.toml", "--search", "dfs"];
    let mut child =
        command(report, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    let has_begun = || fs::read_to_string(report.join("record.jsonl")).is_ok_and(|text| text.contains('\n'));
    while !has_begun() {
        assert!(child.try_wait().expect("it is ours").is_none(), "it has ended");
        thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn signals_end_a_search() {
    for (signal, times) in [("-INT", 1), ("-TERM", 2), ("-HUP", 1)] {
        let report = tempfile::tempdir().expect("a folder");
        let mut child = searching(report.path());
        for _ in 0..times {
            // It may have ended by the first.
            let _ =
                Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        }
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(130), "{signal}: {status}");
    }
}
