//! Changes of Java programs, with the annotations of the paper.

#![allow(clippy::needless_raw_string_hashes, reason = "so expect-test writes them")]

use crate::common;

use common::{check, mapping};
use expect_test::{Expect, expect};

const BASE: &str = r#"package org.example;

import java.util.List;
import java.util.ArrayList;

public class Node implements Runnable {
    static final int LIMIT = 3;

    @Variable("count")
    private int sentCount = 0;
    private List<String> queue = new ArrayList<>();

    public Node(int start) {
        this.sentCount = start;
    }

    @Action("Request")
    public Response send(String to, int data) {
        queue.add(to);
        return new Response(data);
    }

    @Action("Process")
    public void process(Response resp) {
        sentCount += 1;
        if (resp.isLarge(LIMIT)) {
            queue.clear();
        }
    }

    @Override
    public void run() {
        while (true) {
            Response resp = send("n2", 7);
            process(resp);
        }
    }

    public static void main(String[] args) {
        new Thread(new Node(0)).start();
    }

    static class Response {
        private final int data;

        Response(int data) { this.data = data; }

        boolean isLarge(int limit) { return data > limit; }
    }
}
"#;

#[track_caller]
fn check_edit(old: &str, new: &str, expected: &Expect) {
    assert!(BASE.contains(old), "the base does not say: {old}");
    let mapping = mapping("Request Process", "count");
    check("src/main/java/Node.java", BASE, &BASE.replacen(old, new, 1), &mapping, expected);
}

#[test]
fn layout_comments_and_imports_in_another_order_are_no_change() {
    check_edit(
        "queue.add(to);",
        "queue\n    .add(to); // to whom",
        &expect![[r#"
        no change
    "#]],
    );
    check_edit(
        "import java.util.List;\nimport java.util.ArrayList;",
        "import java.util.ArrayList;\nimport java.util.List;",
        &expect![[r#"
            no change
        "#]],
    );
}

#[test]
fn an_assignment_of_a_mapped_variable_touches_that_one() {
    check_edit(
        "sentCount += 1;",
        "sentCount += 2;",
        &expect![[r#"
        Process [count]: src/main/java/Node.java:23 `Node::process` changed
    "#]],
    );
    check_edit(
        "queue.clear();",
        "",
        &expect![[r#"
            Process [all, stored]: src/main/java/Node.java:23 `Node::process` changed
        "#]],
    );
}

#[test]
fn helpers_constants_and_constructors_reach_their_users() {
    check_edit(
        "return data > limit;",
        "return data >= limit;",
        &expect![[r#"
            Process [all, stored]: src/main/java/Node.java:48 `Response::isLarge` changed, used by `Node::process`
        "#]],
    );
    check_edit(
        "LIMIT = 3",
        "LIMIT = 4",
        &expect![[r#"
            Process [all, stored]: src/main/java/Node.java:6 `Node` changed, and may run at any time, used by `Node::Node`
            Request [all, stored]: src/main/java/Node.java:6 `Node` changed, and may run at any time, used by `Node::Node`
        "#]],
    );
    check_edit(
        "this.data = data;",
        "this.data = -data;",
        &expect![[r#"
            Process [all, stored]: src/main/java/Node.java:46 `Response::Response` changed, and may run at any time, used by `Node::run`
            Request [all, stored]: src/main/java/Node.java:46 `Response::Response` changed, and may run at any time, used by `Node::run`
        "#]],
    );
}

#[test]
fn what_a_thread_does_between_actions_is_everybodys() {
    check_edit(
        "send(\"n2\", 7)",
        "send(\"n3\", 7)",
        &expect![[r#"
            Process [all, stored]: src/main/java/Node.java:31 `Node::run` changed, and may run at any time
            Request [all, stored]: src/main/java/Node.java:31 `Node::run` changed, and may run at any time
        "#]],
    );
}

#[test]
fn a_file_that_does_not_parse_is_listed() {
    check_edit(
        "while (true) {",
        "while (true {",
        &expect![[r#"
        ? src/main/java/Node.java:33 it can't be parsed, so what changed is not known
    "#]],
    );
}
