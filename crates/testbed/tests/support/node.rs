//! A node that behaves: it can ping each other node and counts the pings that it takes in. It keeps its count on disk when asked to.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use kilter_protocol::{
    Address, Done, Environment, FromNode, Hello, Offer, Request, Sent, ToNode, VERSION, encode, read_line,
};
use serde_json::{Map, Value as Json, json};

enum Event {
    Told(ToNode),
    Arrived(Json),
    Alone,
}

struct Node {
    name: String,
    peers: BTreeMap<String, String>,
    connections: BTreeMap<String, TcpStream>,
    control: Box<dyn Write>,
    data: PathBuf,
    count: u64,
    received: u64,
    next_offer: u64,
    standing: BTreeMap<u64, Offer>,
    says_still: bool,
}

pub fn run() {
    let (read, write, environment) = connect();
    let says_still = env::var("SAYS_STILL").as_deref() != Ok("no");
    let (sender, receiver) = channel();
    listen(sender.clone());
    thread::spawn(move || hear(read, &sender));
    let data = PathBuf::from(env::var("DATA").expect("a data directory")).join("count");
    let peers = env::var("PEERS").expect("peers");
    let peers = peers.split(',').filter_map(|peer| peer.split_once('='));
    let mut node = Node {
        peers: peers.map(|(name, address)| (name.to_owned(), address.to_owned())).collect(),
        connections: BTreeMap::new(),
        control: write,
        count: stored(&data),
        data,
        received: 0,
        next_offer: 0,
        standing: BTreeMap::new(),
        says_still,
        name: environment.node.clone(),
    };
    node.say(&FromNode::Hello(hello(&environment)));
    node.say(&FromNode::Report { variables: node.variables() });
    node.offer_pings();
    node.be_still();
    node.serve(&receiver);
}

pub fn connect() -> (Box<dyn BufRead + Send>, Box<dyn Write>, Environment) {
    let found = Environment::look_up(|name| env::var(name).ok()).expect("an address");
    let environment = found.expect("a testbed");
    match &environment.address {
        Address::Unix(path) => {
            let socket = UnixStream::connect(path).expect("the testbed listens");
            let read = BufReader::new(socket.try_clone().expect("a second handle"));
            (Box::new(read), Box::new(socket), environment)
        }
        Address::Tcp(address) => {
            let socket = TcpStream::connect(address).expect("the testbed listens");
            socket.set_nodelay(true).expect("an option");
            let read = BufReader::new(socket.try_clone().expect("a second handle"));
            (Box::new(read), Box::new(socket), environment)
        }
    }
}

pub fn hello(environment: &Environment) -> Hello {
    Hello {
        version: VERSION,
        node: environment.node.clone(),
        token: environment.token.clone(),
        says_still: env::var("SAYS_STILL").as_deref() != Ok("no"),
        takes_delivery: env::var("TAKES_DELIVERY").as_deref() != Ok("no"),
    }
}

fn listen(sender: Sender<Event>) {
    let listener = TcpListener::bind(env::var("ADDRESS").expect("an address")).expect("the port is free");
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(socket).lines().map_while(Result::ok) {
                    let message = serde_json::from_str(&line).expect("peers speak JSON");
                    let _ = sender.send(Event::Arrived(message));
                }
            });
        }
    });
}

fn hear(mut read: Box<dyn BufRead + Send>, sender: &Sender<Event>) {
    while let Ok(Some(line)) = read_line(&mut read) {
        let _ = sender.send(Event::Told(line));
    }
    let _ = sender.send(Event::Alone);
}

impl Node {
    fn serve(&mut self, events: &Receiver<Event>) {
        for event in events {
            match event {
                Event::Alone | Event::Told(ToNode::Stop {}) => return,
                Event::Told(ToNode::Welcome { .. }) => continue,
                Event::Told(ToNode::Go { id }) => self.take(id, false),
                Event::Told(ToNode::Twice { id }) => self.take(id, true),
                Event::Told(ToNode::Drop { id }) => {
                    self.standing.remove(&id);
                    self.done(id, vec![]);
                }
                Event::Told(ToNode::Request(request)) => self.request(&request),
                Event::Told(ToNode::Deliver { message, .. }) => self.offer("Take", vec![], Some(message)),
                Event::Arrived(message) => {
                    self.received += 1;
                    self.offer("Take", vec![], Some(message));
                }
            }
            self.be_still();
        }
    }

