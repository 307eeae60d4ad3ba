//! Nodes that misbehave: each gives one clear message, and nothing hangs or panics.

mod support;

use std::time::Duration;

use kilter_testbed::{Cluster, Command, Control, Fault, Setup, Trouble, Waited, World};
use serde_json::json;
use support::{ask, copies, go, setup, started};

/// For what never comes. What does come takes far less, even on a busy machine.
const SHORT: Duration = Duration::from_millis(300);

#[test]
fn play() {
    support::play();
}

/// Starts two nodes that misbehave from the start, twice, and expects a message that says so.
#[track_caller]
fn fails_to_start(kind: &str, setup: Setup, expected: &[&str]) {
    let mut cluster = Cluster::new(setup);
    for _ in 0..2 {
        let Err(Trouble::NotStarted(text)) = cluster.start() else { panic!("{kind} has started") };
        for part in expected {
            assert!(text.contains(part), "{kind}: `{part}` is not in: {text}");
        }
        let after = cluster.perform(&Command::on_node(Fault::Crash, "n1"));
        assert!(matches!(after, Err(Trouble::Impossible(_))), "{kind}: {after:?}");
    }
}

/// Starts two nodes of which one misbehaves when told to act; the trouble that this gives.
#[track_caller]
fn fails_to_act(kind: &str, setup: Setup) -> String {
    let mut cluster = started(setup);
    let id = *cluster.offers().keys().next().expect("an offer");
    let trouble = cluster.perform(&Command::Go(id)).expect_err("it misbehaves");
    let after = cluster.wait();
    assert!(matches!(after, Err(Trouble::Impossible(_))), "{kind}: {after:?}");
    cluster.start().expect("it can be started again");
    trouble.to_string()
}

/// For how long depends on how busy the machine is.
#[track_caller]
fn is_silent(text: &str) {
    assert!(text.starts_with("node n1 said nothing for ") && text.ends_with(" ms in `Act`"), "{text}");
}

fn impatient_start(kind: &str) -> Setup {
    Setup { start_patience: SHORT, ..setup(2, kind) }
}

fn impatient(kind: &str) -> Setup {
    Setup { patience: SHORT, ..setup(2, kind) }
}

#[test]
fn a_node_that_dies_at_once() {
    fails_to_start("dies", setup(2, "dies"), &["ended by itself (exit code 5)", "out of cheese"]);
}

#[test]
fn a_node_that_never_connects() {
    fails_to_start("absent", impatient_start("absent"), &["node n1 did not connect within "]);
}

#[test]
fn a_node_that_connects_and_says_nothing_more() {
    fails_to_start("mute", impatient_start("mute"), &["said nothing for ", " after its hello"]);
}

#[test]
fn a_program_that_does_not_exist() {
    let setup = Setup::new(["n1"], ["no-such-program", "{node}"]);
    fails_to_start("nothing", setup, &["can't start `no-such-program`: No such file"]);
    fails_to_start("no command", Setup::new(["n1"], [""; 0]), &["the command is empty"]);
}

#[test]
fn a_node_that_connects_again_and_again() {
    let setup = impatient_start("flood-of-connections");
    fails_to_start("flood-of-connections", setup, &["node n1 did not connect within "]);
}

#[test]
fn what_is_left_of_a_node_that_was_killed_is_not_taken_for_the_new_one() {
    let setup = impatient_start("old-token");
    fails_to_start("old-token", setup, &["node n1 did not connect", "as it was before"]);
}

#[test]
fn garbage() {
    fails_to_start("garbage", setup(2, "garbage"), &["broke the protocol: not a message of the protocol"]);
}

/// Who does not show a token is not taken for a node, though the kernel says whose process it is.
#[test]
fn garbage_before_the_token_is_nobodys() {
    // Of which node is told last depends on who was slower.
    let token = "connected and did not show the token of a node";
    for kind in ["garbage-first", "binary-first"] {
        let expected = ["node n1 did not connect", token, "not a message of the protocol"];
        fails_to_start(kind, impatient_start(kind), &expected);
    }
    let expected = ["node n1 did not connect", token, "its first line is no hello"];
    fails_to_start("report-first", impatient_start("report-first"), &expected);
}

#[test]
fn garbage_over_tcp_where_nobody_knows_whose_it_is() {
    let setup = Setup { control: Control::Tcp, ..impatient_start("garbage-first") };
    let expected = [
        "node n1 did not connect",
        "somebody connected and did not show the token of a node: not a message of the protocol",
    ];
    fails_to_start("garbage-first", setup, &expected);
}

#[test]
fn strangers() {
    let wrong = ["node n1 did not connect", ", with a wrong token"];
    fails_to_start("wrong-token", impatient_start("wrong-token"), &wrong);
    fails_to_start("wrong-version", setup(2, "wrong-version"), &["it speaks version 7 of the protocol"]);
    fails_to_start("wrong-name", setup(2, "wrong-name"), &["it says that it is `n9`, which is no node"]);
    fails_to_start("two-connections", setup(2, "two-connections"), &["it connected twice"]);
    fails_to_start("hello-again", setup(2, "hello-again"), &["it said hello twice"]);
}

#[test]
fn floods() {
    fails_to_start("flood-of-offers", setup(2, "flood-of-offers"), &["more than 10000 offers at once"]);
    fails_to_start("same-number", setup(2, "same-number"), &["offer 1 stands, and was made again"]);
    fails_to_start("endless-line", setup(2, "endless-line"), &["a line of more than 16777216 bytes"]);
    for kind in ["flood-of-notes", "flood-of-reports"] {
        fails_to_start(kind, impatient_start(kind), &["did not finish within ", "said other things"]);
    }
}

