//! Drives stores that speak lines of text, such as `systems/toystore`. This is the smallest protocol that a user's own
//! store can have.
//!
//! A node is started with its number and the ports of all nodes. It answers one line for each connection: `status` with
//! `leading N`, `following N` or `looking`; `put KEY VALUE` with `ok` when a majority has the write; `all` with a line
//! for each pair, and then `.`, with what this node has. `put` may be answered with `no` if the write is not made, and never will be.
//!
//! If a model has the word `read`, a node also answers `read`: as `all`, but with what clients are promised, or with `no`
//! if it can't say.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use crate::nodes::Seat;
use crate::store::{Client, Contents, Quorum, Store};
use crate::trouble::Trouble;

const PATIENCE: Duration = Duration::from_secs(1);

/// How the store is started.
pub struct Line {
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// Further arguments, at the end.
    pub options: Vec<String>,
}

fn say(seat: &Seat, line: &str) -> io::Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(seat.address(0))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    writeln!(stream, "{line}")?;
    Ok(BufReader::new(stream))
}

fn hear(reader: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    match reader.read_line(&mut line)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(line.trim_end().to_owned()),
    }
}

struct Writer {
    seat: Seat,
    last: Option<BufReader<TcpStream>>,
    is_refused: bool,
}

impl Client for Writer {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        let sent = say(&self.seat, &format!("put {key} {value}"));
        self.last = Some(sent.map_err(|error| Trouble::NotDriven(format!("put {key}: {error}")))?);
        Ok(())
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        let Some(mut reader) = self.last.take() else { return false };
        let _ = reader.get_ref().set_read_timeout(Some(patience));
        let answer = hear(&mut reader).unwrap_or_default();
        self.is_refused = answer == "no";
        answer == "ok"
    }

    fn is_refused(&self) -> bool {
        self.is_refused
    }
}

/// The pairs that a node answers to a request.
fn pairs(seat: &Seat, request: &str) -> io::Result<Contents> {
    let mut reader = say(seat, request)?;
    let mut contents = Contents::new();
    loop {
        let line = hear(&mut reader)?;
        match line.split_once(' ') {
            Some((key, value)) => contents.insert(key.to_owned(), value.to_owned()),
            None if line == "." => return Ok(contents),
            None => return Err(io::Error::other(line)),
        };
    }
}

impl Store for Line {
    fn ports(&self) -> usize {
        1
    }

    fn peer_ports(&self) -> &'static [usize] {
        &[0]
    }

    fn check(&self) -> Result<(), Trouble> {
        let program = self.command.first().cloned().unwrap_or_default();
        match Command::new(&program).output() {
            Ok(_) => Ok(()),
            Err(error) => Err(Trouble::own(&format!("{program} can't be started"))(error)),
        }
    }

    fn prepare(&self, _seats: &[Seat]) -> Result<(), Trouble> {
        Ok(())
    }

    fn command(&self, seats: &[Seat], node: usize, _source: Option<usize>) -> Command {
        let ports: Vec<String> = seats[node].ports_of(seats, 0).iter().map(ToString::to_string).collect();
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).args([node.to_string(), ports.join(",")]).args(&self.options);
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        Ok(Box::new(Writer { seat: seats[node].clone(), last: None, is_refused: false }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        pairs(seat, "all").ok()
    }

    fn read_as_client(&self, seats: &[Seat], node: usize) -> Option<Contents> {
        pairs(&seats[node], "read").ok()
    }

    fn say(&self, seat: &Seat, text: &str) -> Result<(), Trouble> {
        let answer = say(seat, text).and_then(|mut reader| hear(&mut reader));
        answer.map(drop).map_err(|error| Trouble::NotDriven(format!("{text}: {error}")))
    }
}

impl Quorum for Line {
    fn leader(&self, seats: &[&Seat]) -> Option<usize> {
        let status = |seat: &&Seat| hear(&mut say(seat, "status").ok()?).ok();
        let found: Vec<String> = seats.iter().map(status).collect::<Option<_>>()?;
        let leader = found.iter().find_map(|line| line.strip_prefix("leading "))?;
        let follows =
            |line: &String| line.strip_prefix("following ").or(line.strip_prefix("leading ")) == Some(leader);
        found.iter().all(follows).then(|| leader.parse().ok()).flatten()
    }
}
