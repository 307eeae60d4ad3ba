//! ZooKeeper: unmodified servers, who leads by the four-letter word `srvr`, data by a small client of our own.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::jute::{Session, Ticket};
use crate::nodes::Seat;
use crate::store::{Client, Contents, Quorum, Store};
use crate::trouble::Trouble;

/// What Debian's package `zookeeper` brings; the jar names all others that it needs.
pub const DEBIAN: [&str; 2] = ["/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-simple.jar"];
const MAIN: &str = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
/// Servers that start often and live for seconds; what they say about resync is kept.
const JAVA_OPTIONS: [&str; 10] = [
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-Xmx128m",
    "-Dzookeeper.preAllocSize=16",
    "-Dzookeeper.forceSync=no",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
    "-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.quorum.Learner=info",
    "-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.quorum.LearnerHandler=info",
    "-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper.server.persistence=info",
];
/// Ticks are short, so that elections are. A leader whose followers are stopped goes on leading for `syncLimit`, which is long; one that
/// waits in vain for its followers at the start gives up after `initLimit`, which is short.
const CONFIG: &str = "tickTime=200\ninitLimit=15\nsyncLimit=100\nmaxSessionTimeout=600000\nadmin.enableServer=false\n\
                      4lw.commands.whitelist=*\nclientPortAddress=127.0.0.1\n";
/// Lies beside the servers' files, so that it is there again when they are put back.
const SESSION_FILE: &str = "kilter-session";
const PATIENCE: Duration = Duration::from_secs(5);

/// How ZooKeeper is started.
pub struct ZooKeeper {
    /// The class path.
    pub class_path: String,
    /// Lines for the configuration of the servers.
    pub options: Vec<String>,
}

struct Writer {
    session: Session,
}

impl Client for Writer {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        let sent = self.session.send_create(&format!("/{key}"), value);
        sent.map_err(|error| Trouble::NotDriven(format!("create {key}: {error}")))
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        self.session.wait(patience).is_ok()
    }
}

/// `leader` or `follower`, once a server serves.
fn mode(seat: &Seat) -> io::Result<String> {
    let mut stream = TcpStream::connect(seat.address(0))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"srvr")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let mode = text.lines().find_map(|line| line.strip_prefix("Mode: "));
    mode.map(str::to_owned).ok_or_else(|| io::Error::other("it does not serve"))
}

/// All writes of a schedule belong to one session. A new one would be a transaction of its own, so that replicas that are to get
/// nothing would get that, and leaders would always have a transaction that is newer than their snapshot.
fn writing_session(seats: &[Seat], node: usize) -> io::Result<Session> {
    let kept = seats[node].dir.join(SESSION_FILE);
    if kept.exists() {
        let ticket = Ticket::from_bytes(&fs::read(kept)?)?;
        return Session::resume(seats[node].ports[0], PATIENCE, &ticket);
    }
    let session = Session::open(seats[node].ports[0], PATIENCE)?;
    for seat in seats {
        fs::write(seat.dir.join(SESSION_FILE), session.ticket.to_bytes())?;
    }
    Ok(session)
}

fn read(seat: &Seat) -> io::Result<Contents> {
    let mut session = Session::open(seat.ports[0], PATIENCE)?;
    let names = session.children()?;
    let ours = names.into_iter().filter(|name| name != "zookeeper");
    ours.map(|name| session.data(&format!("/{name}")).map(|data| (name, data))).collect()
}

impl Store for ZooKeeper {
    fn ports(&self) -> usize {
        3
    }

    fn check(&self) -> Result<(), Trouble> {
        if Command::new("java").arg("-version").output().is_err() {
            return Err(Trouble::Missing { program: "java".to_owned(), package: "default-jre-headless" });
        }
        let jars = self.class_path.split(':').filter(|jar| !jar.ends_with('*'));
        match jars.into_iter().find(|jar| !Path::new(jar).exists()) {
            Some(jar) => Err(Trouble::Missing { program: jar.to_owned(), package: "zookeeper" }),
            None => Ok(()),
        }
    }

    fn prepare(&self, seats: &[Seat]) -> Result<(), Trouble> {
        for seat in seats {
            let mut text = format!("{CONFIG}dataDir={}\nclientPort={}\n", seat.dir.display(), seat.ports[0]);
            for other in seats {
                let [_, peer, election] = other.ports[..] else { continue };
                let _ = writeln!(text, "server.{}=127.0.0.1:{peer}:{election}", other.index + 1);
            }
            text.extend(self.options.iter().map(|line| format!("{line}\n")));
            let written = fs::write(seat.dir.join("zoo.cfg"), text);
            let written =
                written.and_then(|()| fs::write(seat.dir.join("myid"), (seat.index + 1).to_string()));
            written.map_err(Trouble::own("the configuration of a server"))?;
        }
        Ok(())
    }

    fn command(&self, seats: &[Seat], node: usize, _source: Option<usize>) -> Command {
        let mut command = Command::new("java");
        command.args(JAVA_OPTIONS).args(["-cp", &self.class_path, MAIN]).arg(seats[node].dir.join("zoo.cfg"));
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        let session = writing_session(seats, node);
        let session = session.map_err(|error| Trouble::NotDriven(format!("opening a session: {error}")))?;
        Ok(Box::new(Writer { session }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        read(seat).ok()
    }

    fn is_interesting(&self, line: &str) -> bool {
        ["Sending ", "Synchronizing ", "Getting a", "runcat", "NEWLEADER", "ERROR"]
            .iter()
            .any(|word| line.contains(word))
    }
}

impl Quorum for ZooKeeper {
    fn leader(&self, seats: &[&Seat]) -> Option<usize> {
        let modes: Option<Vec<String>> = seats.iter().map(|seat| mode(seat).ok()).collect();
        let modes = modes?;
        let mut leaders = seats.iter().zip(&modes).filter(|(_, mode)| *mode == "leader");
        let leader = leaders.next().map(|(seat, _)| seat.index);
        leader.filter(|_| leaders.next().is_none())
    }
}
