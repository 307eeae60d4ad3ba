//! Drives Redis. Links are set by `REPLICAOF`, progress is read from `INFO`, and data is saved by `SAVE`.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::nodes::Seat;
use crate::store::{Chain, Client, Contents, Store};
use crate::trouble::Trouble;

/// Writes go to a database other than the first. Which database is selected is state that has to survive a resync.
const DATABASE: &str = "1";
/// The number of databases that are read.
const DATABASES: u8 = 2;
/// A snapshot of an empty store is quick. It only takes longer if the server is making a snapshot by itself.
const SAVE_TRIES: u32 = 200;
const SAVE_PAUSE: Duration = Duration::from_millis(10);
/// A server on the loopback that takes longer than this is stopped or dead.
const PATIENCE: Duration = Duration::from_secs(2);

/// How Redis is started.
pub struct Redis {
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// Further arguments.
    pub options: Vec<String>,
}

/// An answer of Redis.
#[derive(Debug, PartialEq)]
enum Reply {
    Text(String),
    List(Vec<Reply>),
    Nothing,
}

struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    fn open(seat: &Seat) -> io::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, seat.ports[0]));
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    fn say(&mut self, words: &[&str]) -> io::Result<()> {
        let mut text = format!("*{}\r\n", words.len());
        for word in words {
            let _ = write!(text, "${}\r\n{word}\r\n", word.len());
        }
        self.stream.get_mut().write_all(text.as_bytes())
    }

    fn ask(&mut self, words: &[&str]) -> io::Result<Reply> {
        self.say(words)?;
        self.hear()
    }

    fn hear(&mut self) -> io::Result<Reply> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let line = line.trim_end();
        let (kind, rest) = line.split_at_checked(1).ok_or(io::ErrorKind::UnexpectedEof)?;
        let length = || rest.parse::<i64>().map_err(io::Error::other);
        match kind {
            "+" | ":" => Ok(Reply::Text(rest.to_owned())),
            "$" => match usize::try_from(length()?) {
                Ok(length) => {
                    let mut bytes = vec![0; length + 2];
                    self.stream.read_exact(&mut bytes)?;
                    bytes.truncate(length);
                    Ok(Reply::Text(String::from_utf8_lossy(&bytes).into_owned()))
                }
                Err(_) => Ok(Reply::Nothing),
            },
            "*" => (0..length()?.max(0)).map(|_| self.hear()).collect::<io::Result<_>>().map(Reply::List),
            _ => Err(io::Error::other(rest.to_owned())),
        }
    }
}

fn ask(seat: &Seat, words: &[&str]) -> io::Result<Reply> {
    Connection::open(seat)?.ask(words)
}

/// The values of these fields of `INFO replication`. `None` if the server does not answer.
fn info(seat: &Seat, names: &[&str]) -> Option<Vec<String>> {
    let Ok(Reply::Text(text)) = ask(seat, &["INFO", "replication"]) else { return None };
    let field = |name: &&str| {
        let value = text.lines().find_map(|line| line.strip_prefix(*name)?.strip_prefix(':'));
        value.map(|value| value.trim().to_owned())
    };
    names.iter().map(field).collect()
}

fn ask_or_fail(seat: &Seat, words: &[&str]) -> Result<(), Trouble> {
    let answer = ask(seat, words);
    answer.map(|_| ()).map_err(|error| Trouble::NotDriven(format!("{}: {error}", words.join(" "))))
}

struct Writer {
    connection: Connection,
}

impl Client for Writer {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        let sent = self.connection.ask(&["SELECT", DATABASE]);
        let sent = sent.and_then(|_| self.connection.say(&["SET", key, value]));
        sent.map_err(|error| Trouble::NotDriven(format!("SET {key}: {error}")))
    }

    fn send_together(&mut self, pairs: &[(String, String)]) -> Result<(), Trouble> {
        let mut sent = self.connection.ask(&["SELECT", DATABASE]);
        sent = sent.and_then(|_| self.connection.ask(&["MULTI"]));
        for (key, value) in pairs {
            sent = sent.and_then(|_| self.connection.ask(&["SET", key, value]));
        }
        let sent = sent.and_then(|_| self.connection.say(&["EXEC"]));
        sent.map_err(|error| Trouble::NotDriven(format!("MULTI: {error}")))
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        let _ = self.connection.stream.get_ref().set_read_timeout(Some(patience));
        match self.connection.hear() {
            Ok(Reply::Text(text)) => text == "OK",
            // The answers of a transaction.
            Ok(Reply::List(answers)) => answers.iter().all(|answer| *answer == Reply::Text("OK".to_owned())),
            _ => false,
        }
    }
}

