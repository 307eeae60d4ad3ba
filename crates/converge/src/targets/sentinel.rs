//! Drives Redis with Sentinel. A node is a host with a Redis server and a Sentinel, which fail together. The Sentinels
//! watch all servers and choose who leads; Kilter only asks them.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use super::redis::{self, Reply, Writer, ask, info};
use crate::nodes::Seat;
use crate::store::{Client, Contents, Quorum, Store};
use crate::trouble::Trouble;

/// What the Sentinels call the group of servers.
const GROUP: &str = "kilter";
/// The server and the Sentinel of a host. The shell becomes the Sentinel, so that the host ends with it.
const HOST: &str = "\"$@\" redis.conf & exec \"$@\" sentinel.conf --sentinel";
/// Sentinel looks at servers every few seconds, and waits a multiple of that before it corrects one that comes back with
/// the wrong role. In milliseconds. Releases before 7.0 refuse, and take their time. The period of pings stays as it is:
/// a failover only considers servers that were heard of within five of them, and asks once a second.
const HASTE: [&str; 14] = [
    "SENTINEL",
    "DEBUG",
    "INFO-PERIOD",
    "200",
    "ASK-PERIOD",
    "200",
    "PUBLISH-PERIOD",
    "200",
    "TILT-PERIOD",
    "500",
    "MIN-LINK-RECONNECT-PERIOD",
    "500",
    "ELECTION-TIMEOUT",
    "1000",
];
/// After this time without an answer, a Sentinel takes a server for dead.
const DOWN_AFTER_MS: u32 = 1000;
/// A failover that has not come to its end is tried again after twice this time.
const FAILOVER_MS: u32 = 2000;

/// How Redis is started.
pub struct Sentinel {
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// Further arguments of the servers, as on their command line.
    pub options: Vec<String>,
}

impl Sentinel {
    /// The configuration of a server. The first one leads at the beginning.
    fn server(&self, seats: &[Seat], node: usize) -> String {
        let mut text = format!(
            "port {}\nbind 127.0.0.1\nsave \"\"\nappendonly yes\nrdbcompression no\nrepl-ping-slave-period 1\n",
            seats[node].ports[0]
        );
        // Words of a command line become lines: each name with the values after it.
        for word in &self.options {
            match word.strip_prefix("--") {
                Some(name) => text.extend(["\n", name]),
                None => text.extend([" ", word]),
            }
        }
        if node > 0 {
            let _ = write!(text, "\nslaveof 127.0.0.1 {}", seats[0].ports[0]);
        }
        text + "\n"
    }
}

/// The configuration of a Sentinel.
fn sentinel(seats: &[Seat], node: usize) -> String {
    format!(
        "port {}\nbind 127.0.0.1\nsentinel monitor {GROUP} 127.0.0.1 {} {}\n\
         sentinel down-after-milliseconds {GROUP} {DOWN_AFTER_MS}\nsentinel failover-timeout {GROUP} {FAILOVER_MS}\n",
        seats[node].ports[1],
        seats[0].ports[0],
        seats.len() / 2 + 1,
    )
}

/// A field of an answer that lists names and values by turns.
fn field<'r>(list: &'r [Reply], name: &str) -> Option<&'r str> {
    let found = list.chunks_exact(2).find(|pair| pair[0] == Reply::Text(name.to_owned()))?;
    match &found[1] {
        Reply::Text(text) => Some(text),
        _ => None,
    }
}

/// The port of the server that leads according to a Sentinel, if it is well and so many others are known.
fn leading_port(seat: &Seat, n_others: usize) -> Option<u16> {
    let port = seat.ports[1];
    let _ = ask(port, &HASTE);
    let Ok(Reply::List(answer)) = ask(port, &["SENTINEL", "MASTER", GROUP]) else { return None };
    let knows = |name: &str| field(&answer, name).and_then(|text| text.parse().ok()) >= Some(n_others);
    let is_well = field(&answer, "flags") == Some("master");
    let is_known = is_well && knows("num-slaves") && knows("num-other-sentinels");
    is_known.then(|| field(&answer, "port")?.parse().ok()).flatten()
}

/// Whether a server copies the one on this port, and has everything that it has.
fn follows(seat: &Seat, port: u16) -> bool {
    let names = ["role", "master_port", "master_link_status", "slave_repl_offset"];
    let Some(fields) = info(seat.ports[0], &names) else { return false };
    let offset = info(port, &["master_repl_offset"]);
    fields[0] == "slave"
        && fields[1] == port.to_string()
        && fields[2] == "up"
        && offset.is_some_and(|offset| offset[0] == fields[3])
}

impl Store for Sentinel {
    fn ports(&self) -> usize {
        2
    }

    fn check(&self) -> Result<(), Trouble> {
        redis::check(&self.command)
    }

    fn prepare(&self, seats: &[Seat]) -> Result<(), Trouble> {
        for seat in seats {
            let files = [
                ("redis.conf", self.server(seats, seat.index)),
                ("sentinel.conf", sentinel(seats, seat.index)),
            ];
            for (name, text) in files {
                fs::write(seat.dir.join(name), text).map_err(Trouble::own("the configuration of a node"))?;
            }
        }
        Ok(())
    }

    fn command(&self, _seats: &[Seat], _node: usize, _source: Option<usize>) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", HOST, "host"]).args(&self.command);
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        Ok(Box::new(Writer::connect(&seats[node])?))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        redis::read(seat).ok()
    }

    fn say(&self, seat: &Seat, text: &str) -> Result<(), Trouble> {
        redis::say(seat, text)
    }

    fn resyncs(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("full", "Full resync from master"),
            ("partial", "Successful partial resynchronization"),
            ("failover", "+switch-master"),
        ]
    }

    fn is_interesting(&self, line: &str) -> bool {
        ["switch-master", "failover", "+convert-to-slave", "+fix-slave-config", "tilt"]
            .iter()
            .any(|word| line.contains(word))
            || redis::is_interesting(line)
    }
}

impl Quorum for Sentinel {
    fn leader(&self, seats: &[&Seat]) -> Option<usize> {
        let n_others = seats.len() - 1;
        let named: Vec<u16> = seats.iter().map(|seat| leading_port(seat, n_others)).collect::<Option<_>>()?;
        let port = *named.first()?;
        let leader = seats.iter().find(|seat| seat.ports[0] == port)?;
        let is_agreed = named.iter().all(|other| *other == port)
            && info(port, &["role"])? == ["master"]
            && seats.iter().all(|seat| seat.index == leader.index || follows(seat, port));
        is_agreed.then_some(leader.index)
    }

    /// Replication is asynchronous: a failover gives up what the new leader has not got yet.
    fn keeps_acknowledged(&self) -> bool {
        false
    }
}
