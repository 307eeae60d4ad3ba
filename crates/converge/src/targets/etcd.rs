//! Drives etcd, through its JSON gateway.

use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json};

use super::http::{Writer, answer, post};
use crate::nodes::Seat;
use crate::store::{Client, Contents, Quorum, Store};
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
        let url = |seat: &Seat, port: usize| format!("http://127.0.0.1:{}", seat.ports[port]);
        let peers: Vec<String> =
            seats.iter().map(|seat| format!("n{}={}", seat.index, url(seat, 1))).collect();
        let (client, peer) = (url(&seats[node], 0), url(&seats[node], 1));
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).args(["--name", &format!("n{node}"), "--data-dir", "data"]);
        command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
        command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        command.args(["--initial-cluster", &peers.join(",")]).args(OPTIONS).args(&self.options);
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        let seat = seats[node].clone();
        Ok(Box::new(Writer { seat, path: "/v3/kv/txn", body: operations, is_done: |_| true, last: None }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        let all = json!({ "key": to_base64("\0"), "range_end": to_base64("\0"), "serializable": true });
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
