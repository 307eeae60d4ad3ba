//! The sample node, as the kit starts it and talks with it.

use std::fs::{self, Permissions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use kilter_protocol::{Done, Environment, Offer, Request, ToNode, VERSION, decode, encode};
use kilter_testbed::Control;
use kilter_testbed::cluster::{Guard, Ports, Process, become_reaper};
use kilter_testbed::remains::read_tail;
use rustix::event::{PollFd, PollFlags};
use rustix::process::Signal;
use serde_json::Value as Json;
use tempfile::TempDir;
use thiserror::Error;

use crate::ledger::{Ledger, NODE, PEER};
use crate::link::{Heard, Link, wait, wait_for_any};

/// A node that never says `still` is taken to wait if it says nothing for so long.
const QUIET: Duration = Duration::from_millis(300);
/// The variable with the file for what a node does when nobody is in control.
const TRACE: &str = "KILTER_TRACE";
/// How much of a line a conversation shows.
const SHOWN_CHARS: usize = 200;

/// Why a check has not passed.
#[derive(Debug, Error)]
pub enum Fault {
    /// The probe does something wrong.
    #[error("{0}")]
    Wrong(String),
    /// The node does not promise what is checked.
    #[error("{0}")]
    LeftOut(&'static str),
    /// The node can't be started, or the machine does not give what the kit needs.
    #[error("{0}")]
    Trouble(#[from] io::Error),
}

/// That the node is at fault.
pub fn wrong<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong(what.into()))
}

/// Where a testbed waits for nodes.
enum Listener {
    Unix(UnixListener),
    Tcp(TcpListener),
}

/// A node that was started.
struct Node {
    process: Process,
    listener: Option<Listener>,
    link: Option<Link>,
    ledger: Ledger,
    /// Where it takes in messages of its peer.
    address: SocketAddrV4,
    /// Where its peer takes in messages.
    peer: Option<TcpListener>,
    output: PathBuf,
}

/// The sample node: at most one process at a time.
pub struct Sample<'a> {
    command: &'a [String],
    control: Control,
    patience: Duration,
    /// The file for the traces of the nodes that are started from now on.
    trace: Option<PathBuf>,
    node: Option<Node>,
    n_started: u32,
    conversation: Vec<String>,
    ports: Ports,
    dir: TempDir,
    guard: Guard,
}

