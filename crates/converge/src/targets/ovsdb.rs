//! Drives a cluster of `ovsdb-server`, the database of Open vSwitch on a Raft of its own, through its JSON-RPC.

use std::fs;
use std::io::{self, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde::Deserialize as _;
use serde_json::{Value as Json, json};

use crate::nodes::Seat;
use crate::store::{Client, Contents, Quorum, Store};
use crate::trouble::Trouble;

const PATIENCE: Duration = Duration::from_secs(2);
const DATABASE: &str = "Kilter";
/// A root table, or rows that nothing refers to would be removed.
const SCHEMA: &str = r#"{"name": "Kilter", "version": "1.0.0", "tables": {"Pair": {"columns": {"k": {"type": "string"}, "v": {"type": "string"}}, "indexes": [["k"]], "isRoot": true}}}"#;

/// How ovsdb-server is started.
pub struct Ovsdb {
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// Further arguments.
    pub options: Vec<String>,
}

/// The name of a node for other nodes.
fn peer(seat: &Seat) -> String {
    format!("tcp:127.0.0.1:{}", seat.ports[1])
}

fn ask(seat: &Seat, database: &str, operations: &[Json]) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(seat.address(0))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut params = vec![json!(database)];
    params.extend_from_slice(operations);
    write!(stream, "{}", json!({ "method": "transact", "params": params, "id": 0 }))?;
    Ok(stream)
}

/// Waits for the results of all operations. It is an error if one of them failed.
fn results(stream: &TcpStream) -> io::Result<Vec<Json>> {
    let mut messages = serde_json::Deserializer::from_reader(stream);
    loop {
        let message = Json::deserialize(&mut messages)?;
        // The server asks now and then whether the client is still there.
        if message["id"] != 0 {
            continue;
        }
        let results = message["result"].as_array().cloned().unwrap_or_default();
        let failed = std::iter::once(&message).chain(&results).find(|one| !one["error"].is_null());
        return match failed {
            Some(failed) => Err(io::Error::other(failed["error"].to_string())),
            None => Ok(results),
        };
    }
}

/// The rows of a table.
fn select(seat: &Seat, database: &str, table: &str, columns: &[&str]) -> io::Result<Vec<Json>> {
    let select = json!({ "op": "select", "table": table, "where": [], "columns": columns });
    let found = results(&ask(seat, database, &[select])?)?;
    Ok(found.first().and_then(|first| first["rows"].as_array().cloned()).unwrap_or_default())
}

/// A client. Each write has a connection of its own.
struct Writer {
    seat: Seat,
    last: Option<TcpStream>,
}

impl Client for Writer {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        self.send_together(&[(key.to_owned(), value.to_owned())])
    }

    fn send_together(&mut self, pairs: &[(String, String)]) -> Result<(), Trouble> {
        let insert = |(key, value): &(String, String)| json!({ "op": "insert", "table": "Pair", "row": { "k": key, "v": value } });
        let sent = ask(&self.seat, DATABASE, &pairs.iter().map(insert).collect::<Vec<_>>());
        self.last = Some(sent.map_err(|error| Trouble::NotDriven(format!("insert: {error}")))?);
        Ok(())
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        let answered =
            |stream: TcpStream| stream.set_read_timeout(Some(patience)).is_ok() && results(&stream).is_ok();
        self.last.take().is_some_and(answered)
    }
}

impl Store for Ovsdb {
    fn ports(&self) -> usize {
        2
    }

    fn check(&self) -> Result<(), Trouble> {
        let program = self.command.first().cloned().unwrap_or_default();
        match Command::new(&program).arg("--version").output() {
            Ok(_) => Ok(()),
            Err(_) => Err(Trouble::Missing { program, package: "openvswitch-common" }),
        }
    }

    fn prepare(&self, seats: &[Seat]) -> Result<(), Trouble> {
        for seat in seats {
            let mut tool = Command::new("ovsdb-tool");
            tool.current_dir(&seat.dir);
            if seat.index == 0 {
                fs::write(seat.dir.join("schema"), SCHEMA).map_err(Trouble::own("writing a schema"))?;
                tool.args(["create-cluster", "data", "schema", &peer(seat)]);
            } else {
                tool.args(["join-cluster", "data", DATABASE, &peer(seat), &peer(&seats[0])]);
            }
            let made = tool.output().map_err(Trouble::own("running ovsdb-tool"))?;
            if !made.status.success() {
                let said = String::from_utf8_lossy(&made.stderr).trim().to_owned();
                return Err(Trouble::NotDriven(format!("ovsdb-tool: {said}")));
            }
        }
        Ok(())
    }

    fn command(&self, seats: &[Seat], node: usize, _source: Option<usize>) -> Command {
        let seat = &seats[node];
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]);
        command.arg(format!("--remote=ptcp:{}:127.0.0.1", seat.ports[0]));
        command.args(["--unixctl=none", "--verbose=console:info"]).args(&self.options).arg("data");
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        Ok(Box::new(Writer { seat: seats[node].clone(), last: None }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
        let rows = select(seat, DATABASE, "Pair", &["k", "v"]).ok()?;
        Some(rows.iter().map(|row| (text(&row["k"]), text(&row["v"]))).collect())
    }
}

impl Quorum for Ovsdb {
    fn leader(&self, seats: &[&Seat]) -> Option<usize> {
        let status = |seat: &&Seat| {
            let rows = select(seat, "_Server", "Database", &["name", "leader", "connected", "index"]).ok()?;
            rows.into_iter().find(|row| row["name"] == DATABASE)
        };
        let found: Vec<Json> = seats.iter().map(status).collect::<Option<_>>()?;
        let leaders: Vec<usize> = found
            .iter()
            .zip(seats)
            .filter(|(row, _)| row["leader"] == true)
            .map(|(_, seat)| seat.index)
            .collect();
        let [leader] = leaders[..] else { return None };
        let is_settled =
            found.iter().all(|row| row["connected"] == true && row["index"] == found[0]["index"]);
        is_settled.then_some(leader)
    }
}
