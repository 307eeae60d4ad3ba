//! A node whose testbed goes away ends at once: so `kill -9` of the testbed leaves no node running.

mod common;

use std::env;
use std::process::{Child, Command, Output, Stdio};

use common::Bed;
use kilter_probe::{Action, Event, Gate, LOST_EXIT_CODE, Probe};
use kilter_protocol::{Environment, ToNode};

const ROLE: &str = "KILTER_PROBE_TEST_ROLE";

#[derive(Clone)]
struct Never;

impl Event for Never {
    fn action(&self) -> Action {
        Action::new("Never")
    }
}

/// The node: this test's own program, started again with a role in its environment.
#[test]
fn node() {
    match env::var(ROLE).as_deref() {
        Ok("thread") => drop(Probe::global().action("Wait").begin()),
        Ok("gate") => assert!(Gate::<Never>::from_environment().next(&(), []).is_none()),
        _ => {}
    }
}

fn spawn(role: &str, address: &str) -> Child {
    Command::new(env::current_exe().expect("a test knows its program"))
        .args(["--exact", "node", "--nocapture"])
        .env(ROLE, role)
        .env(Environment::ADDRESS, address)
        .env(Environment::NODE, "n1")
        .env(Environment::TOKEN, "secret")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the node starts")
}

fn start(role: &str, bed: &Bed) -> (Child, common::Node) {
    let child = spawn(role, &bed.environment().address.to_string());
    let (_, mut node) = bed.accept();
    node.hear_report();
    (child, node)
}

#[track_caller]
fn check_ended(child: Child, code: i32, word: &str) {
    let Output { status, stderr, .. } = child.wait_with_output().expect("the node ends");
    assert_eq!(status.code(), Some(code));
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(stderr.contains(word), "{word} is not in {stderr:?}");
}

#[test]
fn the_testbed_is_gone() {
    for role in ["thread", "gate"] {
        let (child, node) = start(role, &Bed::new());
        drop(node);
        check_ended(child, LOST_EXIT_CODE, "kilter-probe: the testbed is gone");
    }
}

#[test]
fn the_testbed_talks_nonsense() {
    let (child, mut node) = start("gate", &Bed::new());
    node.tell_raw(b"{\"go\":\n");
    check_ended(child, LOST_EXIT_CODE, "kilter-probe: not a message of the protocol");
}

#[test]
fn there_is_no_testbed_at_the_address() {
    let address = Bed::new().environment().address.to_string(); // closed again at once
    check_ended(spawn("thread", &address), LOST_EXIT_CODE, "kilter-probe: no testbed at tcp:127.0.0.1:");
    check_ended(spawn("gate", "telephone:12"), LOST_EXIT_CODE, "kilter-probe: `telephone:12` is no address");
}

#[test]
fn the_testbed_says_stop() {
    for role in ["thread", "gate"] {
        let (child, mut node) = start(role, &Bed::new());
        node.tell(&ToNode::Stop {});
        check_ended(child, 0, "");
    }
}