impl<'a> Sample<'a> {
    /// A node that is started by this command. Nothing waits for it longer than `patience`.
    pub fn new(command: &'a [String], control: Control, patience: Duration) -> io::Result<Sample<'a>> {
        become_reaper()?;
        let private = Permissions::from_mode(0o700);
        let dir = tempfile::Builder::new().prefix("kilter-").permissions(private).tempdir()?;
        let guard = Guard::start(dir.path())?;
        let ports = Ports::reserve()?;
        Ok(Sample {
            command,
            control,
            patience,
            trace: None,
            node: None,
            n_started: 0,
            conversation: Vec::new(),
            ports,
            dir,
            guard,
        })
    }

    /// Starts the node under control, and waits until it has nothing more to say.
    pub fn start(&mut self) -> Result<(), Fault> {
        self.start_over(self.control)
    }

    /// The same, by a socket of this kind.
    pub fn start_over(&mut self, control: Control) -> Result<(), Fault> {
        self.end();
        self.n_started += 1;
        let listener = match control {
            Control::Unix => {
                let path = self.dir.path().join(format!("control{}", self.n_started));
                Listener::Unix(UnixListener::bind(path)?)
            }
            Control::Tcp => Listener::Tcp(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?),
        };
        let address = match &listener {
            Listener::Unix(listener) => {
                let path = listener.local_addr()?;
                format!("unix:{}", path.as_pathname().unwrap_or(self.dir.path()).display())
            }
            Listener::Tcp(listener) => format!("tcp:{}", listener.local_addr()?),
        };
        self.launch(Some(&address))?;
        self.node_mut()?.listener = Some(listener);
        self.accept()?;
        self.tell(&ToNode::Welcome { version: VERSION })?;
        while !self.ledger()?.is_reported() {
            self.hear_soon("`hello` and `report`")?;
        }
        self.settle()
    }

    /// Starts the node with this address of a testbed, or with none.
    pub fn launch(&mut self, address: Option<&str>) -> Result<(), Fault> {
        self.end();
        self.n_started += 1;
        let ports = self.ports.take(2)?;
        let [own, other] = [0, 1].map(|index| SocketAddrV4::new(Ipv4Addr::LOCALHOST, ports[index]));
        let peer = TcpListener::bind(other)?;
        let token = format!("token-{}", self.n_started);
        let home = self.dir.path().join(self.n_started.to_string());
        fs::create_dir(&home)?;
        let (program, args) =
            self.command.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
        let mut command = Command::new(program);
        command.args(args).args(["--node", NODE, "--listen", &own.to_string()]);
        command.args(["--peers", &format!("{NODE}={own},{PEER}={other}")]);
        command.env(Environment::TOKEN, &token).env(Environment::DATA, &home).env(Environment::NODE, NODE);
        match address {
            Some(address) => command.env(Environment::ADDRESS, address),
            None => command.env_remove(Environment::ADDRESS),
        };
        match &self.trace {
            Some(file) => command.env(TRACE, file),
            None => command.env_remove(TRACE),
        };
        let output = home.join("output");
        let process = Process::start(&mut command, &output).map_err(|error| {
            io::Error::other(format!("the command {program:?} can't be started: {error}"))
        })?;
        self.guard.watch([process.pid()].into_iter());
        let ledger = Ledger::new(token);
        let (listener, link, peer) = (None, None, Some(peer));
        self.node = Some(Node { process, listener, link, ledger, address: own, peer, output });
        Ok(())
    }

    /// Nodes that are started from now on write their traces to this file.
    pub fn trace_to(&mut self, file: Option<&Path>) {
        self.trace = file.map(Path::to_owned);
    }

    /// A file of this name that is gone with the kit.
    pub fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// How long the kit waits for something.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Ends the node, if there is one, and forgets the conversation.
    pub fn end(&mut self) {
        self.conversation.clear();
        if let Some(node) = self.node.take() {
            node.process.signal(Signal::KILL);
            node.process.reap();
            self.guard.watch([].into_iter());
        }
    }

    /// The last lines of the conversation: `>` is what the node said, `<` what it was told.
    pub fn conversation(&self) -> &[String] {
        &self.conversation
    }

    /// What the node has printed, at the end.
    pub fn printed(&self) -> String {
        let printed = self.node.as_ref().and_then(|node| read_tail(&node.output, 0).ok()).unwrap_or_default();
        String::from_utf8_lossy(&printed).into_owned()
    }

    /// What is known of the node.
    pub fn ledger(&self) -> Result<&Ledger, Fault> {
        Ok(&self.node.as_ref().ok_or_else(none)?.ledger)
    }

    fn node_mut(&mut self) -> Result<&mut Node, Fault> {
        Ok(self.node.as_mut().ok_or_else(none)?)
    }

    fn link(&mut self) -> Result<&mut Link, Fault> {
        Ok(self.node_mut()?.link.as_mut().ok_or_else(none)?)
    }

    /// Waits for the node's connection.
    fn accept(&mut self) -> Result<(), Fault> {
        let until = Instant::now() + self.patience;
        let node = self.node_mut()?;
        let listener = node.listener.as_ref().ok_or_else(none)?;
        let fd = match listener {
            Listener::Unix(listener) => listener.as_fd(),
            Listener::Tcp(listener) => listener.as_fd(),
        };
        let ends = node.process.end();
        let fds = &mut [fd, ends].map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        wait_for_any(fds, until);
        if !wait(fd, PollFlags::IN, Instant::now()) {
            return match node.process.how_ended() {
                Some(how) => wrong(format!("it has ended before it connected: {how}")),
                None => wrong("it does not connect to KILTER_ADDRESS"),
            };
        }
        let socket: OwnedFd = match listener {
            Listener::Unix(listener) => {
                let (socket, _) = listener.accept()?;
                socket.set_nonblocking(true)?;
                socket.into()
            }
            Listener::Tcp(listener) => {
                let (socket, _) = listener.accept()?;
                socket.set_nonblocking(true)?;
                socket.set_nodelay(true)?;
                socket.into()
            }
        };
        node.link = Some(Link::new(socket));
        Ok(())
    }

    /// Takes in one line. False if there is none within the time.
    pub fn hear(&mut self, patience: Duration) -> Result<bool, Fault> {
        let line = match self.link()?.hear(patience) {
            Heard::Nothing => return Ok(false),
            Heard::Line(line) => line,
            Heard::TooLong => return wrong("a line has no end within 16 MiB"),
            Heard::End(half) if !half.is_empty() => {
                self.note('>', &half);
                return wrong("the connection ends in the middle of a line");
            }
            Heard::End(_) => {
                let how = self.how_ends(self.patience)?.unwrap_or_else(|| "but runs on".to_owned());
                return wrong(format!("the node has closed the connection ({how})"));
            }
        };
        self.note('>', &line);
        let message = decode(&line).map_err(|error| Fault::Wrong(error.to_string()))?;
        self.node_mut()?.ledger.hear(message).map_err(Fault::Wrong)?;
        Ok(true)
    }

    /// Takes in one line, for which the node has the time that it is given for everything.
    fn hear_soon(&mut self, awaited: &str) -> Result<(), Fault> {
        if self.hear(self.patience)? {
            return Ok(());
        }
        wrong(format!("{} s have passed, and there is no {awaited}", self.patience.as_secs()))
    }

    /// Shows a line that the node has written to a file as a part of the conversation.
    pub fn show(&mut self, line: &str) {
        self.note('>', line.as_bytes());
    }

    fn note(&mut self, way: char, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let mut shown: String = text.chars().take(SHOWN_CHARS).collect();
        if text.chars().nth(SHOWN_CHARS).is_some() {
            shown += " …";
        }
        self.conversation.push(format!("{way} {shown}"));
    }

    /// Waits until the node has done what it was told, and waits itself.
    pub fn settle(&mut self) -> Result<(), Fault> {
        loop {
            let ledger = self.ledger()?;
            let says_still = ledger.hello().is_some_and(|hello| hello.says_still);
            if says_still && ledger.is_still() && ledger.received() == ledger.n_sent() {
                return Ok(());
            }
            if !says_still && ledger.is_done() {
                if !self.hear(QUIET)? {
                    return Ok(());
                }
            } else {
                let awaited = match (ledger.is_done(), ledger.is_still()) {
                    (false, _) => "`done`".to_owned(),
                    (true, false) => "`still`".to_owned(),
                    (true, true) => format!(
                        "`still` with all {} messages; `received` is {}",
                        ledger.n_sent(),
                        ledger.received()
                    ),
                };
                self.hear_soon(&awaited)?;
            }
        }
    }

    /// Checks that the node says nothing that changes anything.
    pub fn stays_still(&mut self) -> Result<(), Fault> {
        while self.hear(QUIET)? {
            let said = self.conversation.last().is_some_and(|line| !line.contains("\"still\""));
            if said {
                return wrong("it goes on after `still`, and nothing has happened since");
            }
        }
        Ok(())
    }

    /// Tells the node something.
    pub fn tell(&mut self, message: &ToNode) -> Result<(), Fault> {
        let line = encode(message);
        let ledger = &mut self.node_mut()?.ledger;
        match message {
            ToNode::Go { id } | ToNode::Drop { id } | ToNode::Twice { id } => ledger.tell(*id, true),
            ToNode::Request(request) => ledger.tell(request.id, false),
            ToNode::Deliver { .. } => ledger.disturb(),
            ToNode::Welcome { .. } | ToNode::Stop {} => {}
        }
        self.note('<', &line[..line.len() - 1]);
        self.write(&line)
    }

    /// Tells the node something of which the ledger shall know nothing.
    pub fn tell_raw(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.note('<', bytes.trim_ascii_end());
        self.write(bytes)
    }

    /// Writes without a note of it.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let patience = self.patience;
        if self.link()?.write(bytes, patience) {
            return Ok(());
        }
        wrong("it does not read what it is told")
    }

