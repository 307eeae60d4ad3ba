//! Messages between nodes and clients' requests over TCP: JSON lines, in frames.
//!
//! Each node has one connection to each other one for what it sends, made when there is something to send, and made again when the
//! other side has gone. The receiver of a message says so; writing alone proves nothing, since it seems to work for a while after the
//! other side has died. So a message that is sent after the other node restarted does arrive.

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

/// What travels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Frame {
    /// A message of another node.
    Peer {
        /// Who sent it.
        from: NodeId,
        /// What it says.
        message: Message,
    },
    /// A client's request.
    Client(Request),
}

/// The longest line that is read.
const LINE_BYTES_MAX: u64 = 64 << 20;
/// What a node says when it has a message.
const RECEIVED: [u8; 1] = *b".";
/// How long a node may take to say so before it is tried again on another connection.
const RECEIPT_PATIENCE: Duration = Duration::from_secs(5);
/// How many messages wait for a node that can't be reached. Raft repeats what matters, so the oldest may go.
const WAITING_MAX: usize = 256;

/// Where a client waits for its answer.
#[derive(Clone)]
pub struct Reply {
    stream: Arc<Mutex<TcpStream>>,
}

impl Reply {
    /// Answers. A client that has gone does not hear it.
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

/// Takes in connections on a thread of its own, and hands on what arrives.
pub fn listen<M, R>(listener: TcpListener, on_message: M, on_request: R)
where
    M: Fn(NodeId, Message) + Clone + Send + 'static,
    R: Fn(Request, Reply) + Clone + Send + 'static,
{
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (on_message, on_request) = (on_message.clone(), on_request.clone());
            // A connection that breaks, or sends nonsense, is closed; the other side makes a new one.
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
                // Before anybody learns that the message is here, and kills this node: it shall not come again to the next one.
                reply.put(&RECEIVED);
                on_message(from, message);
            }
            Frame::Client(request) => on_request(request, reply.clone()),
        }
    }
}

/// What sends messages: a thread for each other node.
pub struct Transport {
    id: NodeId,
    peers: BTreeMap<NodeId, Sender<Vec<u8>>>,
}

impl Transport {
    /// Sends in the name of a node to others at their addresses.
    pub fn new(id: NodeId, addresses: &BTreeMap<NodeId, String>) -> Transport {
        let start = |address: &String| {
            let (sender, lines) = channel();
            let address = address.clone();
            thread::spawn(move || Courier { address, stream: None, waiting: VecDeque::new() }.run(&lines));
            sender
        };
        let others = addresses.iter().filter(|(node, _)| **node != id);
        let peers = others.map(|(node, address)| (node.clone(), start(address))).collect();
        Transport { id, peers }
    }

    /// Sends a message, soon.
    pub fn send(&self, to: &str, message: Message) {
        let frame = Frame::Peer { from: self.id.clone(), message };
        if let (Some(peer), Ok(mut line)) = (self.peers.get(to), serde_json::to_vec(&frame)) {
            line.push(b'\n');
            // The courier ends only with the process.
            let _ = peer.send(line);
        }
    }
}

/// Brings lines to one node.
struct Courier {
    address: String,
    stream: Option<TcpStream>,
    waiting: VecDeque<Vec<u8>>,
}

impl Courier {
    fn run(mut self, lines: &Receiver<Vec<u8>>) {
        let mut pause = Duration::from_millis(1);
        while let Some(line) = self.waiting.pop_front().or_else(|| lines.recv().ok()) {
            if self.deliver(&line).is_ok() {
                pause = Duration::from_millis(1);
                continue;
            }
            self.stream = None;
            self.waiting.push_front(line);
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
            self.waiting.extend(lines.try_iter());
            let n_lost = self.waiting.len().saturating_sub(WAITING_MAX);
            self.waiting.drain(..n_lost);
        }
    }

    /// Brings one line, and waits until the other side has it.
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
