//! Drives rqlite, `SQLite` on HashiCorp's Raft, through its HTTP interface.

use std::process::Command;

use serde_json::{Value as Json, json};

use super::http::{Writer, answer, get, post};
use crate::nodes::Seat;
use crate::store::{Client, Contents, Promise, Quorum, Store};
use crate::trouble::Trouble;

/// A leader whose followers are stopped keeps its lease for long enough to log a few writes; an election takes less than a second.
const OPTIONS: [&str; 6] =
    ["-raft-timeout", "500ms", "-raft-election-timeout", "500ms", "-raft-leader-lease-timeout", "500ms"];
const CREATE: &str = "CREATE TABLE IF NOT EXISTS kilter (k TEXT PRIMARY KEY, v TEXT)";
const INSERT: &str = "INSERT OR REPLACE INTO kilter VALUES (?, ?)";
const SELECT: &str = "SELECT k, v FROM kilter";

/// How rqlite is started.
pub struct Rqlite {
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// Further arguments.
    pub options: Vec<String>,
}

/// The statements of a write, in one transaction.
fn statements(pairs: &[(String, String)]) -> Json {
    let insert = |(key, value): &(String, String)| json!([INSERT, key, value]);
    std::iter::once(json!([CREATE])).chain(pairs.iter().map(insert)).collect()
}

/// Whether no statement failed. An error of `SQLite` is part of a good answer.
fn is_done(answer: &Json) -> bool {
    answer["results"].as_array().is_some_and(|results| results.iter().all(|one| one["error"].is_null()))
}

impl Store for Rqlite {
    fn ports(&self) -> usize {
        2
    }

    fn peer_ports(&self) -> &'static [usize] {
        &[1]
    }

    fn check(&self) -> Result<(), Trouble> {
        let program = self.command.first().cloned().unwrap_or_default();
        match Command::new(&program).arg("-version").output() {
            Ok(_) => Ok(()),
            Err(_) => Err(Trouble::Missing { program, package: "rqlite" }),
        }
    }

    fn prepare(&self, _seats: &[Seat]) -> Result<(), Trouble> {
        Ok(())
    }

    fn command(&self, seats: &[Seat], node: usize, _source: Option<usize>) -> Command {
        let address = |seat: &Seat, port: usize| format!("127.0.0.1:{}", seat.ports[port]);
        let reached = |seat: &Seat| format!("127.0.0.1:{}", seat.reached_at(1));
        let peers: Vec<String> = seats.iter().map(reached).collect();
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).args(["-node-id", &format!("n{node}")]);
        command.args(["-http-addr", &address(&seats[node], 0), "-raft-addr", &address(&seats[node], 1)]);
        command.args(["-raft-adv-addr", &reached(&seats[node])]);
        command.args(["-bootstrap-expect", &seats.len().to_string(), "-join", &peers.join(",")]);
        command.args(OPTIONS).args(&self.options).arg("data");
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        let seat = seats[node].clone();
        let is_refusal = |error: &str| error.trim() == "leader not found";
        let path = "/db/execute?transaction";
        Ok(Box::new(Writer {
            seat,
            path,
            body: statements,
            is_done,
            is_refusal,
            last: None,
            is_refused: false,
        }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        // Without `none`, a leader would be asked.
        query(seat, "none")
    }

    fn promise(&self) -> Promise {
        Promise::Linearizable
    }

    fn read_as_client(&self, seats: &[Seat], node: usize) -> Option<Contents> {
        query(&seats[node], "strong")
    }
}

fn query(seat: &Seat, level: &str) -> Option<Contents> {
    let found = answer(post(seat, &format!("/db/query?level={level}"), &json!([SELECT])).ok()?).ok()?;
    // An error of SQLite is part of a good answer.
    if !is_done(&found) {
        return None;
    }
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let rows = found["results"][0]["values"].as_array().cloned().unwrap_or_default();
    Some(rows.iter().map(|row| (text(&row[0]), text(&row[1]))).collect())
}

impl Quorum for Rqlite {
    fn leader(&self, seats: &[&Seat]) -> Option<usize> {
        let found: Vec<Json> = seats.iter().map(|seat| get(seat, "/status").ok()).collect::<Option<_>>()?;
        let found: Vec<&Json> = found.iter().map(|status| &status["store"]).collect();
        let leader = &found[0]["leader"]["node_id"];
        let alike = |look: fn(&Json) -> &Json| found.iter().all(|store| look(store) == look(found[0]));
        let index = found.iter().position(|store| {
            leader.is_string() && store["node_id"] == *leader && store["raft"]["state"] == "Leader"
        })?;
        let is_settled = alike(|store| &store["leader"]["node_id"])
            && alike(|store| &store["raft"]["term"])
            && alike(|store| &store["raft"]["applied_index"]);
        is_settled.then_some(seats[index].index)
    }
}