    /// Asks the node for something, and waits for what it does.
    pub fn request(&mut self, id: u64, action: &str, args: &[Json]) -> Result<Done, Fault> {
        let request = Request { id, action: action.to_owned(), args: args.to_vec() };
        self.tell(&ToNode::Request(request))?;
        self.done(id)
    }

    /// Tells the node a request in these bytes.
    pub fn tell_as_request(&mut self, id: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.begin_request(id)?;
        self.tell_raw(bytes)
    }

    /// A request with this number is about to be told, by parts of a line.
    pub fn begin_request(&mut self, id: u64) -> Result<(), Fault> {
        self.node_mut()?.ledger.tell(id, false);
        Ok(())
    }

    /// Messages are about to be delivered.
    pub fn disturb(&mut self) -> Result<(), Fault> {
        self.node_mut()?.ledger.disturb();
        Ok(())
    }

    /// Waits until the node has done all that it was told, and gives the last of it.
    pub fn done(&mut self, id: u64) -> Result<Done, Fault> {
        while !self.ledger()?.is_done() {
            self.hear_soon("`done`")?;
        }
        let done = self.ledger()?.dones().last().filter(|done| done.id == id);
        match done {
            Some(done) => Ok(done.clone()),
            None => wrong(format!("there is no `done` of {id}")),
        }
    }

