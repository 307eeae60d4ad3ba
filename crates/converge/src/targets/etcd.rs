//! Drives etcd, through its JSON gateway.

use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json};

use super::http::{Writer, answer, post};
use crate::nodes::Seat;
use crate::store::{Client, Contents, Promise, Quorum, Store};
use crate::trouble::Trouble;

/// With these options, a leader whose followers are stopped has time to log a few writes before it steps down.
const OPTIONS: [&str; 4] = ["--heartbeat-interval", "50", "--election-timeout", "500"];

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

    fn prepare(&self, _seats: &[Seat]) -> Result<(), Trouble> {
        Ok(())
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
