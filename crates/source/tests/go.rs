//! Changes of Go programs.

#![allow(clippy::needless_raw_string_hashes, reason = "so expect-test writes them")]

use crate::common;

use common::{check, mapping};
use expect_test::{Expect, expect};

const BASE: &str = r#"package main

import (
	"fmt"
	"probe"
)

const (
	Follower = iota
	Leader
)

type Node struct {
	term int
	log  []string
}

func (n *Node) Timeout() {
	step := probe.Action("Timeout").Begin()
	n.term = n.term + 1
	n.persist()
	step.End(n)
}

func (n *Node) Receive(m Message) {
	step := probe.Action("Receive").Begin()
	if m.kind == Leader {
		n.log = append(n.log, m.text)
	}
	step.End(n)
}

type Message struct {
	kind int
	text string
}

func (n *Node) persist() {
	fmt.Println(n.term)
}

func main() {
	n := &Node{}
	go func() {
		n.Timeout()
	}()
	for m := range probe.Messages() {
		n.Receive(m)
	}
}
"#;

#[track_caller]
fn check_edit(old: &str, new: &str, expected: &Expect) {
    assert!(BASE.contains(old), "the base does not say: {old}");
    check("main.go", BASE, &BASE.replacen(old, new, 1), &mapping("Timeout Receive", ""), expected);
}

#[test]
fn layout_comments_and_the_order_of_imports_are_no_change() {
    check_edit(
        "term int\n\tlog  []string",
        "// the term\n\tterm     int\n\tlog []string",
        &expect![[r#"
        no change
    "#]],
    );
    check_edit(
        "\"fmt\"\n\t\"probe\"",
        "\"probe\"\n\n\t\"fmt\"",
        &expect![[r#"
        no change
    "#]],
    );
    check_edit(
        "n.persist()",
        "n.persist();",
        &expect![[r#"
        no change
    "#]],
    );
}

#[test]
fn actions_and_what_they_use() {
    check_edit(
        "n.term = n.term + 1",
        "n.term = n.term + 2",
        &expect![[r#"
            Timeout [all, stored]: main.go:18 `Node::Timeout` changed
        "#]],
    );
    check_edit(
        "fmt.Println(n.term)",
        "fmt.Println(n.log)",
        &expect![[r#"
            Timeout [all, stored]: main.go:38 `Node::persist` changed, used by `Node::Timeout`
        "#]],
    );
    check_edit(
        "Follower = iota",
        "Follower = iota + 1",
        &expect![[r#"
            Receive [all, stored]: main.go:8 `Follower` changed, used by `Node::Receive`
        "#]],
    );
    check_edit(
        "text string",
        "text []byte",
        &expect![[r#"
            Receive [all, stored]: main.go:33 `Message` changed, used by `Node::Receive`
        "#]],
    );
}

#[test]
fn what_runs_between_actions_is_everybodys() {
    check_edit(
        "n := &Node{}",
        "n := &Node{term: 1}",
        &expect![[r#"
            Receive [all, stored]: main.go:42 `main` changed, and may run at any time
            Timeout [all, stored]: main.go:42 `main` changed, and may run at any time
        "#]],
    );
}
