//! Strangers connect during a run, with garbage, with a wrong token, or in crowds. They change nothing.

mod support;

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{fs, thread};

use kilter_protocol::{FromNode, Hello, VERSION, encode};
use kilter_testbed::{Command, Fault, Setup, World};
use support::{count, go, ping, setup, started};

#[test]
fn play() {
    support::play();
}

/// The socket of the cluster whose directory is in `scratch`.
fn socket(scratch: &Path) -> PathBuf {
    let dir = fs::read_dir(scratch).expect("it is there").flatten().next().expect("the cluster's directory");
    dir.path().join("control")
}

fn hello(token: &str) -> Vec<u8> {
    let (node, token) = ("n1".to_owned(), token.to_owned());
    encode(&FromNode::Hello(Hello { version: VERSION, node, token, says_still: true, takes_delivery: true }))
}

/// Sends what a stranger says in this turn.
fn say(turn: u64, stream: &mut UnixStream) {
    let zeros = "0".repeat(32);
    let said = match turn % 6 {
        0 => b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        1 => hello("sesame"),
        2 => hello(&format!("{zeros}-1")),
        3 => hello(""),
        4 => vec![b'x'; 100_000],
        _ => Vec::new(),
    };
    // This fails when the testbed has heard enough.
    let _ = stream.write_all(&said);
}

/// Plays a few rounds of messages, with a crash and a restart in each. Returns the count of node n2 in each round.
fn rounds(cluster: &mut impl World) -> Vec<u64> {
    let mut counts = Vec::new();
    for _ in 0..5 {
        ping(cluster, "n1", "n2");
        go(cluster, "n2", "Take");
        counts.push(count(cluster, "n2"));
        cluster.perform(&Command::on_node(Fault::Crash, "n1")).expect("it crashes");
        cluster
            .perform(&Command::on_node(Fault::Start, "n1"))
            .expect("it starts, whoever else wants to come in");
    }
    counts
}

#[test]
fn a_run_with_strangers_goes_as_one_without() {
    let scratch = tempfile::tempdir().expect("a directory");
    let setup = Setup { scratch: Some(scratch.path().to_owned()), ..setup(2, "good") };
    let undisturbed = rounds(&mut started(setup.clone()));
    let mut cluster = started(setup);
    let socket = socket(scratch.path());
    let (is_over, n_strangers) = (AtomicBool::new(false), AtomicU64::new(0));
    let disturbed = thread::scope(|scope| {
        scope.spawn(|| {
            let mut kept = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                let Ok(mut stream) = UnixStream::connect(&socket) else { continue };
                say(n_strangers.fetch_add(1, Ordering::Relaxed), &mut stream);
                kept.push(stream);
                if kept.len() > 200 {
                    kept.clear();
                }
            }
        });
        let disturbed = rounds(&mut cluster);
        is_over.store(true, Ordering::Relaxed);
        // The stranger may wait to be let in.
        let _ = cluster.wait();
        cluster.stop();
        disturbed
    });
    assert_eq!(disturbed, undisturbed);
    assert!(n_strangers.load(Ordering::Relaxed) > 10, "nobody came");
}

#[test]
fn whoever_shows_no_token_is_dropped_and_noted() {
    let scratch = tempfile::tempdir().expect("a directory");
    let mut cluster = started(Setup { scratch: Some(scratch.path().to_owned()), ..setup(2, "good") });
    let mut stranger = UnixStream::connect(socket(scratch.path())).expect("it listens");
    stranger.write_all(&hello("sesame")).expect("it listens");
    let mut notes = Vec::new();
    while !notes.iter().any(|note: &String| note.contains("says that it is n1, with a wrong token")) {
        ping(&mut cluster, "n1", "n2");
        go(&mut cluster, "n2", "Take");
        notes.extend(cluster.take_notes());
    }
    assert_eq!(stranger.read(&mut [0; 1]).ok(), Some(0), "the connection is closed");
}
