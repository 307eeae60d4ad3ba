//! A gossip protocol in the style of Cassandra's. Every node has a state of its own with a version. A node with news
//! tells everyone at once, and tells those again that do not confirm it.
//!
//! An exchange has three messages: a *syn* with the versions that a node knows, an *ack* with what the receiver knows
//! better and what it wants, and an *ack2* with what it wanted. The bug: a node that has asked twice for a state
//! assumes that it is on its way, and leaves it out of what it wants. The other node then assumes that it knows
//! everything.

use kilter_explore::{Kind, Machines, Peer, Properties, View, swap};
use kilter_testbed::{Call, Machine, Outbox};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::{Me, Shape, name, show, swapped};

/// The known version of each node's state. 0 if none is known.
pub type Versions = Vec<u32>;

/// The messages. The first field is the sender.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Message {
    /// The versions that the sender knows.
    Syn(usize, Versions),
    /// The versions that the sender knows better, and the nodes whose states it wants.
    Ack(usize, Versions, Vec<usize>),
    /// The versions that the receiver wanted.
    Ack2(usize, Versions),
}

/// How often a node that does not confirm is told. Then it counts as dead.
const TRIES_MAX: u8 = 3;
/// With the bug, how often a state is asked for.
const ASKS_MAX: u8 = 2;

/// A node of the broadcast.
#[derive(Clone, Hash)]
pub struct Node {
    me: Me,
    versions: Versions,
    /// For each node, the versions that it is known to know.
    known: Vec<Versions>,
    /// How often each node was told since there was news.
    tries: Vec<u8>,
    /// How often each node's state was asked for since it was last learned. Only kept with the bug.
    asks: Vec<u8>,
}

impl Node {
    /// Makes a node in its initial state. The first node has news, and all nodes know the rest.
    pub fn new(place: usize, shape: Shape) -> Node {
        let me = Me { place, shape };
        let old = me.each(1);
        let mut versions = old.clone();
        versions[0] += u32::from(place == 0);
        Node { me, versions, known: me.each(old), tries: me.each(0), asks: me.each(0) }
    }

    /// The nodes that are not known to know everything that this node knows.
    fn behind(&self) -> impl Iterator<Item = usize> + '_ {
        let is_behind =
            |node: &usize| self.known[*node].iter().zip(&self.versions).any(|(known, mine)| known < mine);
        self.me.others().filter(is_behind)
    }

    fn tell(&mut self, to: usize, outbox: &mut Outbox<Message>) {
        self.tries[to] += 1;
        outbox.send_to(to, Message::Syn(self.me.place, self.versions.clone()));
    }

    /// Tells the news to all nodes that do not know it.
    fn spread(&mut self, outbox: &mut Outbox<Message>) {
        self.tries.fill(0);
        let behind: Vec<usize> = self.behind().collect();
        for node in behind {
            self.tell(node, outbox);
        }
    }

    /// Takes over newer versions. Returns whether there were any.
    fn learn(&mut self, versions: &[u32]) -> bool {
        let mut news = false;
        for (node, version) in versions.iter().enumerate() {
            if *version > self.versions[node] {
                self.versions[node] = *version;
                self.asks[node] = 0;
                news = true;
            }
        }
        news
    }

    /// The nodes of whose states the other node has a newer version.
    fn wanted(&mut self, theirs: &[u32]) -> Vec<usize> {
        let is_newer = |node: &usize| theirs[*node] > self.versions[*node];
        let mut wanted: Vec<usize> = (0..theirs.len()).filter(is_newer).collect();
        if self.me.shape.bug {
            wanted.retain(|node| self.asks[*node] < ASKS_MAX);
            for node in &wanted {
                self.asks[*node] += 1;
            }
        }
        wanted
    }

    fn answer_syn(&mut self, from: usize, theirs: Versions, outbox: &mut Outbox<Message>) {
        let wanted = self.wanted(&theirs);
        let better = |(mine, theirs): (&u32, &u32)| if mine > theirs { *mine } else { 0 };
        let better = self.versions.iter().zip(&theirs).map(better).collect();
        self.known[from] = theirs;
        outbox.send_to(from, Message::Ack(self.me.place, better, wanted));
    }

    fn answer_ack(&mut self, from: usize, better: &[u32], wanted: &[usize], outbox: &mut Outbox<Message>) {
        let news = self.learn(better);
        // What is neither better there nor wanted is the same on both sides.
        self.known[from] = self.versions.clone();
        let mut states = self.me.each(0);
        for node in wanted {
            states[*node] = self.versions[*node];
            self.known[from][*node] = 0;
        }
        if !wanted.is_empty() {
            outbox.send_to(from, Message::Ack2(self.me.place, states));
        }
        if news {
            self.spread(outbox);
        }
    }
}

