//! Drives ZooKeeper, with unmodified servers. The four-letter word `srvr` tells who leads, and a small client of our
//! own reads and writes data.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;

use super::jute::{self, Session, Ticket};
use crate::nodes::Seat;
use crate::store::{Client, Contents, Promise, Quorum, Store};
use crate::trouble::Trouble;

/// The jars of Debian's package `zookeeper`. The first one names all others that it needs.
pub const DEBIAN: [&str; 2] = ["/usr/share/java/zookeeper.jar", "/usr/share/java/slf4j-simple.jar"];
const PACKAGE: &str = "org.apache.zookeeper";
/// The main class of a server, without its package. Some programs carry ZooKeeper under a package of their own.
const MAIN: &str = ".server.quorum.QuorumPeerMain";
/// Options for servers that start often and live for seconds. What they log about elections and resync is kept.
/// `PACKAGE` stands for the package.
const JAVA_OPTIONS: [&str; 15] = [
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-Xmx128m",
    "-Dzookeeper.preAllocSize=16",
    "-Dzookeeper.snapshotSizeFactor=1",
    "-Dzookeeper.forceSync=no",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
    "-Dorg.slf4j.simpleLogger.showThreadName=false",
    "-Dorg.slf4j.simpleLogger.showShortLogName=true",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
    "-Dorg.slf4j.simpleLogger.log.PACKAGE.server.quorum=info",
    "-Dorg.slf4j.simpleLogger.log.PACKAGE.server.quorum.LearnerSessionTracker=error",
    "-Dorg.slf4j.simpleLogger.log.PACKAGE.server.persistence=info",
];
/// Ticks are short, so that elections are quick. A leader whose followers are stopped goes on leading for `syncLimit`,
/// which is long. A leader that waits in vain for its followers at the start gives up after `initLimit`, which is
/// short.
const CONFIG: &str = "tickTime=200\ninitLimit=15\nsyncLimit=100\nmaxSessionTimeout=600000\nadmin.enableServer=false\n\
                      4lw.commands.whitelist=*\nclientPortAddress=127.0.0.1\n";
/// The prefix of nodes with data that all replicas have from the beginning, if the user wants it. A leader sends its
/// log instead of a snapshot if the files of the log, `preAllocSize` KiB each, are smaller than the snapshot times
/// `snapshotSizeFactor`. With hardly any data, that hardly ever happens.
const BALLAST: &str = "kilter-ballast-";
/// The size of one such node. It must be less than `preAllocSize`, because otherwise 3.4.6 corrupts its log.
const BALLAST_NODE_KB: u16 = 8;
/// The file with the session's ticket. It lies beside the servers' files, so that it is put back together with them.
const SESSION_FILE: &str = "kilter-session";
const PATIENCE: Duration = Duration::from_secs(5);
/// Configurations for servers that log through log4j. The release decides which of the two versions is used.
const LOG_CONFIGS: [(&str, &str, &str); 2] = [
    (
        "log4j.properties",
        "-Dlog4j.configuration=file:",
        "log4j.rootLogger=ERROR, out\n\
         log4j.appender.out=org.apache.log4j.ConsoleAppender\n\
         log4j.appender.out.layout=org.apache.log4j.PatternLayout\n\
         log4j.appender.out.layout.ConversionPattern=%d{HH:mm:ss.SSS} %p %c{1} - %m%n\n\
         log4j.logger.PACKAGE.server.quorum=INFO\n\
         log4j.logger.PACKAGE.server.quorum.LearnerSessionTracker=ERROR\n\
         log4j.logger.PACKAGE.server.persistence=INFO\n",
    ),
    (
        "log4j2.properties",
        "-Dlog4j2.configurationFile=file:",
        "appender.out.type=Console\nappender.out.name=out\n\
         appender.out.layout.type=PatternLayout\nappender.out.layout.pattern=%d{HH:mm:ss.SSS} %p %c{1} - %m%n\n\
         rootLogger.level=error\nrootLogger.appenderRef.out.ref=out\n\
         logger.quorum.name=PACKAGE.server.quorum\nlogger.quorum.level=info\n\
         logger.sessions.name=PACKAGE.server.quorum.LearnerSessionTracker\nlogger.sessions.level=error\n\
         logger.files.name=PACKAGE.server.persistence\nlogger.files.level=info\n",
    ),
];

/// The option that says how many of the last servers are observers. It is no line for the configuration.
const OBSERVERS: &str = "observers=";