    fn say(&mut self, line: &FromNode) {
        let _ = self.control.write_all(&encode(line));
    }

    fn be_still(&mut self) {
        if self.says_still {
            self.say(&FromNode::Still { received: self.received });
        }
    }

    fn variables(&self) -> Map<String, Json> {
        let address = &self.peers[&self.name];
        Map::from_iter([("count".to_owned(), self.count.into()), ("address".to_owned(), json!(address))])
    }

    fn offer(&mut self, action: &str, args: Vec<Json>, message: Option<Json>) {
        let offer = Offer { id: self.next_offer, action: action.to_owned(), args, message };
        self.next_offer += 1;
        self.say(&FromNode::Offer(offer.clone()));
        self.standing.insert(offer.id, offer);
    }

    fn offer_pings(&mut self) {
        let others: Vec<String> = self.peers.keys().filter(|peer| **peer != self.name).cloned().collect();
        for peer in others {
            self.offer("Ping", vec![json!(peer)], None);
        }
    }

    fn done(&mut self, id: u64, sent: Vec<Sent>) {
        self.say(&FromNode::Done(Done { id, variables: self.variables(), sent, unknown: false }));
    }

    fn take(&mut self, id: u64, twice: bool) {
        let offer = self.standing.remove(&id).expect("only what was offered is let go");
        if offer.message.is_some() {
            self.count += 1;
            self.done(id, vec![]);
            if twice {
                self.offer("Take", vec![], offer.message);
            }
        } else {
            let to = offer.args[0].as_str().expect("a peer").to_owned();
            let message = json!({ "from": self.name, "to": to, "body": self.count });
            self.send(&to, &message);
            self.done(id, vec![Sent { to: to.clone(), message }]);
            self.offer("Ping", vec![json!(to)], None);
        }
    }

    /// Sends a message to a peer; if its connection is broken or it is down, the message is lost.
    fn send(&mut self, to: &str, message: &Json) {
        let line = format!("{message}\n");
        if let Some(mut old) = self.connections.remove(to) {
            // A peer never answers here: whatever can be read is the end of the connection.
            let _ = old.set_nonblocking(true);
            let mut byte = [0];
            let open = std::io::Read::read(&mut old, &mut byte).is_err();
            let _ = old.set_nonblocking(false);
            if open && old.write_all(line.as_bytes()).is_ok() {
                self.connections.insert(to.to_owned(), old);
                return;
            }
        }
        if let Ok(mut socket) = TcpStream::connect(&self.peers[to]) {
            let _ = socket.set_nodelay(true);
            let _ = socket.write_all(line.as_bytes());
            self.connections.insert(to.to_owned(), socket);
        }
    }

    fn request(&mut self, request: &Request) {
        match request.action.as_str() {
            "Add" => self.count += request.args[0].as_u64().expect("a number"),
            "Save" => fs::write(&self.data, self.count.to_string()).expect("the data directory is there"),
            "Note" => self.say(&FromNode::Note { text: "noted".to_owned() }),
            "Reset" | "Clean" => self.reset(),
            // What it held is gone, and what it had stored is not.
            "Crash" => self.withdraw_all(),
            "Begin" => self.count = stored(&self.data),
            "Spawn" => drop(spawn(&["sleep", "1000"])),
            "Daemon" => drop(spawn(&["sh", "-c", "setsid sleep 1000 & setsid sleep 1000 &"]).wait()),
            "Die" => std::process::exit(7),
            "Hang" => loop {
                thread::park();
            },
            _ => {
                let (id, variables) = (request.id, self.variables());
                return self.say(&FromNode::Done(Done { id, variables, sent: vec![], unknown: true }));
            }
        }
        self.done(request.id, vec![]);
        if request.action == "Reset" || request.action == "Begin" {
            self.offer_pings();
        }
    }

    fn reset(&mut self) {
        self.count = 0;
        let _ = fs::remove_file(&self.data);
        self.withdraw_all();
    }

    fn withdraw_all(&mut self) {
        for id in std::mem::take(&mut self.standing).into_keys() {
            self.say(&FromNode::Withdraw { id });
        }
    }
}

fn stored(data: &Path) -> u64 {
    fs::read_to_string(data).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn spawn(words: &[&str]) -> std::process::Child {
    std::process::Command::new(words[0]).args(&words[1..]).spawn().expect("it can be started")
}