impl Machine for Node {
    type Action = usize;
    type Message = Message;

    fn actions(&self) -> Vec<usize> {
        // The nodes take turns: those that were told least often come first.
        let least = self.behind().map(|node| self.tries[node]).min().filter(|least| *least < TRIES_MAX);
        self.behind().filter(|node| Some(self.tries[*node]) == least).collect()
    }

    fn call(&self, to: &usize) -> Call {
        Call::new("gossip", [name(*to)])
    }

    fn act(&mut self, to: usize, outbox: &mut Outbox<Message>) -> Result<(), String> {
        self.tell(to, outbox);
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
            Message::Syn(from, theirs) => self.answer_syn(from, theirs, outbox),
            Message::Ack(from, better, wanted) => self.answer_ack(from, &better, &wanted, outbox),
            Message::Ack2(_, states) => {
                if self.learn(&states) {
                    self.spread(outbox);
                }
            }
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
        let mine = self.versions[self.me.place] + 1;
        *self = Node::new(self.me.place, self.me.shape);
        self.versions[self.me.place] = mine;
        Ok(())
    }
}

impl Peer for Node {
    fn wake(&mut self, outbox: &mut Outbox<Message>) -> Result<(), String> {
        self.spread(outbox);
        Ok(())
    }

    fn accepts(&self, _: &Message) -> bool {
        true
    }

    fn kind(_: &usize) -> Kind {
        Kind::Timer
    }

    /// All nodes have the same functions.
    fn functions(&self) -> Option<u64> {
        Some(0)
    }

    /// All messages count as being about the same.
    fn content(_: &Message) -> u64 {
        0
    }

    fn aim(to: &usize) -> Option<usize> {
        Some(*to)
    }

    fn swapped(&self, one: usize, other: usize) -> Node {
        let known: Vec<Versions> = self.known.iter().map(|known| swapped(known, one, other)).collect();
        Node {
            me: self.me.swapped(one, other),
            versions: swapped(&self.versions, one, other),
            known: swapped(&known, one, other),
            tries: swapped(&self.tries, one, other),
            asks: swapped(&self.asks, one, other),
        }
    }

    fn swapped_message(message: &Message, one: usize, other: usize) -> Message {
        let node = |node: &usize| swap(*node, one, other);
        match message {
            Message::Syn(from, versions) => Message::Syn(node(from), swapped(versions, one, other)),
            Message::Ack(from, better, wanted) => {
                let mut wanted: Vec<usize> = wanted.iter().map(node).collect();
                wanted.sort_unstable();
                Message::Ack(node(from), swapped(better, one, other), wanted)
            }
            Message::Ack2(from, states) => Message::Ack2(node(from), swapped(states, one, other)),
        }
    }

    fn swapped_action(to: &usize, one: usize, other: usize) -> usize {
        swap(*to, one, other)
    }

    fn summary(&self) -> String {
        format!("{:?}", self.versions)
    }
}

/// A system whose first node has news. Its goal: all nodes that are up know the same.
pub fn system(shape: Shape) -> Machines<Node> {
    let agree = |view: &View<'_, Node>| {
        let mut up = view.up().map(|(_, node)| &node.versions);
        up.next().is_none_or(|first| up.all(|other| other == first))
    };
    let properties = Properties { safety: Vec::new(), goal: Some(Box::new(agree)), sight: None };
    crate::system(shape, Node::new, Vec::new(), properties)
}