/// How ZooKeeper is started.
pub struct ZooKeeper {
    /// The Java class path.
    class_path: String,
    /// The package of the classes.
    package: String,
    /// Further lines for the configuration of the servers.
    options: Vec<String>,
    /// How many of the last servers do not vote, and get what the others have agreed on.
    n_observers: usize,
    /// How much data all replicas have from the beginning.
    ballast_kb: u16,
}

impl ZooKeeper {
    /// `command` has the jars, and the main class if it is in another package than usual.
    pub fn new(command: &[String], options: Vec<String>, ballast_kb: u16) -> Self {
        let package = |word: &String| word.strip_suffix(MAIN).map(str::to_owned);
        let jars: Vec<&str> =
            command.iter().filter(|word| package(word).is_none()).map(String::as_str).collect();
        let n_observers = |line: &String| line.strip_prefix(OBSERVERS)?.trim().parse().ok();
        let known = options.iter().find_map(n_observers);
        Self {
            class_path: jars.join(":"),
            n_observers: known.unwrap_or(0),
            package: command.iter().find_map(package).unwrap_or_else(|| PACKAGE.to_owned()),
            options: options.into_iter().filter(|line| n_observers(line).is_none()).collect(),
            ballast_kb,
        }
    }

    fn is_observer(&self, seats: &[Seat], index: usize) -> bool {
        index + self.n_observers >= seats.len()
    }
}

struct Writer {
    session: Session,
    /// The directories of all servers, where the session is kept.
    dirs: Vec<PathBuf>,
    is_refused: bool,
}

impl Client for Writer {
    fn send(&mut self, key: &str, value: &str) -> Result<(), Trouble> {
        let sent = self.session.send_create(&format!("/{key}"), value);
        sent.map_err(|error| Trouble::NotDriven(format!("create {key}: {error}")))
    }

    fn is_acknowledged(&mut self, patience: Duration) -> bool {
        let answer = self.session.wait(patience);
        // The servers answer with an error only if they do not make the write.
        self.is_refused = answer.as_ref().is_err_and(jute::is_error_of_server);
        answer.and_then(|()| keep(&self.session, &self.dirs)).is_ok()
    }

    fn is_refused(&self) -> bool {
        self.is_refused
    }
}

/// The mode of a server that serves: `leader` or `follower`.
fn mode(seat: &Seat) -> io::Result<String> {
    let mut stream = TcpStream::connect(seat.address(0))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"srvr")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let mode = text.lines().find_map(|line| line.strip_prefix("Mode: "));
    mode.map(str::to_owned).ok_or_else(|| io::Error::other("it does not serve"))
}

/// The session to which all writes of a schedule belong. A new session would be a transaction: replicas that must get
/// nothing would get that, and leaders would always have a transaction that is newer than their snapshot.
fn writing_session(seats: &[Seat], node: usize, ballast_kb: u16) -> io::Result<Session> {
    if let Some(ticket) = kept(&seats[node])? {
        // Whatever the client has seen: a leader that has lost it must take writes, so that the loss is found.
        return Session::resume(seats[node].ports[0], PATIENCE, &ticket.as_if_new());
    }
    let mut session = Session::open(seats[node].ports[0], PATIENCE)?;
    for number in 0..ballast_kb.div_ceil(BALLAST_NODE_KB) {
        session
            .send_create(&format!("/{BALLAST}{number}"), &"x".repeat(usize::from(BALLAST_NODE_KB) * 1000))?;
        session.wait(PATIENCE)?;
    }
    keep(&session, &dirs(seats))?;
    Ok(session)
}

fn dirs(seats: &[Seat]) -> Vec<PathBuf> {
    seats.iter().map(|seat| seat.dir.clone()).collect()
}

/// The session that lies beside a server's files.
fn kept(seat: &Seat) -> io::Result<Option<Ticket>> {
    let file = seat.dir.join(SESSION_FILE);
    if !file.exists() {
        return Ok(None);
    }
    Ticket::from_bytes(&fs::read(file)?).map(Some)
}

/// Keeps a session, with the last transaction that its client has seen.
fn keep(session: &Session, dirs: &[PathBuf]) -> io::Result<()> {
    dirs.iter().try_for_each(|dir| fs::write(dir.join(SESSION_FILE), session.ticket.to_bytes()))
}

