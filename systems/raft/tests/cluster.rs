//! Three real processes that nobody controls: they elect a leader, replicate, survive `kill -9`, compact, and catch up. What they have
//! done is a behavior of the specification: `kilter follow` says so of the traces that they write.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kilter::follow::FollowOptions;
use kilter::run::Ended;
use kilter_raft::client::{Client, Request, Response, Status, ask};
use kilter_raft::machine::Command;

const PATIENCE: Duration = Duration::from_secs(60);

/// The name of a node.
fn name(node: usize) -> String {
    format!("n{}", node + 1)
}

struct Cluster {
    directory: tempfile::TempDir,
    addresses: Vec<String>,
    children: Vec<Option<Child>>,
}

impl Cluster {
    fn start(n_nodes: usize) -> Cluster {
        // Free ports, as far as one can know: all are held until all are found.
        let listeners: Vec<TcpListener> =
            (0..n_nodes).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
        let address = |listener: &TcpListener| listener.local_addr().expect("a bound listener").to_string();
        let addresses = listeners.iter().map(address).collect();
        drop(listeners);
        let directory = tempfile::tempdir().expect("a directory");
        let mut cluster = Cluster { directory, addresses, children: (0..n_nodes).map(|_| None).collect() };
        (0..n_nodes).for_each(|node| cluster.revive(node));
        cluster
    }

    fn revive(&mut self, node: usize) {
        let peers: Vec<String> = self
            .addresses
            .iter()
            .enumerate()
            .map(|(node, address)| format!("{}={address}", name(node)))
            .collect();
        let data = self.directory.path().join(name(node));
        let child = Process::new(Path::new(env!("CARGO_BIN_EXE_raft-node")))
            .args(["--id", &name(node), "--listen", &self.addresses[node], "--peers", &peers.join(",")])
            .args(["--data", &data.to_string_lossy(), "--snapshot-after", "10", "--name-senders"])
            .env("KILTER_TRACE", self.trace(node))
            .env("KILTER_NODE", name(node))
            .stdin(Stdio::null())
            .spawn();
        self.children[node] = Some(child.expect("the node starts"));
    }

    fn trace(&self, node: usize) -> PathBuf {
        self.directory.path().join(format!("{}.log", name(node)))
    }

    /// Ends all nodes. What they have done must be a behavior of the specification.
    fn follow(mut self) {
        (0..self.addresses.len()).for_each(|node| self.kill(node));
        let mapping = Path::new(env!("CARGO_MANIFEST_DIR")).join("follow.toml");
        let logs = (0..self.addresses.len()).map(|node| self.trace(node));
        let options = FollowOptions::of([mapping].into_iter().chain(logs));
        match kilter::follow::run(&options, &mut kilter::Host::default()).expect("the traces can be read") {
            Ended::Said { text, code, .. } => assert_eq!(code, 0, "{text}"),
            Ended::Ran(_) => panic!("nothing is run"),
        }
    }

    fn kill(&mut self, node: usize) {
        if let Some(mut child) = self.children[node].take() {
            child.kill().expect("a running child");
            child.wait().expect("a killed child");
        }
    }

    fn client(&self, id: u32) -> Client {
        Client::new(self.addresses.clone(), id, PATIENCE)
    }

    fn status(&self, node: usize) -> Option<Status> {
        match ask(&self.addresses[node], &Request::Status, PATIENCE) {
            Ok(Response::Status(status)) => Some(status),
            _ => None,
        }
    }

    /// Waits until the nodes are as they should be.
    #[track_caller]
    fn wait_for(&self, what: &str, mut is_so: impl FnMut(&Cluster) -> bool) {
        let started = Instant::now();
        while !is_so(self) {
            let statuses: Vec<_> = (0..self.addresses.len()).map(|node| self.status(node)).collect();
            assert!(started.elapsed() < PATIENCE, "no {what}: {statuses:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn leader(&self) -> Option<usize> {
        (0..self.addresses.len())
            .find(|node| self.status(*node).is_some_and(|status| status.role == "leader"))
    }

    #[track_caller]
    fn wait_for_leader(&self) -> usize {
        self.wait_for("leader", |cluster| cluster.leader().is_some());
        self.leader().unwrap_or(0)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        (0..self.children.len()).for_each(|node| self.kill(node));
    }
}

fn put(client: &mut Client, key: &str, value: &str) {
    let command = Command::Put { key: key.into(), value: value.into() };
    assert_eq!(client.command(command).expect("carried out"), Some(value.into()));
}

fn get(client: &mut Client, key: &str) -> Option<String> {
    client.command(Command::Get { key: key.into() }).expect("carried out")
}

#[test]
fn a_cluster_survives_the_loss_of_its_leader() {
    let mut cluster = Cluster::start(3);
    let mut client = cluster.client(1);
    put(&mut client, "x", "1");
    let leader = cluster.wait_for_leader();
    cluster.kill(leader);
    assert_eq!(get(&mut client, "x"), Some("1".into()));
    put(&mut client, "x", "2");
    cluster.revive(leader);
    cluster.wait_for("node that has come back", |cluster| {
        cluster.status(leader).is_some_and(|it| it.commit >= 4)
    });
    assert_eq!(get(&mut client, "x"), Some("2".into()));
    cluster.follow();
}

#[test]
fn nothing_is_lost_when_all_are_killed() {
    let mut cluster = Cluster::start(3);
    let mut client = cluster.client(1);
    for number in 0..25 {
        put(&mut client, &format!("key{number}"), &number.to_string());
    }
    (0..3).for_each(|node| cluster.kill(node));
    (0..3).for_each(|node| cluster.revive(node));
    for number in 0..25 {
        assert_eq!(get(&mut client, &format!("key{number}")), Some(number.to_string()));
    }
    cluster.follow();
}

#[test]
fn a_node_that_lags_behind_is_sent_the_snapshot() {
    let mut cluster = Cluster::start(3);
    let mut client = cluster.client(1);
    put(&mut client, "x", "0");
    let leader = cluster.wait_for_leader();
    let lagging = (leader + 1) % 3;
    cluster.kill(lagging);
    for number in 1..=40 {
        put(&mut client, "x", &number.to_string());
    }
    let leader = cluster.wait_for_leader();
    cluster.wait_for("snapshot", |cluster| cluster.status(leader).is_some_and(|it| it.snapshot >= 30));
    cluster.revive(lagging);
    cluster.wait_for("snapshot that arrives", |cluster| {
        cluster.status(lagging).is_some_and(|it| it.installed > 0 && it.commit > 40)
    });
    // It can lead, so it has all.
    let other = (0..3).find(|node| *node != lagging && *node != leader).unwrap_or(0);
    cluster.kill(leader);
    assert_eq!(get(&mut client, "x"), Some("40".into()));
    cluster.revive(leader);
    cluster.kill(other);
    assert_eq!(get(&mut client, "x"), Some("40".into()));
    cluster.follow();
}
