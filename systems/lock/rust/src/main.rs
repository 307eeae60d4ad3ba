//! A node of the lock service: `lock n1 n1=127.0.0.1:4001,n2=127.0.0.1:4002`. The node `n1` is the server, all others are clients.
//!
//! With `LOCK_BUG=1` the server grants the lock although somebody holds it.

use std::collections::{BTreeMap, VecDeque};
use std::env;
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use kilter_probe::{Action, Event, Gate, Inbox, Json, Outbox, Report, Variables, Wish, json};

const SERVER: &str = "n1";

/// What happens to a node.
#[derive(Clone)]
enum Happening {
    Ask,
    Release,
    /// A message, and the vector clock that came along.
    Message(Json, Json),
}

impl Event for Happening {
    fn action(&self) -> Action {
        match self {
            Happening::Ask => Action::new("Ask"),
            Happening::Release => Action::new("Release"),
            Happening::Message(message, _) => {
                let name = match message["type"].as_str() {
                    Some("ask") => "HandleAsk",
                    Some("grant") => "HandleGrant",
                    _ => "HandleRelease",
                };
                Action::new(name).message(message)
            }
        }
    }
}

/// What a node is.
enum Role {
    Server { holder: Option<String>, waiting: VecDeque<String> },
    Client { holds: bool, asked: bool },
}

struct Node {
    name: String,
    peers: BTreeMap<String, String>,
    role: Role,
    /// When a client asks or releases by itself.
    due: Instant,
    has_bug: bool,
}

impl Variables for Node {
    fn variables(&self, into: &mut Report) {
        match &self.role {
            Role::Server { holder, waiting } => {
                into.add("holder", holder);
                into.add("waiting", waiting);
            }
            Role::Client { holds, asked } => {
                into.add("holds", holds);
                into.add("asked", asked);
            }
        }
    }
}

impl Node {
    fn wishes(&self) -> Option<Wish<Happening>> {
        match self.role {
            Role::Client { holds: true, .. } => Some(Wish::at(self.due, Happening::Release)),
            Role::Client { asked: false, .. } => Some(Wish::at(self.due, Happening::Ask)),
            _ => None,
        }
    }

    fn handle(&mut self, event: &Happening, outbox: &Outbox) {
        let has_bug = self.has_bug;
        let (kind, from) = match event {
            Happening::Ask => ("Ask", ""),
            Happening::Release => ("Release", ""),
            Happening::Message(message, clock) => {
                outbox.heard(clock);
                (message["type"].as_str().unwrap_or_default(), message["from"].as_str().unwrap_or_default())
            }
        };
        let sends = match (&mut self.role, kind) {
            (Role::Client { asked, .. }, "Ask") => {
                *asked = true;
                Some((SERVER.to_owned(), "ask"))
            }
            (Role::Client { holds, .. }, "Release") => {
                *holds = false;
                Some((SERVER.to_owned(), "release"))
            }
            (Role::Client { holds, asked }, "grant") => {
                (*holds, *asked) = (true, false);
                None
            }
            (Role::Server { holder, waiting }, "ask") => {
                if holder.is_none() || has_bug {
                    *holder = Some(from.to_owned());
                    Some((from.to_owned(), "grant"))
                } else {
                    waiting.push_back(from.to_owned());
                    None
                }
            }
            (Role::Server { holder, waiting }, "release") => {
                *holder = waiting.pop_front();
                holder.clone().map(|next| (next, "grant"))
            }
            _ => None,
        };
        self.due = Instant::now() + Duration::from_secs(1);
        if let Some((to, kind)) = sends {
            let message = json!({"type": kind, "from": self.name, "to": to});
            match outbox.clock() {
                Some(clock) => self.send(&to, &json!({"message": message, "clock": clock})),
                None => self.send(&to, &message),
            }
            outbox.sent(&to, &message);
        }
    }

    /// If the peer is down, the message is lost.
    fn send(&self, to: &str, line: &Json) {
        if let Some(Ok(mut socket)) = self.peers.get(to).map(TcpStream::connect) {
            let _ = socket.write_all(format!("{line}\n").as_bytes());
        }
    }
}

/// Takes in messages of peers, one connection each.
fn receive(listener: &TcpListener, inbox: &Inbox<Happening>) {
    for socket in listener.incoming().flatten() {
        for line in BufReader::new(socket).lines().map_while(Result::ok) {
            if let Ok(line) = serde_json::from_str::<Json>(&line) {
                let message = line.get("message").unwrap_or(&line).clone();
                inbox.message(Happening::Message(message, line["clock"].clone()));
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [name, everybody] = &words[..] else { return Err("lock NODE NAME=ADDRESS,…".into()) };
    let peers = everybody.split(',').filter_map(|peer| peer.split_once('='));
    let peers: BTreeMap<String, String> =
        peers.map(|(peer, address)| (peer.to_owned(), address.to_owned())).collect();
    let listener = TcpListener::bind(peers.get(name).ok_or("the node is not among its peers")?)?;
    let role = if name == SERVER {
        Role::Server { holder: None, waiting: VecDeque::new() }
    } else {
        Role::Client { holds: false, asked: false }
    };
    let due = Instant::now() + Duration::from_secs(1);
    let has_bug = env::var_os("LOCK_BUG").is_some();
    let mut node = Node { name: name.clone(), peers, role, due, has_bug };
    let mut gate = Gate::<Happening>::from_environment();
    let (inbox, outbox) = (gate.inbox(), gate.outbox());
    thread::spawn(move || receive(&listener, &inbox));
    while let Some(event) = gate.next(&node, node.wishes()) {
        node.handle(&event, &outbox);
    }
    Ok(())
}