    /// The one offer of an action that stands.
    pub fn offer(&self, action: &str) -> Result<Offer, Fault> {
        let mut offers = self.ledger()?.offers().filter(|offer| offer.action == action);
        match (offers.next(), offers.next()) {
            (Some(offer), None) => Ok(offer.clone()),
            (None, _) => wrong(format!("it should offer {action}, and does not")),
            (Some(_), Some(_)) => wrong(format!("it should offer {action} once, and does so more than once")),
        }
    }

    /// Sends the node a message of its peer.
    pub fn send(&mut self, message: &Json) -> Result<(), Fault> {
        let address = self.node.as_ref().ok_or_else(none)?.address;
        let connected = TcpStream::connect_timeout(&address.into(), self.patience);
        let sent = connected.and_then(|mut socket| socket.write_all(format!("{message}\n").as_bytes()));
        if let Err(error) = sent {
            return wrong(format!("it takes no message of a peer at {address} (`--listen`): {error}"));
        }
        self.node_mut()?.ledger.send();
        Ok(())
    }

    /// The next message that the node has really sent to its peer.
    pub fn arrived(&mut self) -> Result<Json, Fault> {
        let until = Instant::now() + self.patience;
        let patience = self.patience;
        let peer = self.node_mut()?.peer.as_ref().ok_or_else(none)?;
        if !wait(peer.as_fd(), PollFlags::IN, until) {
            return wrong(format!("no message has come to {PEER} over the network"));
        }
        let (socket, _) = peer.accept()?;
        socket.set_read_timeout(Some(patience))?;
        let mut line = String::new();
        let read = BufReader::new(socket).read_line(&mut line);
        match read.map(|_| serde_json::from_str(&line)) {
            Ok(Ok(message)) => Ok(message),
            _ => wrong(format!("what has come to {PEER} over the network is no line of JSON: {line:?}")),
        }
    }

    /// The peer is gone: nobody listens any more.
    pub fn end_peer(&mut self) -> Result<(), Fault> {
        self.node_mut()?.peer = None;
        Ok(())
    }

    /// The testbed is gone.
    pub fn hang_up(&mut self) -> Result<(), Fault> {
        let node = self.node_mut()?;
        (node.link, node.listener) = (None, None);
        self.conversation.push("< (the connection ends)".to_owned());
        Ok(())
    }

    /// How the node ends by itself. `None` if it does not, within the time.
    pub fn how_ends(&mut self, patience: Duration) -> Result<Option<String>, Fault> {
        let node = self.node_mut()?;
        wait(node.process.end(), PollFlags::IN, Instant::now() + patience);
        Ok(node.process.how_ended())
    }

    /// Checks that the node ends by itself, and that it takes no action before. Returns how it has ended.
    pub fn ends(&mut self, when: &str) -> Result<String, Fault> {
        if let Some(how) = self.how_ends(self.patience)? {
            return Ok(how);
        }
        wrong(format!("it runs on {when}"))
    }
}

impl Drop for Sample<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

fn none() -> io::Error {
    io::Error::other("no node was started")
}
