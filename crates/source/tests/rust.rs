//! Changes of Rust programs whose actions are marked functions.

#![allow(clippy::needless_raw_string_hashes, reason = "so expect-test writes them")]

use crate::common;

use common::{check, mapping};
use expect_test::{Expect, expect};

const BASE: &str = r#"
use kilter_probe::{Probe, action};

const LIMIT: u64 = 3;

/// A replica.
#[derive(Variables)]
struct Replica {
    #[variable("count")]
    n_seen: u64,
    #[variable]
    votes: Vec<u32>,
    hidden: bool,
}

impl Replica {
    #[action("Receive", message = vote)]
    fn receive(&mut self, vote: u32) {
        self.n_seen += 1;
        if enough(self.votes.len()) {
            self.hidden = true;
        }
    }

    #[action("Reset")]
    fn reset(&mut self) {
        self.votes.clear();
        self.n_seen = 0;
    }

    fn tick(&mut self) {
        let step = Probe::global().action("StepDown").begin();
        self.forget();
        step.end(self);
    }

    fn forget(&mut self) {
        self.hidden = false;
    }
}

fn enough(n: usize) -> bool {
    n as u64 > LIMIT
}

fn unused() -> u32 {
    1
}

fn main() {
    let mut replica = Replica { n_seen: 0, votes: Vec::new(), hidden: false };
    loop {
        replica.receive(read());
        replica.tick();
    }
}

fn read() -> u32 {
    7
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_works() {}
}
"#;

#[track_caller]
fn check_edit(old: &str, new: &str, expected: &Expect) {
    assert!(BASE.contains(old), "the base does not say: {old}");
    let mapping = mapping("Receive Reset StepDown", "count votes");
    check("src/main.rs", BASE, &BASE.replacen(old, new, 1), &mapping, expected);
}

#[test]
fn layout_and_comments_are_no_change() {
    check_edit(
        "self.n_seen += 1;",
        "self.n_seen\n    += /* one more */ 1; // done",
        &expect![[r#"
        no change
    "#]],
    );
    check_edit(
        "/// A replica.",
        "/// Something else.\n#[allow(dead_code)]",
        &expect![[r#"
        no change
    "#]],
    );
    check_edit(
        "Replica { n_seen: 0, votes: Vec::new(), hidden: false }",
        "Replica {\nn_seen: 0,\nvotes: Vec::new(),\nhidden: false,\n}",
        &expect![[r#"
        no change
    "#]],
    );
    check_edit(
        "use kilter_probe::{Probe, action};",
        "use kilter_probe::action;\nuse kilter_probe::Probe;",
        &expect![[r#"
        no change
    "#]],
    );
}

#[test]
fn a_renamed_parameter_is_a_change_all_the_same() {
    check_edit(
        "fn enough(n: usize) -> bool {\n    n as",
        "fn enough(m: usize) -> bool {\n    m as",
        &expect![[r#"
            Receive [all, stored]: src/main.rs:42 `enough` changed, used by `Replica::receive`
        "#]],
    );
}

#[test]
fn an_action_that_only_assigns_otherwise_touches_that_variable() {
    check_edit(
        "self.n_seen += 1;",
        "self.n_seen += 2;",
        &expect![[r#"
        Receive [count]: src/main.rs:18 `Replica::receive` changed
    "#]],
    );
    check_edit(
        "        self.n_seen = 0;\n",
        "",
        &expect![[r#"
        Reset [count]: src/main.rs:26 `Replica::reset` changed
    "#]],
    );
}

#[test]
fn hidden_state_may_touch_anything() {
    check_edit(
        "self.hidden = true;",
        "self.hidden = false;",
        &expect![[r#"
            Receive [all, stored]: src/main.rs:18 `Replica::receive` changed
        "#]],
    );
}

#[test]
fn a_helper_reaches_the_actions_that_use_it() {
    check_edit(
        "n as u64 > LIMIT",
        "n as u64 >= LIMIT",
        &expect![[r#"
            Receive [all, stored]: src/main.rs:42 `enough` changed, used by `Replica::receive`
        "#]],
    );
    check_edit(
        "self.hidden = false;\n    }\n}",
        "}\n}",
        &expect![[r#"
            StepDown [all, stored]: src/main.rs:37 `Replica::forget` changed, used by `Replica::tick`
        "#]],
    );
}

#[test]
fn a_constant_and_a_type_reach_their_users() {
    check_edit(
        "LIMIT: u64 = 3",
        "LIMIT: u64 = 4",
        &expect![[r#"
            Receive [all, stored]: src/main.rs:4 `LIMIT` changed, used by `Replica::receive` → `enough`
        "#]],
    );
    check_edit(
        "votes: Vec<u32>,",
        "votes: Vec<u64>,",
        &expect![[r#"
            Receive [all, stored]: src/main.rs:8 `Replica` changed, and may run at any time, used by `main`
            Reset [all, stored]: src/main.rs:8 `Replica` changed, and may run at any time, used by `main`
            StepDown [all, stored]: src/main.rs:8 `Replica` changed, and may run at any time, used by `main`
        "#]],
    );
}

#[test]
fn code_between_actions_concerns_all_of_them() {
    check_edit(
        "    7\n",
        "    8\n",
        &expect![[r#"
            Receive [all, stored]: src/main.rs:58 `read` changed, and may run at any time, used by `main`
            Reset [all, stored]: src/main.rs:58 `read` changed, and may run at any time, used by `main`
            StepDown [all, stored]: src/main.rs:58 `read` changed, and may run at any time, used by `main`
        "#]],
    );
    check_edit(
        "replica.tick();",
        "",
        &expect![[r#"
            Receive [all, stored]: src/main.rs:50 `main` changed, and may run at any time
            Reset [all, stored]: src/main.rs:50 `main` changed, and may run at any time
            StepDown [all, stored]: src/main.rs:50 `main` changed, and may run at any time
        "#]],
    );
}

#[test]
fn what_nobody_uses_is_listed() {
    check_edit(
        "fn unused() -> u32 {\n    1",
        "fn unused() -> u32 {\n    2",
        &expect![[r#"
        ? src/main.rs:46 `unused` changed, and no action is known to use it
    "#]],
    );
    check_edit(
        "fn unused() -> u32 {\n    1\n}",
        "",
        &expect![[r#"
        ? src/main.rs:46 `unused` is gone, and no action is known to use it
    "#]],
    );
}

#[test]
fn tests_are_no_part_of_the_system() {
    check_edit(
        "fn it_works() {}",
        "fn it_works() { panic!() }",
        &expect![[r#"
        no change
    "#]],
    );
}

#[test]
fn a_file_that_does_not_parse_is_listed() {
    check_edit(
        "fn main() {",
        "fn main( {",
        &expect![[r#"
        ? src/main.rs:50 it can't be parsed, so what changed is not known
    "#]],
    );
}

#[test]
fn an_added_function_reaches_its_users() {
    check_edit(
        "fn forget(&mut self) {\n        self.hidden = false;",
        "fn clean(&mut self) { self.hidden = true; }\n    fn forget(&mut self) {\n        self.clean();",
        &expect![[r#"
            StepDown [all, stored]: src/main.rs:37 `Replica::clean` is new, used by `Replica::tick` → `Replica::forget`; and 1 more
        "#]],
    );
}
