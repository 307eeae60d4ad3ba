//! Drives NATS `JetStream`: a stream with as many replicas as there are nodes.
//!
//! A server answers for the stream's leader, not for itself. So what a replica holds is read from its own files.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::nodes::Seat;
use crate::store::{Client, Contents, Quorum, Store};
use crate::trouble::Trouble;

const PATIENCE: Duration = Duration::from_secs(2);
const STREAM: &str = "KILTER";
/// The beginning of the subjects of all writes.
const SUBJECT: &str = "kilter.";
/// Where answers are sent to.
const INBOX: &str = "_INBOX.kilter";
/// The length of a record in a file of messages besides its subject, headers and message.
const RECORD_BYTES: usize = 30;
/// The bit in the length of a record that says that it has headers.
const HAS_HEADERS: u32 = 1 << 31;
/// The bit in the number of a record that says that the message was removed.
const IS_REMOVED: u64 = 1 << 63;

/// How NATS is started.
pub struct Nats {
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// Further arguments.
    pub options: Vec<String>,
}

/// A connection to a server.
struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    fn open(seat: &Seat) -> io::Result<Connection> {
        let stream = TcpStream::connect(seat.address(0))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut connection = Connection { stream: BufReader::new(stream) };
        write!(connection.stream.get_mut(), "CONNECT {{\"verbose\":false}}\r\nSUB {INBOX} 1\r\nPING\r\n")?;
        while connection.line()? != "PONG" {}
        Ok(connection)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }

    fn publish(&mut self, subject: &str, message: &str) -> io::Result<()> {
        write!(self.stream.get_mut(), "PUB {subject} {INBOX} {}\r\n{message}\r\n", message.len())
    }

    /// The next answer. That nobody listens is an error.
    fn answer(&mut self) -> io::Result<Json> {
        loop {
            let line = self.line()?;
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                ["PING"] => self.stream.get_mut().write_all(b"PONG\r\n")?,
                ["MSG", .., length] => {
                    let mut bytes = vec![0; length.parse::<usize>().map_err(io::Error::other)? + 2];
                    self.stream.read_exact(&mut bytes)?;
                    return Ok(serde_json::from_slice(&bytes)?);
                }
                ["HMSG" | "-ERR", ..] => return Err(io::Error::other(line)),
                _ => {}
            }
        }
    }

    fn ask(&mut self, subject: &str, message: &str) -> io::Result<Json> {
        self.publish(subject, message)?;
        self.answer()
    }
}

impl Client for Connection {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        let sent = self.publish(&format!("{SUBJECT}{key}"), value);
        sent.map_err(|error| Trouble::NotDriven(format!("publish {key}: {error}")))
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        let _ = self.stream.get_ref().set_read_timeout(Some(patience));
        self.answer().is_ok_and(|answer| answer["error"].is_null() && answer["seq"].is_u64())
    }
}

