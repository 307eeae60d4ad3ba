//! Nothing is left behind: not after many cases, not after a panic, and not when the driver itself is killed.
//!
//! Each test runs a driver in its own process, so that all children and files are known. The driver is this executable
//! again.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command as Program, Stdio};

use kilter_testbed::{Cluster, Command, Fault, Interrupt, Setup, Trouble, World};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use serde_json::json;
use support::{LONG, ask, count, go, ping, setup, started};

#[test]
fn play() {
    support::play();
}

/// Plays the driver if a test has started this process.
#[test]
fn drive() {
    let Ok(kind) = std::env::var("DRIVE") else { return };
    let setup =
        Setup { scratch: Some(std::env::var("SCRATCH").expect("a directory").into()), ..setup(3, "good") };
    match kind.as_str() {
        "cases" => drive_cases(setup),
        "panic" => drive_panic(setup),
        "interrupt" => drive_interrupt(setup),
        "wait" => drive_wait(setup),
        "stubborn" => drive_stubborn(setup),
        other => panic!("there is no driver `{other}`"),
    }
    std::process::exit(0);
}

fn drive_cases(setup: Setup) {
    let mut cluster = Cluster::new(setup);
    let mut addresses = Vec::new();
    for case in 0..200 {
        cluster.start().expect("it starts");
        ping(&mut cluster, "n1", "n2");
        go(&mut cluster, "n2", "Take");
        match case % 5 {
            0 => cluster.perform(&Command::on_node(Fault::Crash, "n3")).expect("it crashes"),
            1 => cluster.perform(&Command::on_node(Fault::Pause, "n3")).expect("it pauses"),
            2 => ask(&mut cluster, "n3", "Spawn", &[]).expect("it has a child"),
            3 => drop(ask(&mut cluster, "n3", "Die", &[]).expect_err("it dies")),
            _ => ask(&mut cluster, "n3", "Add", &[json!(1)]).expect("it adds"),
        }
        assert_eq!(count(&cluster, "n2"), 1);
        addresses.push(cluster.variables("n1").expect("it is up")["address"].clone());
        if case % 50 == 0 {
            ask(&mut cluster, "n1", "Daemon", &[]).expect("it has children who leave its group");
        }
    }
    cluster.stop();
    assert_eq!(children(std::process::id()), [0; 0]);
    for address in addresses {
        TcpListener::bind(address.as_str().expect("text")).expect("the port is free");
    }
}

fn drive_panic(setup: Setup) {
    let result = std::panic::catch_unwind(|| {
        let _cluster = started(setup);
        panic!("on purpose");
    });
    assert!(result.is_err());
    assert_eq!(children(std::process::id()), [0; 0]);
}

fn drive_interrupt(setup: Setup) {
    let interrupt = Interrupt::on_signals().expect("signals can be caught");
    let mut cluster = started(Setup { interrupt: Some(interrupt), ..setup });
    say_ready();
    assert_eq!(ask(&mut cluster, "n1", "Hang", &[]), Err(Trouble::Interrupted));
    drop(cluster);
    assert_eq!(children(std::process::id()), [0; 0]);
}

/// Is told to end, but does not.
fn drive_stubborn(setup: Setup) {
    let interrupt = Interrupt::on_signals().expect("signals can be caught");
    let mut cluster = started(Setup { interrupt: Some(interrupt), ..setup });
    say_ready();
    assert_eq!(ask(&mut cluster, "n1", "Hang", &[]), Err(Trouble::Interrupted));
    say_ready();
    loop {
        std::thread::park();
    }
}

/// Has a node that hangs, one with a child in its group, and one with children outside of its group.
fn drive_wait(setup: Setup) {
    let mut cluster = started(setup);
    ask(&mut cluster, "n2", "Spawn", &[]).expect("it has a child");
    ask(&mut cluster, "n3", "Daemon", &[]).expect("it has children who leave its group");
    say_ready();
    let _ = ask(&mut cluster, "n1", "Hang", &[]);
}

