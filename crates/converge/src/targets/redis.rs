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
pub(super) enum Reply {
    Text(String),
    List(Vec<Reply>),
    Nothing,
}

struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    fn open(port: u16) -> io::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
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

/// Asks the server on a port.
pub(super) fn ask(port: u16, words: &[&str]) -> io::Result<Reply> {
    Connection::open(port)?.ask(words)
}

/// The values of these fields of `INFO replication`. `None` if the server does not answer.
pub(super) fn info(port: u16, names: &[&str]) -> Option<Vec<String>> {
    let Ok(Reply::Text(text)) = ask(port, &["INFO", "replication"]) else { return None };
    let field = |name: &&str| {
        let value = text.lines().find_map(|line| line.strip_prefix(*name)?.strip_prefix(':'));
        value.map(|value| value.trim().to_owned())
    };
    names.iter().map(field).collect()
}

fn ask_or_fail(seat: &Seat, words: &[&str]) -> Result<(), Trouble> {
    let answer = ask(seat.ports[0], words);
    answer.map(|_| ()).map_err(|error| Trouble::NotDriven(format!("{}: {error}", words.join(" "))))
}

/// A client that writes.
pub(super) struct Writer {
    connection: Connection,
}

impl Writer {
    pub(super) fn connect(seat: &Seat) -> Result<Self, Trouble> {
        let connection = Connection::open(seat.ports[0]);
        let connection = connection.map_err(|error| Trouble::NotDriven(format!("connect: {error}")))?;
        Ok(Self { connection })
    }
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

/// All keys and values of a server.
pub(super) fn read(seat: &Seat) -> io::Result<Contents> {
    let mut connection = Connection::open(seat.ports[0])?;
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

/// Checks that the program is installed.
pub(super) fn check(words: &[String]) -> Result<(), Trouble> {
    let program = words.first().cloned().unwrap_or_default();
    let mut command = Command::new(&program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status() {
        Ok(_) => Ok(()),
        Err(_) => Err(Trouble::Missing { program, package: "redis-server" }),
    }
}

/// Sends a command, given as words with blanks between them.
pub(super) fn say(seat: &Seat, text: &str) -> Result<(), Trouble> {
    ask_or_fail(seat, &text.split_whitespace().collect::<Vec<_>>())
}

/// Whether a line of a server's log is about replication.
pub(super) fn is_interesting(line: &str) -> bool {
    ["resync", "SYNC", "MASTER", "master", "Discarding", "Caching", "backlog"]
        .iter()
        .any(|word| line.contains(word))
}

impl Store for Redis {
    fn ports(&self) -> usize {
        1
    }

    fn check(&self) -> Result<(), Trouble> {
        check(&self.command)
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
        Ok(Box::new(Writer::connect(&seats[node])?))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        read(seat).ok()
    }

    fn say(&self, seat: &Seat, text: &str) -> Result<(), Trouble> {
        say(seat, text)
    }

    /// What a replica writes to its log.
    fn resyncs(&self) -> &'static [(&'static str, &'static str)] {
        &[("full", "Full resync from master"), ("partial", "Successful partial resynchronization")]
    }

    fn is_interesting(&self, line: &str) -> bool {
        is_interesting(line)
    }
}

impl Chain for Redis {
    fn is_ready(&self, seat: &Seat) -> bool {
        matches!(ask(seat.ports[0], &["PING"]), Ok(Reply::Text(_)))
    }

    fn link(&self, target: &Seat, source: Option<&Seat>) -> Result<(), Trouble> {
        match source {
            Some(source) => ask_or_fail(target, &["SLAVEOF", "127.0.0.1", &source.ports[0].to_string()]),
            None => ask_or_fail(target, &["SLAVEOF", "NO", "ONE"]),
        }
    }

    fn is_in_sync(&self, target: &Seat, source: &Seat) -> bool {
        let names = ["master_port", "master_link_status", "slave_repl_offset"];
        let Some(target) = info(target.ports[0], &names) else { return false };
        let offset = info(source.ports[0], &["master_repl_offset"]);
        target[0] == source.ports[0].to_string()
            && target[1] == "up"
            && offset.is_some_and(|it| it[0] == target[2])
    }

    fn save(&self, seat: &Seat) -> Result<(), Trouble> {
        for _ in 0..SAVE_TRIES {
            if ask(seat.ports[0], &["SAVE"]).is_ok() {
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
