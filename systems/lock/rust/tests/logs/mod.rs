//! Runs nodes that nobody controls, and follows their logs in the order of their vector clocks.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use kilter::Host;
use kilter::follow::{self, FollowOptions};
use kilter_testbed::cluster::Ports;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::lock;

const NODES: [&str; 5] = ["n1", "n2", "n3", "n4", "n5"];
const PATIENCE: Duration = Duration::from_secs(120);
const ACCEPTED: u8 = 0;
const REJECTED: u8 = 1;

/// Follows clusters in which each language has the server once, and logs of theirs that are spoilt.
pub fn are_behaviors() {
    let mut ports = Ports::reserve().expect("free ports");
    let mut clusters: Vec<Cluster> = (0..5).map(|turn| Cluster::start(turn, &mut ports)).collect();
    clusters.iter_mut().for_each(Cluster::start_clients);
    for mut cluster in clusters {
        cluster.wait();
        cluster.end();
        let Cluster { turn, logs, .. } = &cluster;
        assert_eq!(logs.verdict(), ACCEPTED, "turn {turn}");

        // Whoever had the lock first gives it back after the server has done everything, says its clock. The server has handled
        // that, so it can't be.
        let server = logs.lines("n1");
        let last = server.iter().filter_map(|line| line["clock"]["n1"].as_u64()).max();
        let asked = server.iter().find(|line| line["event"] == "HandleAsk").expect("somebody has asked");
        let first = asked["message"]["from"].as_str().expect("a name");
        let mut right = Json::Null;
        logs.change(first, "Release", |line| {
            right = std::mem::replace(&mut line["clock"]["n1"], json!(last));
        });
        assert_eq!(logs.verdict(), REJECTED, "turn {turn}: clocks");
        logs.change(first, "Release", |line| line["clock"]["n1"] = right);
        assert_eq!(logs.verdict(), ACCEPTED, "turn {turn}: only the clock was wrong");

        logs.change("n1", "HandleAsk", |line| line["state"]["holder"] = json!("n1"));
        assert_eq!(logs.verdict(), REJECTED, "turn {turn}: state");
    }
}

/// The nodes that run. They end with this.
struct Cluster {
    turn: u8,
    peers: String,
    nodes: Vec<Child>,
    logs: Logs,
}

impl Cluster {
    fn start(turn: u8, ports: &mut Ports) -> Cluster {
        let logs = Logs(tempfile::tempdir().expect("a folder for the logs"));
        let ports = ports.take(NODES.len()).expect("free ports");
        let peers = NODES.iter().zip(ports).map(|(node, port)| format!("{node}=127.0.0.1:{port}"));
        let peers = peers.collect::<Vec<String>>().join(",");
        let mut cluster = Cluster { turn, peers, nodes: Vec::new(), logs };
        cluster.start_node("n1");
        cluster
    }

    /// Starts the clients when the server listens: what they ask before that is lost.
    fn start_clients(&mut self) {
        let until = Instant::now() + PATIENCE;
        while self.logs.lines("n1").is_empty() {
            assert!(Instant::now() < until, "turn {}: the server does not start", self.turn);
            thread::sleep(Duration::from_millis(50));
        }
        NODES[1..].iter().for_each(|node| self.start_node(node));
    }

    fn start_node(&mut self, node: &str) {
        let mut command = Command::new(lock().join("node"));
        command.args([node, self.peers.as_str()]).env("KILTER_TRACE", self.logs.file(node));
        command.env("LOCK_TURN", self.turn.to_string()).env("LOCK_RUST", env!("CARGO_BIN_EXE_lock"));
        command.env_remove("KILTER_ADDRESS").env_remove("KILTER_NODE");
        self.nodes.push(command.spawn().expect("a node can be started"));
    }

    /// Waits until each client has asked for the lock, and one has given it back.
    fn wait(&self) {
        let until = Instant::now() + PATIENCE;
        let lines = || NODES.iter().flat_map(|node| self.logs.lines(node)).collect::<Vec<Json>>();
        let count = |event: &str| lines().iter().filter(|line| line["event"] == event).count();
        while count("HandleAsk") < 4 || count("HandleRelease") < 1 || count("Release") < 1 {
            assert!(Instant::now() < until, "turn {}: {:?}", self.turn, lines());
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn end(&mut self) {
        for node in &mut self.nodes {
            // It may have ended by itself, which the log shows.
            let _ = node.kill();
            let _ = node.wait();
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.end();
    }
}

/// The logs of a cluster.
struct Logs(TempDir);

impl Logs {
    fn file(&self, node: &str) -> PathBuf {
        self.0.path().join(node).with_extension("log")
    }

    /// The exit code of `kilter follow`.
    fn verdict(&self) -> u8 {
        let logs = NODES.iter().map(|node| self.file(node));
        let options = FollowOptions::of([lock().join("kilter.toml")].into_iter().chain(logs));
        follow::run(&options, &mut Host::default()).expect("no error of ours").code()
    }

    fn lines(&self, node: &str) -> Vec<Json> {
        let text = fs::read_to_string(self.file(node)).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Changes the first line of an event.
    fn change(&self, node: &str, event: &str, change: impl FnOnce(&mut Json)) {
        let mut lines = self.lines(node);
        change(lines.iter_mut().find(|line| line["event"] == event).expect("a line of the event"));
        let lines: Vec<String> = lines.iter().map(Json::to_string).collect();
        fs::write(self.file(node), lines.join("\n") + "\n").expect("the log can be written");
    }
}