fn say_ready() {
    // `println!` is not used, because the test harness may capture its output.
    std::io::stdout().write_all(b"\nready\n").expect("the test listens");
}

/// Starts a driver in its own process.
fn driver(kind: &str, scratch: &Path) -> Child {
    let me = std::env::current_exe().expect("this executable has a path");
    let mut program = Program::new(me);
    program.args(["--exact", "drive", "--nocapture", "--test-threads=1"]);
    program.env("DRIVE", kind).env("SCRATCH", scratch).stdout(Stdio::piped()).spawn().expect("it starts")
}

fn output(driver: &mut Child) -> BufReader<ChildStdout> {
    BufReader::new(driver.stdout.take().expect("a pipe"))
}

fn wait_until_ready(output: &mut impl BufRead) {
    let mut line = String::new();
    while line != "ready\n" {
        line.clear();
        assert!(output.read_line(&mut line).expect("text") > 0, "the driver has ended");
    }
}

/// The children of a process, including zombies.
fn children(process: u32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// All descendants of a process.
fn descendants(process: u32) -> Vec<i32> {
    let mut found = children(process);
    let mut next = 0;
    while next < found.len() {
        found.extend(children(found[next].unsigned_abs()));
        next += 1;
    }
    found
}

fn pid(raw: i32) -> Pid {
    Pid::from_raw(raw).expect("no process is number 0")
}

fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).expect("it is readable").next().is_none()
}

#[test]
fn after_many_cases() {
    let scratch = tempfile::tempdir().expect("a directory");
    let status = driver("cases", scratch.path()).wait().expect("it ends");
    assert!(status.success());
    assert!(is_empty(scratch.path()));
}

#[test]
fn after_a_panic() {
    let scratch = tempfile::tempdir().expect("a directory");
    let status = driver("panic", scratch.path()).wait().expect("it ends");
    assert!(status.success());
    assert!(is_empty(scratch.path()));
}

#[test]
fn after_ctrl_c() {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut driver = driver("interrupt", scratch.path());
    wait_until_ready(&mut output(&mut driver));
    kill_process(Pid::from_child(&driver), Signal::INT).expect("it is there");
    assert!(driver.wait().expect("it ends").success());
    assert!(is_empty(scratch.path()));
}

/// Descriptors that become readable when the descendants of a driver end.
fn ends(driver: &Child) -> Vec<OwnedFd> {
    let descendants = descendants(driver.id()).into_iter();
    descendants.filter_map(|process| pidfd_open(pid(process), PidfdFlags::empty()).ok()).collect()
}

#[track_caller]
fn all_end(ends: &[OwnedFd]) {
    for end in ends {
        let limit = Timespec { tv_sec: LONG.as_secs() as i64, tv_nsec: 0 };
        let mut fds = [PollFd::new(end, PollFlags::IN)];
        assert_eq!(poll(&mut fds, Some(&limit)), Ok(1), "a process goes on");
    }
}

#[test]
fn after_ctrl_c_twice() {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut driver = driver("stubborn", scratch.path());
    let mut output = output(&mut driver);
    let ends = (0..2).map(|_| {
        wait_until_ready(&mut output);
        let ends = ends(&driver);
        kill_process(Pid::from_child(&driver), Signal::INT).expect("it is there");
        ends
    });
    let ends: Vec<OwnedFd> = ends.flatten().collect();
    let status = driver.wait().expect("it ends");
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()));
    all_end(&ends);
    assert!(is_empty(scratch.path()), "files are left");
}

#[test]
fn after_the_driver_was_killed() {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut driver = driver("wait", scratch.path());
    let mut output = output(&mut driver);
    wait_until_ready(&mut output);
    let ends = ends(&driver);
    let expected = 3 + 1 + 1 + 2;
    assert!(ends.len() >= expected, "nodes, the guard, a child in a group, children outside: {}", ends.len());
    driver.kill().expect("it is there");
    driver.wait().expect("it ends");
    all_end(&ends);
    assert!(is_empty(scratch.path()), "files are left");
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("nobody holds the pipe");
}
