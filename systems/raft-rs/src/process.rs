//! A node as a process of its own, that nobody controls: timers, connections, a file to start again from. With `KILTER_TRACE` in its
//! environment it writes a trace for `kilter follow`.
//!
//! A step is stored in one write before any of its messages is sent, so a node that is killed has done all of a step or nothing, but
//! for messages that are lost.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use kilter_base::rng::Rng;
use kilter_probe::{Action, Event, Gate, Inbox, Json, Report, Variables, Wish};
use kilter_testbed::{Machine as _, NodeName, Outbox};
use protobuf::Message as _;
use raft::eraftpb::{HardState, Message, MessageType};
use raft::storage::MemStorage;

use crate::node::{Addressed, Names, Node, Timer, empty_storage};
use crate::show;

/// The options of a process.
#[derive(Clone, Debug)]
pub struct Options {
    /// The node's name.
    pub name: NodeName,
    /// The addresses of all nodes, this one included.
    pub addresses: BTreeMap<NodeName, String>,
    /// The file in which it stores what survives a crash.
    pub journal: PathBuf,
    /// The shortest time after which it stands for election. The longest is twice as long.
    pub election: Duration,
    /// The time between two heartbeats of a leader.
    pub heartbeat: Duration,
    /// The time between two requests that a leader makes itself, in place of clients.
    pub request: Duration,
    /// The seed of its random numbers.
    pub seed: u64,
}

/// Something that makes the node act.
#[derive(Clone)]
enum Happening {
    Message(Box<Addressed>),
    Timer(Timer),
    Request(u64),
}

impl Event for Happening {
    fn action(&self) -> Action {
        match self {
            Happening::Message(it) => Action::new(it.handler()).message(&show::addressed(it)),
            Happening::Timer(timer) => Action::new(timer.name()),
            Happening::Request(value) => Action::new("ClientRequest").arg(value),
        }
    }
}

/// Runs a node until it can't go on.
pub fn run(options: &Options) -> Result<(), String> {
    let names: Names = options.addresses.keys().cloned().collect();
    let address = options.addresses.get(&options.name).ok_or("the node itself is missing among the nodes")?;
    let listener =
        TcpListener::bind(address).map_err(|error| format!("can't listen at {address}: {error}"))?;
    let (storage, journal) =
        open(&options.journal, &names).map_err(|error| format!("{}: {error}", options.journal.display()))?;
    let mut gate = Gate::from_environment();
    listen(listener, gate.inbox(), names.clone());
    let outbox = gate.outbox();
    let mut process = Process {
        node: Node::on(storage, &options.name, &names),
        names,
        journal,
        connections: BTreeMap::new(),
        timing: Timing::new(options),
    };
    loop {
        let wishes = process.wishes();
        let Some(happening) = gate.next(&process, wishes) else { return Ok(()) };
        for addressed in process.handle(happening)? {
            outbox.sent(&addressed.to, &show::addressed(&addressed));
            process.send(&addressed, &options.addresses);
        }
    }
}

struct Process {
    node: Node,
    names: Names,
    journal: File,
    connections: BTreeMap<NodeName, TcpStream>,
    timing: Timing,
}

/// When it acts by itself.
struct Timing {
    options: Options,
    rng: Rng,
    election_due: Instant,
    heartbeat_due: Instant,
    request_due: Instant,
}

impl Timing {
    fn new(options: &Options) -> Timing {
        let now = Instant::now();
        let rng = Rng::from_seed(options.seed);
        let mut timing =
            Timing { options: options.clone(), rng, election_due: now, heartbeat_due: now, request_due: now };
        timing.be_patient();
        timing
    }

    /// Sets the election timer.
    fn be_patient(&mut self) {
        let shortest = self.options.election;
        let more = Duration::from_millis(self.rng.below(shortest.as_millis() as usize + 1) as u64);
        self.election_due = Instant::now() + shortest + more;
    }

    /// Sets the timers that an event starts again.
    fn taken(&mut self, happening: &Happening) {
        use MessageType::{MsgAppend, MsgHeartbeat, MsgRequestVote};
        match happening {
            Happening::Message(it) => match it.message.get_msg_type() {
                MsgAppend | MsgHeartbeat | MsgRequestVote => self.be_patient(),
                _ => {}
            },
            Happening::Timer(Timer::Election) => self.be_patient(),
            Happening::Timer(Timer::Heartbeat) => {
                self.heartbeat_due = Instant::now() + self.options.heartbeat;
            }
            Happening::Request(_) => self.request_due = Instant::now() + self.options.request,
        }
    }
}

impl Variables for Process {
    fn variables(&self, into: &mut Report) {
        Variables::variables(&self.node, into);
    }
}