fn read(seat: &Seat) -> io::Result<Contents> {
    let mut connection = Connection::open(seat)?;
    let mut contents = Contents::new();
    for database in 0..DATABASES {
        connection.ask(&["SELECT", &database.to_string()])?;
        let Reply::List(keys) = connection.ask(&["KEYS", "*"])? else { continue };
        for key in keys {
            let Reply::Text(key) = key else { continue };
            if let Reply::Text(value) = connection.ask(&["GET", &key])? {
                contents.insert(format!("{database}/{key}"), value);
            }
        }
    }
    Ok(contents)
}

impl Store for Redis {
    fn ports(&self) -> usize {
        1
    }

    fn check(&self) -> Result<(), Trouble> {
        let program = self.command.first().cloned().unwrap_or_default();
        let mut command = Command::new(&program);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.status() {
            Ok(_) => Ok(()),
            Err(_) => Err(Trouble::Missing { program, package: "redis-server" }),
        }
    }

    fn prepare(&self, _seats: &[Seat]) -> Result<(), Trouble> {
        Ok(())
    }

    fn command(&self, seats: &[Seat], node: usize, source: Option<usize>) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]);
        command.args(["--port", &seats[node].ports[0].to_string(), "--bind", "127.0.0.1", "--save", ""]);
        command.args(["--appendonly", "no", "--repl-ping-slave-period", "1"]);
        command.args(&self.options);
        if let Some(source) = source {
            command.args(["--slaveof", "127.0.0.1", &seats[source].ports[0].to_string()]);
        }
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        let connection = Connection::open(&seats[node])
            .map_err(|error| Trouble::NotDriven(format!("connect: {error}")))?;
        Ok(Box::new(Writer { connection }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        read(seat).ok()
    }

    fn say(&self, seat: &Seat, text: &str) -> Result<(), Trouble> {
        ask_or_fail(seat, &text.split(' ').collect::<Vec<_>>())
    }

    /// What a replica writes to its log.
    fn resyncs(&self) -> &'static [(&'static str, &'static str)] {
        &[("full", "Full resync from master"), ("partial", "Successful partial resynchronization")]
    }

    fn is_interesting(&self, line: &str) -> bool {
        ["resync", "SYNC", "MASTER", "master", "Discarding", "Caching"].iter().any(|word| line.contains(word))
    }
}

impl Chain for Redis {
    fn is_ready(&self, seat: &Seat) -> bool {
        matches!(ask(seat, &["PING"]), Ok(Reply::Text(_)))
    }

    fn link(&self, target: &Seat, source: Option<&Seat>) -> Result<(), Trouble> {
        match source {
            Some(source) => ask_or_fail(target, &["SLAVEOF", "127.0.0.1", &source.ports[0].to_string()]),
            None => ask_or_fail(target, &["SLAVEOF", "NO", "ONE"]),
        }
    }

    fn is_in_sync(&self, target: &Seat, source: &Seat) -> bool {
        let Some(target) = info(target, &["master_port", "master_link_status", "slave_repl_offset"]) else {
            return false;
        };
        let offset = info(source, &["master_repl_offset"]);
        target[0] == source.ports[0].to_string()
            && target[1] == "up"
            && offset.is_some_and(|it| it[0] == target[2])
    }

    fn save(&self, seat: &Seat) -> Result<(), Trouble> {
        for _ in 0..SAVE_TRIES {
            if ask(seat, &["SAVE"]).is_ok() {
                return Ok(());
            }
            thread::sleep(SAVE_PAUSE);
        }
        ask_or_fail(seat, &["SAVE"])
    }

    fn snapshot(&self) -> &'static str {
        "dump.rdb"
    }
}