/// Reads in the session that writes, at any server. A server that has not what the client has seen does not take it.
fn read_in_session(seats: &[Seat], node: usize) -> io::Result<Contents> {
    let ticket = kept(&seats[node])?.ok_or_else(|| io::Error::other("there is no session"))?;
    let mut session = Session::resume(seats[node].ports[0], PATIENCE, &ticket)?;
    let found = nodes_of(&mut session)?;
    keep(&session, &dirs(seats))?;
    Ok(found)
}

fn read(seat: &Seat) -> io::Result<Contents> {
    nodes_of(&mut Session::open(seat.ports[0], PATIENCE)?)
}

/// All nodes with their data.
fn nodes_of(session: &mut Session) -> io::Result<Contents> {
    let names = session.children()?;
    let ours = names.into_iter().filter(|name| name != "zookeeper" && !name.starts_with(BALLAST));
    ours.map(|name| session.data(&format!("/{name}")).map(|data| (name, data))).collect()
}

impl Store for ZooKeeper {
    fn ports(&self) -> usize {
        3
    }

    /// Each server has its own list of servers, and does not compare it with those of others.
    fn peer_ports(&self) -> &'static [usize] {
        &[1, 2]
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
            let ports = seat.ports_of(seats, 1).into_iter().zip(seat.ports_of(seats, 2));
            for (id, (peer, election)) in (1..).zip(ports) {
                let role = if self.is_observer(seats, id - 1) { ":observer" } else { "" };
                let _ = writeln!(text, "server.{id}=127.0.0.1:{peer}:{election}{role}");
            }
            if self.is_observer(seats, seat.index) {
                text.push_str("peerType=observer\n");
            }
            text.extend(self.options.iter().map(|line| format!("{line}\n")));
            let myid = (seat.index + 1).to_string();
            let logs = LOG_CONFIGS.map(|(name, _, text)| (name, text.replace("PACKAGE", &self.package)));
            for (name, text) in [("zoo.cfg", text), ("myid", myid)].into_iter().chain(logs) {
                let written = fs::write(seat.dir.join(name), text);
                written.map_err(Trouble::own("the configuration of a server"))?;
            }
        }
        Ok(())
    }

    fn command(&self, seats: &[Seat], node: usize, _source: Option<usize>) -> Command {
        let mut command = Command::new("java");
        let dir = &seats[node].dir;
        command.args(JAVA_OPTIONS.map(|option| option.replace("PACKAGE", &self.package)));
        command.args(LOG_CONFIGS.map(|(name, option, _)| format!("{option}{}", dir.join(name).display())));
        command.args(["-cp", &self.class_path, &format!("{}{MAIN}", self.package)]).arg(dir.join("zoo.cfg"));
        command
    }

    fn connect(&self, seats: &[Seat], node: usize) -> Result<Box<dyn Client>, Trouble> {
        let session = writing_session(seats, node, self.ballast_kb);
        let session = session.map_err(|error| Trouble::NotDriven(format!("opening a session: {error}")))?;
        Ok(Box::new(Writer { session, dirs: dirs(seats), is_refused: false }))
    }

    fn read(&self, seat: &Seat) -> Option<Contents> {
        read(seat).ok()
    }

    fn promise(&self) -> Promise {
        Promise::Sessions
    }

    fn read_as_client(&self, seats: &[Seat], node: usize) -> Option<Contents> {
        read_in_session(seats, node).ok()
    }

    fn say(&self, seat: &Seat, text: &str) -> Result<(), Trouble> {
        let asked = TcpStream::connect(seat.address(0)).and_then(|mut stream| {
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.write_all(text.as_bytes())?;
            stream.read_to_string(&mut String::new())
        });
        asked.map(drop).map_err(|error| Trouble::NotDriven(format!("{text}: {error}")))
    }

    /// On this signal, a Java virtual machine prints what each of its threads is doing.
    fn dump_signal(&self) -> Option<Signal> {
        Some(Signal::QUIT)
    }

    /// What a leader writes to its log.
    fn resyncs(&self) -> &'static [(&'static str, &'static str)] {
        &[("DIFF", "Sending DIFF"), ("SNAP", "Sending snapshot"), ("TRUNC", "Sending TRUNC")]
    }

    fn is_interesting(&self, line: &str) -> bool {
        const WORDS: [&str; 9] = [
            " Sending ",
            " Synchronizing with",
            " Getting a",
            "runcat",
            "Use txnlog",
            "Detected gap",
            "Cannot send TRUNC",
            "NEWLEADER ACK",
            "ERROR",
        ];
        WORDS.iter().any(|word| line.contains(word))
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