impl Process {
    fn wishes(&mut self) -> Vec<Wish<Happening>> {
        if !self.node.is_leader() {
            return vec![Wish::at(self.timing.election_due, Happening::Timer(Timer::Election))];
        }
        let value = 1 + self.timing.rng.below(1_000_000) as u64;
        vec![
            Wish::at(self.timing.heartbeat_due, Happening::Timer(Timer::Heartbeat)),
            Wish::at(self.timing.request_due, Happening::Request(value)),
        ]
    }

    /// Takes a step and stores what it has changed. Returns what is to be sent.
    fn handle(&mut self, happening: Happening) -> Result<Vec<Addressed>, String> {
        self.timing.taken(&happening);
        let before = self.node.hard_state();
        let mut outbox = Outbox::new(self.names.clone());
        match happening {
            Happening::Message(addressed) => self.node.handle(*addressed, &mut outbox)?,
            Happening::Timer(timer) => self.node.act(timer, &mut outbox)?,
            Happening::Request(value) => {
                self.node.request("ClientRequest", &[Json::from(value)], &mut outbox)?;
            }
        }
        self.store(&before).map_err(|error| format!("can't be stored: {error}"))?;
        Ok(outbox.into_sent().into_iter().map(|(_, addressed)| addressed).collect())
    }

    fn store(&mut self, before: &HardState) -> io::Result<()> {
        let after = self.node.hard_state();
        let mut written = self.node.take_written();
        written.retain(|entries| !entries.is_empty());
        if written.is_empty() && after != *before {
            written.push(Vec::new());
        }
        let mut bytes = Vec::new();
        for entries in written {
            let mut record =
                Message { term: after.term, from: after.vote, commit: after.commit, ..Message::default() };
            record.set_entries(entries.into());
            bytes.extend(frame(&record)?);
        }
        self.journal.write_all(&bytes)
    }

    /// Sends a message. It is lost if the other node is down.
    fn send(&mut self, addressed: &Addressed, addresses: &BTreeMap<NodeName, String>) {
        let (Some(address), Ok(bytes)) = (addresses.get(&addressed.to), frame(&addressed.message)) else {
            return;
        };
        let old = self.connections.remove(&addressed.to);
        if let Some(mut stream) = old.filter(is_open).or_else(|| TcpStream::connect(address).ok())
            && stream.set_nodelay(true).and_then(|()| stream.write_all(&bytes)).is_ok()
        {
            self.connections.insert(addressed.to.clone(), stream);
        }
    }
}

/// Whether the other side has not closed a connection. It never writes anything.
fn is_open(stream: &TcpStream) -> bool {
    let looked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    stream.set_nonblocking(false).is_ok()
        && looked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

/// Takes in what other nodes send, on a thread for each connection.
fn listen(listener: TcpListener, inbox: Inbox<Happening>, names: Names) {
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (inbox, names) = (inbox.clone(), names.clone());
            thread::spawn(move || {
                let mut reader = BufReader::new(stream);
                while let Ok(message) = read_frame(&mut reader) {
                    let (from, to) = (show::name(message.from, &names), show::name(message.to, &names));
                    inbox.message(Happening::Message(Box::new(Addressed { from, to, message })));
                }
            });
        }
    });
}

/// A message with its length before it. In the journal, a message stands for what is stored: its `from` is the vote.
fn frame(message: &Message) -> io::Result<Vec<u8>> {
    let content = message.write_to_bytes()?;
    let mut bytes = (content.len() as u32).to_le_bytes().to_vec();
    bytes.extend(content);
    Ok(bytes)
}

fn read_frame(reader: &mut impl Read) -> io::Result<Message> {
    let mut length = [0; 4];
    reader.read_exact(&mut length)?;
    let mut content = vec![0; u32::from_le_bytes(length) as usize];
    reader.read_exact(&mut content)?;
    Ok(Message::parse_from_bytes(&content)?)
}

/// Reads a journal. What was written to its end only in part is removed.
fn open(path: &Path, names: &Names) -> io::Result<(MemStorage, File)> {
    let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let storage = empty_storage(names);
    let mut rest = bytes.as_slice();
    let mut n_left = rest.len();
    while let Ok(record) = read_frame(&mut rest) {
        n_left = rest.len();
        let mut stored = storage.wl();
        stored.append(&record.entries).map_err(io::Error::other)?;
        let mut state = stored.hard_state().clone();
        (state.term, state.vote, state.commit) = (record.term, record.from, record.commit);
        stored.set_hardstate(state);
    }
    let end = (bytes.len() - n_left) as u64;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    Ok((storage, file))
}
