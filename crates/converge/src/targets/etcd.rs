//! Drives etcd, through its JSON gateway.
//!
//! `say` replaces a member: `learn`, to one that does not run, takes its data and its vote, and adds it as a learner;
//! `promote`, to a learner that runs, makes it a member with a vote once it has caught up.

use std::fs;
use std::io;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json};

use super::http::{Writer, answer, post};
use crate::nodes::Seat;
use crate::store::{Client, Contents, Promise, Quorum, Store};
use crate::trouble::Trouble;

/// With these options, a leader whose followers are stopped has time to log a few writes before it steps down.
const OPTIONS: [&str; 4] = ["--heartbeat-interval", "50", "--election-timeout", "500"];

/// How long a cluster has to agree to a change of its members, and a learner to catch up.
const LEARN_TIME: Duration = Duration::from_secs(30);
/// The file in a node's directory with the ports for clients of all nodes.
const PORTS: &str = "ports";
/// The file in a node's directory that says that its cluster is older than its data.
const JOINS: &str = "joins";

/// How etcd is started.
pub struct Etcd {
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// Further arguments.
    pub options: Vec<String>,
}

fn to_base64(text: &str) -> String {
    BASE64_STANDARD.encode(text)
}

fn from_base64(text: &str) -> String {
    String::from_utf8_lossy(&BASE64_STANDARD.decode(text).unwrap_or_default()).into_owned()
}

/// Asks the nodes of the cluster, until one answers.
fn ask_any(seat: &Seat, path: &str, body: &Json) -> io::Result<Json> {
    let ports = fs::read_to_string(seat.dir.join(PORTS))?;
    let mut answered = Err(io::ErrorKind::NotFound.into());
    for port in ports.split_whitespace().filter_map(|port| port.parse().ok()) {
        if port == seat.ports[0] {
            continue;
        }
        let other = Seat { ports: vec![port], ..seat.clone() };
        answered = post(&other, path, body).and_then(answer);
        if answered.is_ok() {
            break;
        }
    }
    answered
}

fn peer(seat: &Seat) -> String {
    format!("http://127.0.0.1:{}", seat.reached_at(1))
}

