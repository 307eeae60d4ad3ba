//! Programs that are run against a cluster.

mod support;

use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use kilter_testbed::{Cluster, Command, Fault, Setup, Trouble, Until, Waited, World};
use support::{count, does, go, setup, started};

#[test]
fn play() {
    support::play();
}

/// Plays a client that sends something to a node and then waits for an answer that never comes.
#[test]
fn call() {
    let Ok(address) = std::env::var("CALL") else { return };
    let mut socket = TcpStream::connect(address).expect("the node listens");
    socket.write_all(b"{\"from\": \"a client\"}\n").expect("it reads");
    std::thread::sleep(support::LONG);
}

fn run(cluster: &mut Cluster, words: &[&str], until: Until) -> Result<(), Trouble> {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    cluster.perform(&Command::Run { node: "n2".into(), words, until })
}

#[test]
fn a_program_is_run_to_its_end_in_the_places_of_its_node() {
    let mut cluster = started(setup(2, "good"));
    run(&mut cluster, &["/bin/sh", "-c", "test {node} = n2 && test -d {data}"], Until::End)
        .expect("it succeeds");
    let trouble =
        run(&mut cluster, &["/bin/sh", "-c", "echo no leader; exit 3"], Until::End).expect_err("it fails");
    assert_eq!(
        trouble.to_string(),
        "`/bin/sh -c echo no leader; exit 3` failed (exit code 3); it last said:\nno leader"
    );
    let trouble = run(&mut cluster, &["no-such-program"], Until::End).expect_err("there is none");
    assert!(trouble.to_string().starts_with("can't start `no-such-program`: "), "{trouble}");
    go_on(&mut cluster);
}

#[test]
fn a_program_that_does_not_end_is_ended() {
    let mut cluster = started(Setup { patience: Duration::from_millis(300), ..setup(2, "good") });
    let trouble = run(&mut cluster, &["sleep", "1000"], Until::End).expect_err("it sleeps");
    assert_eq!(trouble.to_string(), "`sleep 1000` did not end within 300 ms");
    assert_eq!(cluster.waited(), Duration::from_millis(300));
}

#[test]
fn what_a_client_makes_a_node_offer_is_waited_for() {
    let mut cluster = started(setup(2, "good"));
    assert_eq!(cluster.wait(), Ok(Waited::Still), "all nodes say that they wait");
    let me = std::env::current_exe().expect("this executable has a path");
    let me = me.display().to_string();
    let words = ["/usr/bin/env", "CALL={address}", &me, "--exact", "call", "--nocapture"];
    run(&mut cluster, &words, Until::Offer).expect("it starts");
    while !does(&cluster, "n2", "Take") {
        assert_eq!(cluster.wait(), Ok(Waited::Changed), "somebody is on the way");
    }
    go(&mut cluster, "n2", "Take");
    assert_eq!(count(&cluster, "n2"), 1);
    assert_eq!(cluster.wait(), Ok(Waited::Still), "nobody is on the way any more");
    assert!(cluster.waited().is_zero());
    // The client still waits for an answer. The next case must know nothing of it.
    cluster.start().expect("it starts again");
    assert_eq!(cluster.wait(), Ok(Waited::Still));
}

#[test]
fn a_client_that_fails_is_noted_and_no_longer_waited_for_than_we_are_patient() {
    let mut cluster = started(Setup { patience: Duration::from_millis(300), ..setup(2, "good") });
    run(&mut cluster, &["/bin/sh", "-c", "echo refused; exit 1"], Until::Offer).expect("it starts");
    assert_eq!(cluster.wait(), Ok(Waited::GaveUp));
    let notes = cluster.take_notes();
    assert!(notes.iter().any(|note| note.contains("failed (exit code 1)")), "{notes:?}");
}

#[test]
fn a_node_that_is_down_has_no_clients() {
    let mut cluster = started(setup(2, "good"));
    cluster.perform(&Command::on_node(Fault::Crash, "n2")).expect("it crashes");
    let trouble = run(&mut cluster, &["true"], Until::End).expect_err("it is down");
    assert_eq!(trouble.to_string(), "node n2 is down");
}

/// Checks that a cluster that refused something can be used as before.
fn go_on(cluster: &mut Cluster) {
    support::ping(cluster, "n1", "n2");
    go(cluster, "n2", "Take");
    assert_eq!(count(cluster, "n2"), 1);
}
