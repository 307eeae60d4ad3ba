//! Logs that are still written.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::{ASK, HANDLE, folder};
use crate::common::says;

/// Follows two logs that are being written.
struct Live {
    folder: TempDir,
    child: std::process::Child,
}

impl Live {
    fn start() -> Live {
        let folder = folder("", "");
        for name in ["n1.log", "n2.log"] {
            fs::write(folder.path().join(name), "").expect("it can be written");
        }
        let child = following(folder.path());
        Live { folder, child }
    }

    fn append(&self, name: &str, text: &str) {
        let file = fs::OpenOptions::new().append(true).open(self.folder.path().join(name));
        std::io::Write::write_all(&mut file.expect("it is there"), text.as_bytes())
            .expect("it can be written");
    }

    fn must_wait(&mut self) {
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(self.child.try_wait().expect("it can be asked").is_none(), "it waits for more");
    }
}

/// Starts to follow two logs in a folder.
fn following(folder: &Path) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_kilter"))
        .args(["follow", "kilter.toml", "--live", "n1.log", "n2.log"])
        .current_dir(folder)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("kilter can be started")
}

/// What a program says after Ctrl-C.
fn interrupted(child: std::process::Child) -> Output {
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it runs");
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_log_is_followed_while_it_is_written() {
    let mut live = Live::start();
    live.append("n2.log", &format!("{ASK}\n"));
    live.append("n1.log", &format!("{HANDLE}\n"));
    live.must_wait();
    live.append("n2.log", &format!("{ASK}\n"));
    live.append("n1.log", &format!("{HANDLE}\n"));
    let output = live.child.wait_with_output().expect("it ends by itself");
    says(&output, 1, &["rejected at n2.log:2", "n1.log:2 waits for a message"]);
}

#[test]
fn half_a_line_is_no_line_yet_and_ctrl_c_ends_the_waiting() {
    let mut live = Live::start();
    let (half, rest) = ASK.split_at(ASK.len() / 2);
    live.append("n2.log", half);
    live.append("n1.log", &format!("{HANDLE}\n"));
    live.must_wait();
    live.append("n2.log", &format!("{rest}\n"));
    live.append("n1.log", half);
    live.must_wait();
    let output = interrupted(live.child);
    says(&output, 130, &["accepted so far: 2 lines explained"]);
}

#[test]
fn a_line_that_waits_for_another_file_is_not_rejected_by_ctrl_c() {
    let mut live = Live::start();
    // It may be granted by a line of the server that is not written yet.
    live.append("n2.log", &format!("{ASK}\n{{\"event\":\"HandleGrant\",\"node\":\"n2\"}}\n"));
    live.must_wait();
    let output = interrupted(live.child);
    says(&output, 130, &["accepted so far: 1 line explained"]);
}

#[test]
fn what_a_file_holds_back_is_looked_at_when_nobody_waits_any_more() {
    let folder = folder("order = \"time\"", "");
    let late = |line: &str, time: u32| line.replacen('{', &format!("{{\"start\":{time},"), 1) + "\n";
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    put("n1.log", "");
    put("n2.log", &(late(ASK, 1) + &late(ASK, 2)));
    let child = following(folder.path());
    // The server may still write what came before.
    std::thread::sleep(std::time::Duration::from_millis(500));
    says(&interrupted(child), 130, &["rejected at n2.log:2"]);
}

#[test]
fn a_silent_pipe_can_be_left() {
    for live in [&["--live"][..], &[]] {
        let folder = folder("", "");
        let mut child = Command::new(env!("CARGO_BIN_EXE_kilter"))
            .args(["follow", "-"])
            .args(live)
            .current_dir(folder.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("kilter can be started");
        let mut input = child.stdin.take().expect("it has an input");
        std::io::Write::write_all(&mut input, format!("{ASK}\n").as_bytes()).expect("it reads");
        std::thread::sleep(std::time::Duration::from_millis(500));
        let output = interrupted(child);
        drop(input);
        says(&output, 130, &["1 line explained"]);
    }
}
