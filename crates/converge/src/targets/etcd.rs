//! Drives etcd, through its JSON gateway.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json};

use crate::nodes::Seat;
use crate::store::{Client, Contents, Quorum, Store};
use crate::trouble::Trouble;

const PATIENCE: Duration = Duration::from_secs(2);
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

fn post(seat: &Seat, path: &str, body: &Json) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(seat.address(0))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let body = body.to_string();
    let length = body.len();
    write!(stream, "POST /v3/{path} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}")?;
    Ok(stream)
}

fn answer(mut stream: TcpStream) -> io::Result<Json> {
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    if head.lines().next().is_none_or(|line| !line.contains(" 200 ")) {
        return Err(io::Error::other(body.to_owned()));
    }
    Ok(serde_json::from_str(body)?)
}

/// A client. Each write has a connection of its own, because on one connection a write would wait for the answer to the
/// last one.
struct Writer {
    seat: Seat,
    last: Option<TcpStream>,
}

impl Client for Writer {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        let body = json!({ "key": to_base64(key), "value": to_base64(value) });
        let sent = post(&self.seat, "kv/put", &body);
        self.last = Some(sent.map_err(|error| Trouble::NotDriven(format!("put {key}: {error}")))?);
        Ok(())
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        let answered =
            |stream: TcpStream| stream.set_read_timeout(Some(patience)).is_ok() && answer(stream).is_ok();
        self.last.take().is_some_and(answered)
    }
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
        Ok(Box::new(Writer { seat: seats[node].clone(), last: None }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        let all = json!({ "key": to_base64("\0"), "range_end": to_base64("\0"), "serializable": true });
        let found = answer(post(seat, "kv/range", &all).ok()?).ok()?;
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
        let status = |seat: &&Seat| answer(post(seat, "maintenance/status", &json!({})).ok()?).ok();
        let found: Vec<Json> = seats.iter().map(status).collect::<Option<_>>()?;
        let alike =
            |name: &str| !found[0][name].is_null() && found.iter().all(|it| it[name] == found[0][name]);
        let leader = found.iter().position(|it| it["header"]["member_id"] == it["leader"])?;
        (alike("leader") && alike("raftTerm") && alike("raftAppliedIndex")).then_some(seats[leader].index)
    }
}
