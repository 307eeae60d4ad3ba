//! Carries messages between nodes and clients' requests over TCP, as JSON lines.
//!
//! For the messages that it sends, each node has one connection to each other node. It is made when there is something
//! to send, and made again when the other side has gone. The receiver confirms each message. Writing alone proves
//! nothing, because it seems to work for a while after the other side has died. So a message that is sent after the
//! other node has restarted does arrive.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::client::{Request, Response};
use crate::consensus::message::Message;

/// A line on a connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Frame {
    /// A message of another node.
    Peer {
        /// The name of the sender.
        from: NodeId,
        /// The content of the message.
        message: Message,
    },
    /// A client's request.
    Client(Request),
}

/// The longest line that is read.
const LINE_BYTES_MAX: u64 = 64 << 20;
/// The byte by which a node confirms a message.
const RECEIVED: [u8; 1] = *b".";
/// How long a node may take to confirm before the message is sent again on a new connection.
const RECEIPT_PATIENCE: Duration = Duration::from_secs(5);
/// How long a node waits for a message of its own to arrive or to be lost.
const SETTLE_PATIENCE: Duration = Duration::from_secs(1);
/// The most messages that wait for a node that can't be reached. Raft repeats what matters, so the oldest may be
/// dropped.
const WAITING_MAX: usize = 256;

/// The connection on which a client waits for its answer.
#[derive(Clone)]
pub struct Reply {
    stream: Arc<Mutex<TcpStream>>,
}

impl Reply {
    /// Sends the answer. A client that has gone does not get it.
    pub fn send(&self, response: &Response) {
        if let Ok(mut line) = serde_json::to_vec(response) {
            line.push(b'\n');
            self.put(&line);
        }
    }

    fn put(&self, bytes: &[u8]) {
        let _ = self.stream.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes);
    }
}

/// Accepts connections on a thread of its own, and passes on what arrives.
pub fn listen<M, R>(listener: TcpListener, on_message: M, on_request: R)
where
    M: Fn(NodeId, Message) + Clone + Send + 'static,
    R: Fn(Request, Reply) + Clone + Send + 'static,
{
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (on_message, on_request) = (on_message.clone(), on_request.clone());
            // A connection that breaks or sends nonsense is closed. The other side makes a new one.
            thread::spawn(move || read_frames(stream, &on_message, &on_request));
        }
    });
}

fn read_frames(
    stream: TcpStream,
    on_message: &impl Fn(NodeId, Message),
    on_request: &impl Fn(Request, Reply),
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let reply = Reply { stream: Arc::new(Mutex::new(stream.try_clone()?)) };
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        match serde_json::from_slice(&line)? {
            Frame::Peer { from, message } => {
                // The message is confirmed before anybody can learn of it and kill this node. Otherwise it would be
                // sent again to the restarted node.
                reply.put(&RECEIVED);
                on_message(from, message);
            }
            Frame::Client(request) => on_request(request, reply.clone()),
        }
    }
}

/// Sends messages, with a thread for each other node.
pub struct Transport {
    id: NodeId,
    peers: BTreeMap<NodeId, Sender<Parcel>>,
    gives_up: bool,
}

/// A line for a node, and whom to tell when it has arrived or is lost.
struct Parcel {
    line: Vec<u8>,
    _settled: Option<Sender<()>>,
}

impl Transport {
    /// Makes a transport that sends in the name of `id` to the other nodes at their addresses. If it `gives_up`, a
    /// message to a node that is down is lost, as a testbed expects it.
    pub fn new(id: NodeId, addresses: &BTreeMap<NodeId, String>, gives_up: bool) -> Transport {
        let start = |address: &String| {
            let (sender, lines) = channel();
            let address = address.clone();
            let courier = Courier { address, stream: None, waiting: VecDeque::new(), gives_up };
            thread::spawn(move || courier.run(&lines));
            sender
        };
        let others = addresses.iter().filter(|(node, _)| **node != id);
        let peers = others.map(|(node, address)| (node.clone(), start(address))).collect();
        Transport { id, peers, gives_up }
    }

    /// Queues a message for sending. A transport that gives up waits until the message has arrived or is lost, because a
    /// testbed may start the other node in the next moment.
    pub fn send(&self, to: &str, message: Message) {
        let frame = Frame::Peer { from: self.id.clone(), message };
        if let (Some(peer), Ok(mut line)) = (self.peers.get(to), serde_json::to_vec(&frame)) {
            line.push(b'\n');
            let (settled, is_settled) = channel();
            let parcel = Parcel { line, _settled: self.gives_up.then_some(settled) };
            // The courier ends only with the process, so this can't fail.
            let _ = peer.send(parcel);
            // The answer is that the courier has dropped the other end. Without one, the wait ends at once.
            let _ = is_settled.recv_timeout(SETTLE_PATIENCE);
        }
    }
}

/// Brings lines to one node.
struct Courier {
    address: String,
    stream: Option<TcpStream>,
    waiting: VecDeque<Parcel>,
    gives_up: bool,
}

impl Courier {
    fn run(mut self, lines: &Receiver<Parcel>) {
        let mut pause = Duration::from_millis(1);
        while let Some(parcel) = self.waiting.pop_front().or_else(|| lines.recv().ok()) {
            let Err(error) = self.deliver(&parcel.line) else {
                pause = Duration::from_millis(1);
                continue;
            };
            self.stream = None;
            if self.gives_up && error.kind() == io::ErrorKind::ConnectionRefused {
                continue;
            }
            self.waiting.push_front(parcel);
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
            self.waiting.extend(lines.try_iter());
            let n_lost = self.waiting.len().saturating_sub(WAITING_MAX);
            self.waiting.drain(..n_lost);
        }
    }

    /// Sends one line, and waits until the other side confirms it.
    fn deliver(&mut self, line: &[u8]) -> io::Result<()> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => none.insert(connect(&self.address)?),
        };
        stream.write_all(line)?;
        stream.read_exact(&mut [0; RECEIVED.len()])
    }
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(RECEIPT_PATIENCE))?;
    Ok(stream)
}
