//! Three processes that nobody controls. What they do, also when one of them is killed, is a behavior of the specification.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use std::{fs, thread};

use kilter::follow::FollowOptions;
use kilter::run::Ended;

const NODES: [&str; 3] = ["n1", "n2", "n3"];
const PATIENCE: Duration = Duration::from_secs(60);

fn start(node: &str, peers: &str, folder: &Path) -> Child {
    let data = folder.join(node);
    fs::create_dir_all(&data).expect("a folder");
    Command::new(env!("CARGO_BIN_EXE_raft-rs-node"))
        .args(["--node", node, "--peers", peers, "--request-ms", "20", "--heartbeat-ms", "10"])
        .args(["--data", &data.to_string_lossy()])
        .args(["--seed", &node[1..]])
        .env("KILTER_TRACE", folder.join(node).with_extension("log"))
        .env("KILTER_NODE", node)
        .spawn()
        .expect("the node starts")
}

fn end(mut child: Child) {
    child.kill().expect("a running child");
    child.wait().expect("a killed child");
}

/// Waits until the trace of a node has this many requests or messages more than it has now.
fn wait_for(node: &str, folder: &Path, n_events: usize) {
    let n_lines =
        || fs::read_to_string(folder.join(node).with_extension("log")).map_or(0, |text| text.lines().count());
    let (began, enough) = (Instant::now(), n_lines() + 2 * n_events);
    while n_lines() < enough {
        assert!(began.elapsed() < PATIENCE, "{node} does nothing");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_a_cluster_does_is_a_behavior() {
    let listeners = NODES.map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    let address = |listener: &TcpListener| listener.local_addr().expect("a bound listener");
    let peers: Vec<String> = NODES
        .iter()
        .zip(&listeners)
        .map(|(node, listener)| format!("{node}={}", address(listener)))
        .collect();
    drop(listeners);
    let (peers, folder) = (peers.join(","), tempfile::tempdir().expect("a folder"));
    let folder = folder.path();
    let [first, second, third] = NODES.map(|node| start(node, &peers, folder));
    wait_for("n1", folder, 200);
    end(first);
    wait_for("n2", folder, 100);
    let first = start("n1", &peers, folder);
    wait_for("n1", folder, 100);
    [first, second, third].into_iter().for_each(end);
    let mapping = Path::new(env!("CARGO_MANIFEST_DIR")).join("follow.toml");
    let logs = NODES.map(|node| folder.join(node).with_extension("log"));
    let options = FollowOptions::of([mapping].into_iter().chain(logs));
    match kilter::follow::run(&options, &mut kilter::Host::default()).expect("the traces can be read") {
        Ended::Said { text, code, .. } => assert_eq!(code, 0, "{text}"),
        Ended::Ran(_) => panic!("nothing is run"),
    }
}
