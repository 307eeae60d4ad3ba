//! The sample node of docs/protocol.md, which `kilter probe-check` plays the testbed for: it counts, tells its peers, and takes over a
//! higher count that it hears of.
//!
//! `sample --node n1 --listen 127.0.0.1:4001 --peers n1=127.0.0.1:4001,n2=127.0.0.1:4002`

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use kilter_probe::{Action, Clock, Event, Gate, Inbox, Json, Outbox, Report, Variables, Wish, json};

const HOUR_SECONDS: f64 = 3600.0;

/// What happens to the node.
#[derive(Clone)]
enum Happening {
    Tick,
    /// A message of a peer, and the vector clock that came along.
    Take(Json, Json),
    Job(u64),
    Set(Json),
    Keep(Json),
    Note(String),
    Work(u64),
    ClockJumps,
}

impl Event for Happening {
    fn action(&self) -> Action {
        match self {
            Happening::Tick => Action::new("Tick"),
            Happening::Take(message, _) => Action::new("Take").message(message),
            Happening::Job(number) => Action::new("Job").arg(number),
            Happening::Set(_) => Action::new("Set"),
            Happening::Keep(_) => Action::new("Keep"),
            Happening::Note(_) => Action::new("Note"),
            Happening::Work(_) => Action::new("Work"),
            Happening::ClockJumps => Action::new(Clock::JUMPS),
        }
    }

    fn from_delivery(_: &str, message: &Json) -> Option<Happening> {
        Some(Happening::Take(message.clone(), Json::Null))
    }

    fn from_request(action: &str, args: &[Json]) -> Option<Happening> {
        match (action, args) {
            ("Set", [count]) => Some(Happening::Set(count.clone())),
            ("Keep", [value]) => Some(Happening::Keep(value.clone())),
            ("Note", [text]) => Some(Happening::Note(text.as_str()?.to_owned())),
            ("Work", [n_jobs]) => Some(Happening::Work(n_jobs.as_u64()?)),
            (Clock::JUMPS, _) => Some(Happening::ClockJumps),
            _ => None,
        }
    }
}

struct Node {
    name: String,
    peers: BTreeMap<String, String>,
    clock: Clock,
    count: u64,
    value: Json,
    jobs: u64,
}

impl Variables for Node {
    fn variables(&self, into: &mut Report) {
        let ahead = self.clock.now().duration_since(SystemTime::now()).unwrap_or_default();
        let hours = format!("{:.0}", ahead.as_secs_f64() / HOUR_SECONDS).parse::<u64>().unwrap_or_default();
        into.add("count", self.count);
        into.add("value", &self.value);
        into.add("jobs", self.jobs);
        into.add("hours", hours);
    }
}

impl Node {
    /// It ticks up to three; a peer may bring it further.
    fn wishes(&self) -> Option<Wish<Happening>> {
        let soon = Instant::now() + Duration::from_secs(1);
        (self.count < 3).then(|| Wish::at(soon, Happening::Tick))
    }

    fn handle(&mut self, event: Happening, inbox: &Inbox<Happening>, outbox: &Outbox) {
        match event {
            Happening::Tick => {
                self.count += 1;
                for (peer, address) in &self.peers {
                    let message = json!({"from": self.name, "to": peer, "count": self.count});
                    match outbox.clock() {
                        Some(clock) => send(address, &json!({"message": message, "clock": clock})),
                        None => send(address, &message),
                    }
                    outbox.sent(peer, &message);
                }
            }
            Happening::Take(message, clock) => {
                outbox.heard(&clock);
                self.count = self.count.max(message["count"].as_u64().unwrap_or_default());
            }
            Happening::Job(_) => self.jobs += 1,
            Happening::Set(count) => self.count = count.as_u64().unwrap_or_default(),
            Happening::Keep(value) => self.value = value,
            Happening::Note(text) => outbox.note(&text),
            Happening::Work(n_jobs) => {
                for number in 0..n_jobs {
                    let inbox = inbox.clone();
                    thread::spawn(move || inbox.push(Happening::Job(number)));
                }
            }
            Happening::ClockJumps => self.clock.jump(),
        }
    }
}

/// One connection a message, so that a peer that was killed and started again can't swallow it. If the peer is down, the message is lost.
fn send(address: &str, message: &Json) {
    if let Ok(mut socket) = TcpStream::connect(address) {
        let _ = socket.write_all(format!("{message}\n").as_bytes());
    }
}

/// Takes in messages of peers, for ever.
fn receive(listener: &TcpListener, inbox: &Inbox<Happening>) {
    for socket in listener.incoming().flatten() {
        for line in BufReader::new(socket).lines().map_while(Result::ok) {
            if let Ok(line) = serde_json::from_str::<Json>(&line) {
                let message = line.get("message").unwrap_or(&line).clone();
                inbox.message(Happening::Take(message, line["clock"].clone()));
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [_, name, _, address, _, everybody] = &words[..] else {
        return Err("sample --node NAME --listen ADDRESS --peers NAME=ADDRESS,…".into());
    };
    let peers = everybody.split(',').filter_map(|peer| peer.split_once('='));
    let peers =
        peers.filter(|(peer, _)| peer != name).map(|(peer, address)| (peer.to_owned(), address.to_owned()));
    let mut node = Node {
        name: name.clone(),
        peers: peers.collect(),
        clock: Clock::default(),
        count: 0,
        value: Json::Null,
        jobs: 0,
    };
    let listener = TcpListener::bind(address)?;
    let mut gate = Gate::<Happening>::from_environment();
    let (inbox, outbox) = (gate.inbox(), gate.outbox());
    let network = inbox.clone();
    thread::spawn(move || receive(&listener, &network));
    while let Some(event) = gate.next(&node, node.wishes()) {
        node.handle(event, &inbox, &outbox);
    }
    Ok(())
}