/// The messages in a file of a stream: number, subject and text. What is half written is left out.
fn messages(mut bytes: &[u8]) -> Vec<(u64, String, String)> {
    let mut found = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<22>() {
        let number = |from: usize, n: usize| {
            head[from..from + n].iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        let (length, sequence, subject) = (number(0, 4) as u32, number(4, 8), number(20, 2) as usize);
        let body = ((length & !HAS_HEADERS) as usize).saturating_sub(RECORD_BYTES);
        let Some((body, rest)) = rest.split_at_checked(body).filter(|_| subject <= body) else { break };
        let (subject, message) = body.split_at(subject);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if sequence & IS_REMOVED == 0 && length & HAS_HEADERS == 0 {
            found.push((sequence, text(subject), text(message)));
        }
        let Some((_sum, rest)) = rest.split_at_checked(8) else { break };
        bytes = rest;
    }
    found
}

impl Store for Nats {
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
            Err(_) => Err(Trouble::Missing { program, package: "nats-server" }),
        }
    }

    fn prepare(&self, seats: &[Seat]) -> Result<(), Trouble> {
        let routes: Vec<String> =
            seats.iter().map(|seat| format!("\"nats://127.0.0.1:{}\"", seat.reached_at(1))).collect();
        for seat in seats {
            let text = format!(
                "server_name: n{}\nlisten: \"127.0.0.1:{}\"\njetstream {{ store_dir: \"data\" }}\ncluster {{ name: kilter, listen: \"127.0.0.1:{}\", advertise: \"127.0.0.1:{}\", routes: [{}] }}\n",
                seat.index,
                seat.ports[0],
                seat.ports[1],
                seat.reached_at(1),
                routes.join(", ")
            );
            fs::write(seat.dir.join("nats.conf"), text).map_err(Trouble::own("writing nats.conf"))?;
        }
        Ok(())
    }

    fn command(&self, _seats: &[Seat], _node: usize, _source: Option<usize>) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).args(["-c", "nats.conf"]).args(&self.options);
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        let connection = Connection::open(&seats[node]);
        Ok(Box::new(connection.map_err(|error| Trouble::NotDriven(format!("connecting: {error}")))?))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        let folder = seat.dir.join("data/jetstream/$G/streams").join(STREAM).join("msgs");
        let mut contents = Contents::new();
        for entry in fs::read_dir(folder).ok()? {
            let path = entry.ok()?.path();
            if path.extension().is_none_or(|ending| ending != "blk") {
                continue;
            }
            for (sequence, subject, text) in messages(&fs::read(path).ok()?) {
                let key = subject.trim_start_matches(SUBJECT).to_owned();
                // Replicas must also agree on the order.
                contents.insert(format!("message {sequence}"), key.clone());
                contents.insert(key, text);
            }
        }
        Some(contents)
    }

    fn is_interesting(&self, line: &str) -> bool {
        line.contains("[WRN]") || line.contains("[ERR]")
    }
}

impl Quorum for Nats {
    fn leader(&self, seats: &[&Seat]) -> Option<usize> {
        let mut leaders = Vec::new();
        for seat in seats {
            let mut connection = Connection::open(seat).ok()?;
            let mut info = connection.ask(&format!("$JS.API.STREAM.INFO.{STREAM}"), "").ok()?;
            if info["error"]["code"] == 404 {
                let stream = json!({ "name": STREAM, "subjects": [format!("{SUBJECT}>")], "num_replicas": seats.len() });
                info =
                    connection.ask(&format!("$JS.API.STREAM.CREATE.{STREAM}"), &stream.to_string()).ok()?;
            }
            let cluster = &info["cluster"];
            let leader = cluster["leader"].as_str()?.strip_prefix('n')?.parse::<usize>().ok()?;
            let others: Vec<String> = seats
                .iter()
                .filter(|other| other.index != leader)
                .map(|other| format!("n{}", other.index))
                .collect();
            let replicas = cluster["replicas"].as_array()?;
            let is_current = |name: &String| {
                replicas.iter().any(|replica| {
                    replica["name"] == **name && replica["current"] == true && replica["lag"].is_null()
                })
            };
            others.iter().all(is_current).then_some(())?;
            leaders.push(leader);
        }
        let leader = *leaders.first()?;
        let is_one =
            leaders.iter().all(|other| *other == leader) && seats.iter().any(|seat| seat.index == leader);
        is_one.then_some(leader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(sequence: u64, subject: &str, text: &str) -> Vec<u8> {
        let length = (RECORD_BYTES + subject.len() + text.len()) as u32;
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(sequence.to_le_bytes());
        bytes.extend(0u64.to_le_bytes());
        bytes.extend((subject.len() as u16).to_le_bytes());
        bytes.extend(subject.bytes());
        bytes.extend(text.bytes());
        bytes.extend([0; 8]);
        bytes
    }

    #[test]
    fn files_of_messages_are_read_as_far_as_they_are_written() {
        let mut file = record(1, "kilter.k0", "a");
        file.extend(record(2 | IS_REMOVED, "kilter.k1", "b"));
        file.extend(record(3, "kilter.k2", "c"));
        let all =
            vec![(1, "kilter.k0".to_owned(), "a".to_owned()), (3, "kilter.k2".to_owned(), "c".to_owned())];
        assert_eq!(messages(&file), all);
        for end in 0..file.len() {
            assert!(all.starts_with(&messages(&file[..end])), "{end} bytes");
        }
    }
}
