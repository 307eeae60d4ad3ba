//! A gossip in the style of Cassandra's: every node has a state of its own with a version, and tells others what it knows until it
//! knows that they know.
//!
//! An exchange has three messages: a *syn* with the versions that a node knows, an *ack* with what the receiver knows better and what it
//! wants, an *ack2* with that. The bug: when a node is told again what it has been told before, the version that was learned last is
//! missing. Who receives such a syn wants nothing, and is taken to know everything.

use kilter_explore::{Kind, Machines, Peer, Properties, Setup, View, swap};
use kilter_testbed::{Call, Machine, Outbox};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::{Shape, name, names, show, swapped};

/// The version of each node's state, as far as it is known; 0 if nothing is.
pub type Versions = Vec<u32>;

/// What nodes send.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Message {
    /// What the sender knows; `None` for what it does not mention.
    Syn(usize, Vec<Option<u32>>),
    /// What the sender knows better, and the nodes whose states it wants.
    Ack(usize, Versions, Vec<usize>),
    /// What was wanted.
    Ack2(Versions),
}

/// Who does not say that it knows is told so often, then taken for dead.
const TRIES_MAX: u8 = 3;

/// A node.
#[derive(Clone, Hash)]
pub struct Node {
    me: usize,
    bug: bool,
    versions: Versions,
    /// What each node is known to know.
    known: Vec<Versions>,
    /// How often each node was told since there was news, or since it was known to know everything.
    tries: Vec<u8>,
    /// Whose version was learned last.
    newest: usize,
}

impl Node {
    /// A node as it is before anything has happened.
    pub fn new(me: usize, shape: Shape) -> Node {
        let nothing = vec![0; shape.n_nodes];
        let mut versions = nothing.clone();
        versions[me] = 1;
        Node {
            me,
            bug: shape.bug,
            versions,
            known: vec![nothing; shape.n_nodes],
            tries: vec![0; shape.n_nodes],
            newest: me,
        }
    }

    fn digest(&self, to: usize) -> Vec<Option<u32>> {
        let drops_newest = self.bug && self.tries[to] >= 2;
        let mentioned =
            |(node, version): (usize, &u32)| (!drops_newest || node != self.newest).then_some(*version);
        self.versions.iter().enumerate().map(mentioned).collect()
    }

    fn learn(&mut self, versions: &[u32]) {
        for (node, version) in versions.iter().enumerate() {
            if *version > self.versions[node] {
                self.versions[node] = *version;
                self.newest = node;
                self.tries.fill(0);
            }
        }
    }

    fn note(&mut self, node: usize, known: Versions) {
        self.known[node] = known;
        if self.known[node] == self.versions {
            self.tries[node] = 0;
        }
    }

    fn answer_syn(&mut self, from: usize, theirs: &[Option<u32>], outbox: &mut Outbox<Message>) {
        let mut better = vec![0; self.versions.len()];
        let mut wanted = Vec::new();
        for (node, theirs) in theirs.iter().enumerate().filter_map(|(node, theirs)| Some((node, (*theirs)?)))
        {
            if theirs > self.versions[node] {
                wanted.push(node);
            } else if theirs < self.versions[node] {
                better[node] = self.versions[node];
            }
        }
        let mentioned = theirs.iter().map(|version| version.unwrap_or(0)).collect();
        self.note(from, mentioned);
        outbox.send_to(from, Message::Ack(self.me, better, wanted));
    }

    fn answer_ack(&mut self, from: usize, better: &[u32], wanted: &[usize], outbox: &mut Outbox<Message>) {
        self.learn(better);
        let mut states = vec![0; self.versions.len()];
        for node in wanted {
            states[*node] = self.versions[*node];
        }
        // What is neither better there nor wanted is the same on both sides.
        let same = |node: usize| if wanted.contains(&node) { 0 } else { self.versions[node] };
        let known = (0..self.versions.len()).map(same).collect();
        self.note(from, known);
        if !wanted.is_empty() {
            outbox.send_to(from, Message::Ack2(states));
        }
    }
}

impl Machine for Node {
    type Action = usize;
    type Message = Message;

    fn actions(&self) -> Vec<usize> {
        let is_behind = |node: &usize| *node != self.me && self.known[*node] != self.versions;
        let behind: Vec<usize> = (0..self.versions.len()).filter(is_behind).collect();
        // In turn: whom it has told least.
        let least = behind.iter().map(|node| self.tries[*node]).min().filter(|least| *least < TRIES_MAX);
        behind.into_iter().filter(|node| Some(self.tries[*node]) == least).collect()
    }