#[test]
fn a_node_that_ends_in_an_action() {
    let text = fails_to_act("exits-with-0", setup(2, "exits-with-0"));
    assert_eq!(text.lines().next(), Some("node n1 ended by itself (exit code 0); it last said:"));
    let text = fails_to_act("aborts", setup(2, "aborts"));
    assert!(text.starts_with("node n1 ended by itself (signal 6, SIGABRT)"), "{text}");
    let text = fails_to_act("half-a-line-and-closes", setup(2, "half-a-line-and-closes"));
    assert!(text.starts_with("node n1 ended by itself (exit code 0)"), "{text}");
}

#[test]
fn a_node_that_does_not_finish_an_action() {
    for kind in ["hangs", "half-a-line"] {
        is_silent(&fails_to_act(kind, impatient(kind)));
    }
    let text = fails_to_act("chatters", impatient("chatters"));
    assert!(text.starts_with("node n1 does not come to rest: it did not finish within "), "{text}");
    assert!(text.ends_with(" in `Act`, but said other things"), "{text}");
}

#[test]
fn a_node_that_loops_for_ever_gets_little_more_time() {
    is_silent(&fails_to_act("loops", impatient("loops")));
}

#[test]
fn a_node_that_finishes_what_it_was_not_told() {
    let text = fails_to_act("wrong-number", setup(2, "wrong-number"));
    assert_eq!(text, "node n1 broke the protocol: it finished 1, but was told `Act`, 0");
}

#[test]
fn a_node_that_withdraws_what_is_let_go_can_go_on() {
    let mut cluster = started(setup(1, "withdraws"));
    let id = *cluster.offers().keys().next().expect("an offer");
    let refusal = cluster.perform(&Command::Go(id)).expect_err("it withdraws");
    assert_eq!(refusal, Trouble::Impossible("node n1 withdrew `Act` when it was let go".to_owned()));
    assert_eq!(cluster.offers().len(), 2);
    assert_eq!(cluster.wait(), Ok(Waited::Still));
}

#[test]
fn a_message_that_never_arrives_is_waited_for_once() {
    let mut cluster = started(impatient("loses-messages"));
    go(&mut cluster, "n1", "Act");
    assert_eq!(copies(&cluster), 1);
    assert!(!cluster.waited().is_zero());
    assert_eq!(cluster.take_notes(), ["n2: 1 of the messages that were sent to it have not arrived"]);
    let waited = cluster.waited();
    assert_eq!(cluster.wait(), Ok(Waited::Still));
    assert_eq!(cluster.waited(), waited);
}

#[test]
fn what_never_comes_is_given_up_where_nobody_says_still() {
    let mut setup = impatient("good");
    setup.env.push(("SAYS_STILL".to_owned(), "no".to_owned()));
    let mut cluster = started(setup);
    let mut waited = cluster.wait();
    while waited == Ok(Waited::Changed) {
        waited = cluster.wait();
    }
    assert_eq!(waited, Ok(Waited::GaveUp));
    assert!(!cluster.waited().is_zero());
    cluster.start().expect("it starts again");
    assert!(cluster.waited().is_zero());
}

#[test]
fn news_that_never_end_are_given_up_as_well() {
    for says_still in ["yes", "no"] {
        let mut setup = impatient("ticks");
        setup.env.push(("SAYS_STILL".to_owned(), says_still.to_owned()));
        let mut cluster = started(setup);
        while cluster.wait().expect("nothing goes wrong") == Waited::Changed {}
    }
}

#[test]
fn a_message_to_somebody_who_is_no_node_is_in_flight() {
    let mut cluster = started(setup(1, "sends-to-nobody"));
    go(&mut cluster, "n1", "Act");
    assert_eq!(&*cluster.flights()[0].to, "client");
}

#[test]
fn large_lines_in_both_directions() {
    let mut cluster = started(setup(1, "big"));
    go(&mut cluster, "n1", "Act");
    let big = &cluster.variables("n1").expect("it is up")["big"];
    assert_eq!(big.as_str().map(str::len), Some(8 << 20));
    ask(&mut cluster, "n1", "Act", &[json!("x".repeat(8 << 20))]).expect("it listens");
}

#[test]
fn a_node_that_does_not_listen_does_not_hold_us_up() {
    let mut cluster = started(impatient("deaf"));
    let trouble = ask(&mut cluster, "n1", "Act", &[json!("x".repeat(8 << 20))]).expect_err("it is deaf");
    is_silent(&trouble.to_string());
}

#[test]
fn a_cluster_that_can_not_be_used_again_is_started_again() {
    let mut cluster = started(Setup { reset: vec!["Hang".to_owned()], patience: SHORT, ..setup(2, "good") });
    ask(&mut cluster, "n1", "Add", &[json!(1)]).expect("it adds");
    cluster.start().expect("new processes");
    assert_eq!(support::count(&cluster, "n1"), 0);
    let notes = cluster.take_notes();
    assert!(notes[0].starts_with("can't be used again: node n1 said nothing for "), "{notes:?}");
}

#[test]
fn what_a_node_prints_does_no_harm() {
    let mut cluster = started(setup(2, "wordy"));
    support::ping(&mut cluster, "n1", "n2");
    go(&mut cluster, "n2", "Take");
}
