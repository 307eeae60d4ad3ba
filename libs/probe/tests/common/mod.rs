//! A testbed for one node, made of a socket and patience.

#![allow(dead_code, reason = "each test uses what it needs of it")]

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use kilter_probe::Json;
use kilter_protocol::{
    Address, Done, Environment, FromNode, Hello, Offer, Request, ToNode, VERSION, encode, read_line,
};

/// How long a node may take before a test fails. Only a broken node takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A testbed that waits for its node.
pub struct Bed {
    listener: TcpListener,
}

impl Bed {
    pub fn new() -> Bed {
        Bed { listener: TcpListener::bind(("127.0.0.1", 0)).expect("a free port on loopback") }
    }

    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().expect("a bound socket")
    }

    pub fn environment(&self) -> Environment {
        Environment { address: Address::Tcp(self.address()), node: "n1".into(), token: "secret".into() }
    }

    /// The node's connection, after its hello.
    pub fn accept(&self) -> (Hello, Node) {
        let (stream, _) = self.listener.accept().expect("the node connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time that is not zero");
        let reader = BufReader::new(stream.try_clone().expect("another handle"));
        let mut node = Node { reader, stream };
        let FromNode::Hello(hello) = node.hear() else { panic!("a node says hello first") };
        node.tell(&ToNode::Welcome { version: VERSION });
        (hello, node)
    }
}

/// A node, as its testbed sees it.
pub struct Node {
    reader: BufReader<TcpStream>,
    stream: TcpStream,
}

impl Node {
    pub fn tell(&mut self, told: &ToNode) {
        self.tell_raw(&encode(told));
    }

    pub fn tell_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the node listens");
    }

    pub fn go(&mut self, id: u64) {
        self.tell(&ToNode::Go { id });
    }

    pub fn request(&mut self, id: u64, action: &str, args: &[Json]) {
        self.tell(&ToNode::Request(Request { id, action: action.into(), args: args.to_vec() }));
    }

    pub fn hear(&mut self) -> FromNode {
        read_line(&mut self.reader).expect("a line of the protocol").expect("the node is still there")
    }

    /// True if the node has closed the connection.
    pub fn is_gone(&mut self) -> bool {
        matches!(read_line::<FromNode>(&mut self.reader), Ok(None))
    }

    pub fn hear_offer(&mut self) -> Offer {
        match self.hear() {
            FromNode::Offer(offer) => offer,
            other => panic!("an offer, not {other:?}"),
        }
    }

    pub fn hear_done(&mut self) -> Done {
        match self.hear() {
            FromNode::Done(done) => done,
            other => panic!("done, not {other:?}"),
        }
    }

    pub fn hear_report(&mut self) -> Json {
        match self.hear() {
            FromNode::Report { variables } => Json::Object(variables),
            other => panic!("a report, not {other:?}"),
        }
    }

    /// All that the node says until it stands still, as short lines, and how many messages it has received.
    pub fn hear_until_still(&mut self) -> (Vec<String>, u64) {
        let mut said = Vec::new();
        loop {
            match self.hear() {
                FromNode::Still { received } => return (said, received),
                other => said.push(in_short(&other)),
            }
        }
    }
}

/// What a node says, on a line that people read.
fn in_short(said: &FromNode) -> String {
    match said {
        FromNode::Offer(offer) => {
            let args = offer.args.iter().map(Json::to_string).collect::<Vec<_>>().join(", ");
            let message = offer.message.as_ref().map(|message| format!(" of {message}")).unwrap_or_default();
            format!("offer {} {}({args}){message}", offer.id, offer.action)
        }
        FromNode::Withdraw { id } => format!("withdraw {id}"),
        FromNode::Done(done) => {
            let sent: Vec<_> =
                done.sent.iter().map(|sent| format!(" sent {} to {}", sent.message, sent.to)).collect();
            let unknown = if done.unknown { ", which it does not know" } else { "" };
            format!("done {} {}{}{unknown}", done.id, Json::Object(done.variables.clone()), sent.concat())
        }
        FromNode::Report { variables } => format!("report {}", Json::Object(variables.clone())),
        FromNode::Note { text } => format!("note {text}"),
        FromNode::Hello(_) | FromNode::Still { .. } => format!("{said:?}"),
    }
}