/// The number of a member, as the cluster knows it.
fn member(seat: &Seat) -> io::Result<Json> {
    let found = ask_any(seat, "/v3/cluster/member/list", &json!({}))?;
    let members = found["members"].as_array().into_iter().flatten();
    let mut its = members.filter(|member| member["peerURLs"][0] == peer(seat));
    its.next().map(|member| member["ID"].clone()).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Asks for a change of the members until the cluster agrees to it. It does not before it has been whole for a while, nor
/// promote a learner that has not caught up.
fn change(seat: &Seat, path: &str, body: &Json) -> io::Result<()> {
    let started = Instant::now();
    loop {
        match ask_any(seat, path, body) {
            Err(_) if started.elapsed() < LEARN_TIME => thread::sleep(Duration::from_millis(100)),
            answered => return answered.map(|_| ()),
        }
    }
}

fn learn(seat: &Seat) -> io::Result<()> {
    change(seat, "/v3/cluster/member/remove", &json!({ "ID": member(seat)? }))?;
    change(seat, "/v3/cluster/member/add", &json!({ "peerURLs": [peer(seat)], "isLearner": true }))?;
    fs::remove_dir_all(seat.dir.join("data"))?;
    fs::write(seat.dir.join(JOINS), "")
}

fn promote(seat: &Seat) -> io::Result<()> {
    change(seat, "/v3/cluster/member/promote", &json!({ "ID": member(seat)? }))
}

/// The operations of a write, in one transaction.
fn operations(pairs: &[(String, String)]) -> Json {
    let put = |(key, value): &(String, String)| json!({ "requestPut": { "key": to_base64(key), "value": to_base64(value) } });
    json!({ "success": pairs.iter().map(put).collect::<Vec<_>>() })
}

impl Store for Etcd {
    fn ports(&self) -> usize {
        2
    }

    fn peer_ports(&self) -> &'static [usize] {
        &[1]
    }

    fn check(&self) -> Result<(), Trouble> {
        let program = self.command.first().cloned().unwrap_or_default();
        match Command::new(&program).arg("--version").output() {
            Ok(_) => Ok(()),
            Err(_) => Err(Trouble::Missing { program, package: "etcd-server" }),
        }
    }

    fn prepare(&self, seats: &[Seat]) -> Result<(), Trouble> {
        let ports: Vec<String> = seats.iter().map(|seat| seat.ports[0].to_string()).collect();
        let write = |seat: &Seat| fs::write(seat.dir.join(PORTS), ports.join(" "));
        seats.iter().try_for_each(write).map_err(Trouble::own("writing down the ports"))
    }

    fn command(&self, seats: &[Seat], node: usize, _source: Option<usize>) -> Command {
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let peers: Vec<String> =
            seats.iter().map(|seat| format!("n{}={}", seat.index, url(seat.reached_at(1)))).collect();
        let seat = &seats[node];
        let (client, peer, reached) = (url(seat.ports[0]), url(seat.ports[1]), url(seat.reached_at(1)));
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).args(["--name", &format!("n{node}"), "--data-dir", "data"]);
        command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
        command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &reached]);
        command.args(["--initial-cluster", &peers.join(",")]).args(OPTIONS).args(&self.options);
        if seats[node].dir.join(JOINS).exists() {
            command.args(["--initial-cluster-state", "existing"]);
        }
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        let seat = seats[node].clone();
        // No error says for sure that a request will not be made later.
        let is_refusal = |_: &str| false;
        let is_done = |_: &Json| true;
        let path = "/v3/kv/txn";
        Ok(Box::new(Writer {
            seat,
            path,
            body: operations,
            is_done,
            is_refusal,
            last: None,
            is_refused: false,
        }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        range(seat, true)
    }

    fn promise(&self) -> Promise {
        Promise::Linearizable
    }

    fn read_as_client(&self, seats: &[Seat], node: usize) -> Option<Contents> {
        range(&seats[node], false)
    }

    fn say(&self, seat: &Seat, text: &str) -> Result<(), Trouble> {
        let done = match text {
            "learn" => learn(seat),
            "promote" => promote(seat),
            _ => return Err(Trouble::Unable("requests other than `learn` and `promote`")),
        };
        done.map_err(|error| Trouble::NotDriven(format!("{text}: {error}")))
    }

    fn resyncs(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("snapshot", "applied snapshot"),
            ("learner", "added member"),
            ("promoted", "promoted learner member"),
        ]
    }
}

/// All keys and values. What is serializable is what the node has; everything else is as good as read from the leader.
fn range(seat: &Seat, serializable: bool) -> Option<Contents> {
    let all = json!({ "key": to_base64("\0"), "range_end": to_base64("\0"), "serializable": serializable });
    let found = answer(post(seat, "/v3/kv/range", &all).ok()?).ok()?;
    let text = |pair: &Json, name: &str| from_base64(pair[name].as_str().unwrap_or_default());
    Some(
        found["kvs"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|pair| (text(pair, "key"), text(pair, "value")))
            .collect(),
    )
}

impl Quorum for Etcd {
    fn leader(&self, seats: &[&Seat]) -> Option<usize> {
        let status = |seat: &&Seat| answer(post(seat, "/v3/maintenance/status", &json!({})).ok()?).ok();
        let found: Vec<Json> = seats.iter().map(status).collect::<Option<_>>()?;
        let alike =
            |name: &str| !found[0][name].is_null() && found.iter().all(|it| it[name] == found[0][name]);
        let leader = found.iter().position(|it| it["header"]["member_id"] == it["leader"])?;
        (alike("leader") && alike("raftTerm") && alike("raftAppliedIndex")).then_some(seats[leader].index)
    }
}
