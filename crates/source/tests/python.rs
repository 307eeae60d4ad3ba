//! Changes of Python programs.

#![allow(clippy::needless_raw_string_hashes, reason = "so expect-test writes them")]

use crate::common;

use common::{check, mapping};
use expect_test::{Expect, expect};

const BASE: &str = r#""""A node."""
import sys
from kilter_probe import Event, Gate

STATES = {0: "follower", 1: "leader"}
LIMIT = 3


def helper(x):
    """Says how much."""
    return x + LIMIT


class Node:
    default = 1

    def __init__(self, gate):
        self.gate = gate

    def wishes(self):
        return [Event("Heartbeat" if STATES[self.state] == "leader" else "Timeout")]

    def handle(self, event):
        if event.action == "Timeout":
            self.tick(helper(1))
        elif event.action == "Heartbeat":
            self.beat()
        else:
            self.take_in(event.data)

    def tick(self, seconds):
        self.now = seconds

    def beat(self):
        for peer in self.peers:
            self.send(peer)

    def take_in(self, message):
        self.log.append(message)


def main():
    gate = Gate()
    node = Node(gate)
    while (event := gate.next(node.variables(), node.wishes())) is not None:
        node.handle(event)


if __name__ == "__main__":
    main()
"#;

#[track_caller]
fn check_edit(old: &str, new: &str, expected: &Expect) {
    assert!(BASE.contains(old), "the base does not say: {old}");
    let mapping = mapping("Timeout Heartbeat Receive start:Restart", "log");
    check("node.py", BASE, &BASE.replacen(old, new, 1), &mapping, expected);
}

#[test]
fn layout_comments_and_documentation_are_no_change() {
    check_edit(
        "\"follower\"",
        "'follower'",
        &expect![[r#"
            no change
        "#]],
    );
    check_edit(
        "self.tick(helper(1))",
        "self.tick(  # now\n                helper(1),\n            )",
        &expect![[r#"
            no change
        "#]],
    );
    check_edit(
        "\"\"\"Says how much.\"\"\"",
        "\"\"\"Says more.\"\"\"",
        &expect![[r#"
            no change
        "#]],
    );
}

#[test]
fn indentation_is_a_change() {
    check_edit(
        "            self.send(peer)",
        "            pass\n        self.send(peer)",
        &expect![[r#"
            Heartbeat [all, stored]: node.py:34 `Node::beat` changed, used by `Node::handle` → `Node::handle, "Heartbeat"`
        "#]],
    );
}

#[test]
fn a_branch_for_an_action_is_that_actions() {
    check_edit(
        "self.tick(helper(1))",
        "self.tick(helper(2))",
        &expect![[r#"
            Timeout [all, stored]: node.py:25 `Node::handle, "Timeout"` changed, used by `Node::handle`
        "#]],
    );
    check_edit(
        "return x + LIMIT",
        "return x - LIMIT",
        &expect![[r#"
            Timeout [all, stored]: node.py:9 `helper` changed, used by `Node::handle` → `Node::handle, "Timeout"`
        "#]],
    );
    check_edit(
        "LIMIT = 3",
        "LIMIT = 4",
        &expect![[r#"
            Timeout [all, stored]: node.py:6 `LIMIT` changed, used by `Node::handle` → `Node::handle, "Timeout"` → `helper`
        "#]],
    );
    check_edit(
        "for peer in self.peers",
        "for peer in self.voters",
        &expect![[r#"
            Heartbeat [all, stored]: node.py:34 `Node::beat` changed, used by `Node::handle` → `Node::handle, "Heartbeat"`
        "#]],
    );
}

#[test]
fn what_has_no_condition_is_everybodys() {
    check_edit(
        "self.log.append(message)",
        "self.log.insert(0, message)",
        &expect![[r#"
            Heartbeat [all, stored]: node.py:38 `Node::take_in` changed, used by `Node::handle`
            Receive [all, stored]: node.py:38 `Node::take_in` changed, used by `main, loop` → `Node::handle`
            Timeout [all, stored]: node.py:38 `Node::take_in` changed, used by `Node::handle`
        "#]],
    );
    check_edit(
        "1: \"leader\"",
        "2: \"leader\"",
        &expect![[r#"
            Heartbeat [all, stored]: node.py:5 `STATES` changed, used by `Node::wishes`
            Receive [all, stored]: node.py:5 `STATES` changed, used by `main, loop` → `Node::wishes`
            Timeout [all, stored]: node.py:5 `STATES` changed, used by `Node::wishes`
        "#]],
    );
}

#[test]
fn the_start_is_of_actions_that_start_a_node() {
    check_edit(
        "node = Node(gate)",
        "node = Node(None)",
        &expect![[r#"
            Restart [all, stored]: node.py:42 `main` changed
        "#]],
    );
    check_edit(
        "import sys\n",
        "import os\n",
        &expect![[r#"
            ? node.py:2 `os` is new, and no action is known to use it
            ? node.py:2 `sys` is gone, and no action is known to use it
        "#]],
    );
}

#[test]
fn methods_that_python_calls_itself_are_everybodys() {
    check_edit(
        "self.gate = gate",
        "self.gate = None",
        &expect![[r#"
            Heartbeat [all, stored]: node.py:17 `Node::__init__` changed, and may run at any time
            Receive [all, stored]: node.py:17 `Node::__init__` changed, and may run at any time
            Restart [all, stored]: node.py:17 `Node::__init__` changed, and may run at any time
            Timeout [all, stored]: node.py:17 `Node::__init__` changed, and may run at any time
        "#]],
    );
}