    fn call(&self, to: &usize) -> Call {
        Call::new("gossip", [name(*to)])
    }

    fn act(&mut self, to: usize, outbox: &mut Outbox<Message>) -> Result<(), String> {
        self.tries[to] += 1;
        outbox.send_to(to, Message::Syn(self.me, self.digest(to)));
        Ok(())
    }

    fn handler(&self, message: &Message) -> Option<Call> {
        let name = match message {
            Message::Syn(..) => "take syn",
            Message::Ack(..) => "take ack",
            Message::Ack2(..) => "take ack2",
        };
        Some(Call::new(name, []))
    }

    fn handle(&mut self, message: Message, outbox: &mut Outbox<Message>) -> Result<(), String> {
        match message {
            Message::Syn(from, theirs) => self.answer_syn(from, &theirs, outbox),
            Message::Ack(from, better, wanted) => self.answer_ack(from, &better, &wanted, outbox),
            Message::Ack2(states) => self.learn(&states),
        }
        Ok(())
    }

    fn request(&mut self, action: &str, _: &[Json], _: &mut Outbox<Message>) -> Result<(), String> {
        Err(format!("nobody asks a gossip for {action}"))
    }

    fn variables(&self) -> Map<String, Json> {
        Map::from_iter([
            ("versions".to_owned(), json!(self.versions)),
            ("known".to_owned(), json!(self.known)),
        ])
    }

    fn show(message: &Message) -> Json {
        show(message)
    }

    fn restart(&mut self) -> Result<(), String> {
        let n_nodes = self.versions.len();
        let mine = self.versions[self.me] + 1;
        *self = Node::new(self.me, Shape { n_nodes, bug: self.bug });
        self.versions[self.me] = mine;
        Ok(())
    }
}

impl Peer for Node {
    fn accepts(&self, _: &Message) -> bool {
        true
    }

    fn kind(_: &usize) -> Kind {
        Kind::Timer
    }

    fn aim(to: &usize) -> Option<usize> {
        Some(*to)
    }

    /// Nodes gossip about everything alike.
    fn content(message: &Message) -> u64 {
        match message {
            Message::Syn(..) => 0,
            Message::Ack(..) => 1,
            Message::Ack2(..) => 2,
        }
    }

    fn swapped(&self, one: usize, other: usize) -> Node {
        let known: Vec<Versions> = self.known.iter().map(|known| swapped(known, one, other)).collect();
        Node {
            me: swap(self.me, one, other),
            bug: self.bug,
            versions: swapped(&self.versions, one, other),
            known: swapped(&known, one, other),
            tries: swapped(&self.tries, one, other),
            newest: swap(self.newest, one, other),
        }
    }

    fn swapped_message(message: &Message, one: usize, other: usize) -> Message {
        match message {
            Message::Syn(from, versions) => {
                Message::Syn(swap(*from, one, other), swapped(versions, one, other))
            }
            Message::Ack(from, better, wanted) => {
                let mut wanted: Vec<usize> = wanted.iter().map(|node| swap(*node, one, other)).collect();
                wanted.sort_unstable();
                Message::Ack(swap(*from, one, other), swapped(better, one, other), wanted)
            }
            Message::Ack2(states) => Message::Ack2(swapped(states, one, other)),
        }
    }

    fn swapped_action(to: &usize, one: usize, other: usize) -> usize {
        swap(*to, one, other)
    }

    fn summary(&self) -> String {
        format!("{:?}", self.versions)
    }
}

/// A system of nodes that each have news. Its goal: all nodes that are up know the same.
pub fn system(shape: Shape) -> Machines<Node> {
    let agree = |view: &View<'_, Node>| {
        let mut up = view.up().map(|(_, node)| &node.versions);
        up.next().is_none_or(|first| up.all(|other| other == first))
    };
    Machines::new(Setup {
        names: names(shape.n_nodes),
        boot: Box::new(move |me| Node::new(me, shape)),
        in_order: true,
        recover: false,
        patient: true,
        requests: Vec::new(),
        properties: Properties { safety: Vec::new(), goal: Some(Box::new(agree)), sight: None },
    })
}
