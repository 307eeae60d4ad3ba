//! Changes that are attributed by what ran in the old version.

#![allow(clippy::needless_raw_string_hashes, reason = "so expect-test writes them")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::common;

use common::{mapping, shown};
use expect_test::{Expect, expect};
use kilter_source::{Lines, Mapping, Ran, Tree, compare};

const BASE: &str = "\
LIMIT = 3

class Reason:
    GOOD = 0

class Node:
    def handle(self, message):
        if message.kind == 'vote':
            self.vote(message)
        elif message.kind == 'append':
            if message.term < self.term:
                return
            self.append(message)
        self.n += 1

    def vote(self, message):
        self.voted = message.sender

    def append(self, message):
        for entry in message.entries:
            self.log.append(entry)

    def status(self):
        return LIMIT
";

/// Lines of the file that ran.
fn lines(numbers: &[usize]) -> Lines {
    [("lib/node.py".to_owned(), numbers.iter().copied().collect())].into()
}

fn ran() -> Mapping {
    let ran = Ran {
        folders: BTreeSet::from(["lib".to_owned()]),
        actions: [
            ("Vote".to_owned(), lines(&[7, 8, 9, 14, 16, 17])),
            ("Append".to_owned(), lines(&[7, 8, 10, 11, 12, 13, 14, 19, 20, 21])),
        ]
        .into(),
        start: Lines::new(),
        offers: Lines::new(),
    };
    Mapping { ran: Some(ran), ..mapping("Vote Append", "") }
}

/// Replaces a text of the base. The report has for each action the lines at which the change begins to matter.
#[track_caller]
fn check(old: &str, new: &str, expected: &Expect) {
    assert!(BASE.contains(old), "{old}");
    let trees =
        [BASE.to_owned(), BASE.replacen(old, new, 1)].map(|text| Tree::of([("lib/node.py", text.as_str())]));
    let change = compare(&trees[0], &trees[1], &ran());
    let mut text = shown(&change);
    for action in &change.actions {
        let at = action.at.iter().flatten().map(|range| format!(" {}-{}", range.first, range.last));
        writeln!(text, "{} at{}", action.action, at.collect::<String>()).expect("a text takes everything");
    }
    expected.assert_eq(&text);
}

#[test]
fn a_change_belongs_to_actions_that_reach_it() {
    check(
        "self.voted = message.sender",
        "self.voted = None",
        &expect![[r#"
        Vote [all, stored]: lib/node.py:16 `Node::vote` changed, and runs at lib/node.py:17
        Vote at 17-17
    "#]],
    );
    check(
        "            if message.term < self.term:",
        "            if message.term <= self.term:",
        &expect![[r#"
            Append [all, stored]: lib/node.py:7 `Node::handle` changed, and runs at lib/node.py:11
            Append at 11-11
        "#]],
    );
    check(
        "                return\n",
        "                return None\n",
        &expect![[r#"
        Append [all, stored]: lib/node.py:7 `Node::handle` changed, and runs at lib/node.py:12
        Append at 12-12
    "#]],
    );
    check(
        "        self.n += 1\n",
        "",
        &expect![[r#"
        Append [all, stored]: lib/node.py:7 `Node::handle` changed, and runs at lib/node.py:14
        Vote [all, stored]: lib/node.py:7 `Node::handle` changed, and runs at lib/node.py:14
        Append at 14-14
        Vote at 14-14
    "#]],
    );
}

#[test]
fn what_is_added_matters_where_it_is_reached() {
    check(
        "            self.append(message)\n",
        "            self.seen = 1\n            self.append(message)\n",
        &expect![[r#"
            Append [all, stored]: lib/node.py:7 `Node::handle` changed, and runs at lib/node.py:13
            Append at 13-13
        "#]],
    );
    check(
        "            self.log.append(entry)\n",
        "            self.log.append(entry)\n            self.m += 1\n",
        &expect![[r#"
            Append [all, stored]: lib/node.py:19 `Node::append` changed, and runs at lib/node.py:21
            Append at 21-21
        "#]],
    );
    check(
        "        if message.kind",
        "        self.m = 0\n        if message.kind",
        &expect![[r#"
        Append [all, stored]: lib/node.py:7 `Node::handle` changed, and runs at lib/node.py:8
        Vote [all, stored]: lib/node.py:7 `Node::handle` changed, and runs at lib/node.py:8
        Append at 8-8
        Vote at 8-8
    "#]],
    );
    check(
        "        self.n += 1\n",
        "        else:\n            self.m = 0\n        self.n += 1\n",
        &expect![[r#"
            Append [all, stored]: lib/node.py:7 `Node::handle` changed, and runs at lib/node.py:8
            Vote [all, stored]: lib/node.py:7 `Node::handle` changed, and runs at lib/node.py:8
            Append at 8-8
            Vote at 8-8
        "#]],
    );
}

#[test]
fn code_that_does_not_run_needs_no_test() {
    check(
        "return LIMIT",
        "return LIMIT + 1",
        &expect![[r#"
        0 lib/node.py:23 `Node::status` changed
    "#]],
    );
    check(
        "LIMIT = 3",
        "LIMIT = 4",
        &expect![[r#"
        0 lib/node.py:1 `LIMIT` changed
    "#]],
    );
    check(
        "    GOOD = 0\n",
        "    GOOD = 0\n    BAD = 1\n",
        &expect![[r#"
        0 lib/node.py:3 `Reason` changed
    "#]],
    );
    check(
        "    def status(self):",
        "    def other(self):\n        pass\n\n    def status(self):",
        &expect![[r#"
            0 lib/node.py:23 `Node::other` is new
        "#]],
    );
}

#[test]
fn what_the_trace_does_not_tell_is_left_to_the_call_graph() {
    check(
        "    GOOD = 0\n",
        "    GOOD = 1\n",
        &expect![[r#"
        ? lib/node.py:3 `Reason` changed, and no action is known to use it
    "#]],
    );
    check(
        "    def status(self):",
        "    def sender(self):\n        pass\n\n    def status(self):",
        &expect![[r#"
            Append [all, stored]: lib/node.py:23 `Node::sender` is new, and may run at any time, used by `Node::handle` → `Node::vote`
            Vote [all, stored]: lib/node.py:23 `Node::sender` is new, and may run at any time, used by `Node::handle` → `Node::vote`
            Append at
            Vote at
        "#]],
    );
}
