//! An atomic broadcast in the style of ZooKeeper's, with one write. The leader proposes, followers store and
//! acknowledge, and what a majority has is committed. When the leader is gone, a follower asks a majority for their
//! logs and brings all nodes to the same log.
//!
//! The bug: the new leader assumes that the others have what it has, and does not send it again. A node that the old
//! leader had not told about the commit never hears of it.

use kilter_explore::{Kind, Machines, Peer, Properties, View, swap};
use kilter_testbed::{Call, Machine, Outbox};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::{Me, Shape, show, swapped};

/// The messages. All but answers carry the sender's epoch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Message {
    /// Store this value at this index, which is the end of the log.
    Propose(u32, usize, u32),
    /// The sender has stored the log up to this index.
    Ack(usize, u32, usize),
    /// The log is committed up to this index.
    Commit(u32, usize),
    /// The sender wants to lead from now on, and asks for the receiver's log.
    Recover(usize, u32),
    /// A log, and how much of it is committed.
    State(usize, u32, Vec<u32>, usize),
    /// The log that the receiver must have, and how much of it is committed.
    Sync(usize, u32, Vec<u32>, usize),
}

/// The timers of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timeout {
    /// The leader has not heard from all nodes, so it sends its log to everyone.
    Resend,
    /// A follower has not heard from the leader, so it wants to lead.
    TakeOver,
}

/// A node of the broadcast.
#[derive(Clone, Hash)]
pub struct Node {
    me: Me,
    epoch: u32,
    leads: bool,
    log: Vec<u32>,
    committed: usize,
    /// On a leader: how much of the log each node has stored.
    stored: Vec<usize>,
    /// On a node that wants to lead: the log of each node.
    states: Vec<Option<(Vec<u32>, usize)>>,
}

impl Node {
    /// Makes a node in its initial state.
    pub fn new(place: usize, shape: Shape) -> Node {
        let me = Me { place, shape };
        Node {
            me,
            epoch: 1,
            leads: place == 0,
            log: Vec::new(),
            committed: 0,
            stored: me.each(0),
            states: Vec::new(),
        }
    }

    fn commit(&mut self, outbox: &mut Outbox<Message>) {
        let n_stored = self.stored.iter().filter(|stored| **stored >= self.log.len()).count();
        if self.leads && self.log.len() > self.committed && self.me.is_quorum(n_stored) {
            self.committed = self.log.len();
            self.me.tell_all(&Message::Commit(self.epoch, self.committed), outbox);
        }
    }

    fn follow(&mut self, epoch: u32) {
        if epoch > self.epoch {
            self.epoch = epoch;
            self.leads = false;
            self.states.clear();
        }
    }

    /// If the logs of a majority are known, begins to lead with the longest of them.
    fn lead(&mut self, outbox: &mut Outbox<Message>) {
        let known: Vec<&(Vec<u32>, usize)> = self.states.iter().flatten().collect();
        if self.states.is_empty() || !self.me.is_quorum(known.len()) {
            return;
        }
        if self.me.shape.bug {
            self.leads = true;
            self.states.clear();
            self.stored = self.me.each(self.log.len());
            return;
        }
        let committed = known.iter().map(|(_, committed)| *committed).max().unwrap_or(0);
        let longest =
            known.iter().map(|(log, _)| log).max_by_key(|log| log.len()).cloned().unwrap_or_default();
        self.log = longest;
        self.committed = committed.min(self.log.len());
        self.leads = true;
        self.states.clear();
        self.stored = self.me.each(0);
        self.stored[self.me.place] = self.log.len();
        self.sync(outbox);
    }

    fn sync(&self, outbox: &mut Outbox<Message>) {
        self.me.tell_all(&Message::Sync(self.me.place, self.epoch, self.log.clone(), self.committed), outbox);
    }

    fn take_sync(
        &mut self,
        from: usize,
        epoch: u32,
        log: Vec<u32>,
        committed: usize,
        outbox: &mut Outbox<Message>,
    ) {
        if epoch < self.epoch || (self.leads && epoch == self.epoch) {
            return;
        }
        self.follow(epoch);
        if log.len() >= self.log.len() {
            self.log = log;
        }
        self.committed = self.committed.max(committed);
        outbox.send_to(from, Message::Ack(self.me.place, epoch, self.log.len()));
    }

    fn take_proposal(&mut self, epoch: u32, place: usize, value: u32, outbox: &mut Outbox<Message>) {
        if epoch != self.epoch || place != self.log.len() {
            return;
        }
        self.log.push(value);
        // The first node leads the first epoch. Later leaders send whole logs.
        outbox.send_to(0, Message::Ack(self.me.place, epoch, self.log.len()));
    }
}

impl Machine for Node {
    type Action = Timeout;
    type Message = Message;

    fn actions(&self) -> Vec<Timeout> {
        match self.leads {
            // With the bug, a node that has taken over does not send its log.
            true if self.me.shape.bug && self.epoch > 1 => Vec::new(),
            true => vec![Timeout::Resend],
            false => vec![Timeout::TakeOver],
        }
    }

    fn call(&self, timeout: &Timeout) -> Call {
        Call::new(if *timeout == Timeout::Resend { "resend" } else { "take over" }, [])
    }

    fn act(&mut self, timeout: Timeout, outbox: &mut Outbox<Message>) -> Result<(), String> {
        if timeout == Timeout::Resend {
            self.sync(outbox);
            return Ok(());
        }
        self.epoch += 1;
        self.states = self.me.each(None);
        self.states[self.me.place] = Some((self.log.clone(), self.committed));
        self.me.tell_all(&Message::Recover(self.me.place, self.epoch), outbox);
        Ok(())
    }

    fn handler(&self, message: &Message) -> Option<Call> {
        let name = match message {
            Message::Propose(..) => "take proposal",
            Message::Ack(..) => "take ack",
            Message::Commit(..) => "take commit",
            Message::Recover(..) => "take recover",
            Message::State(..) => "take state",
            Message::Sync(..) => "take sync",
        };
        Some(Call::new(name, []))
    }

    fn handle(&mut self, message: Message, outbox: &mut Outbox<Message>) -> Result<(), String> {
        match message {
            Message::Propose(epoch, place, value) => self.take_proposal(epoch, place, value, outbox),
            Message::Ack(from, epoch, length) if self.leads && epoch == self.epoch => {
                self.stored[from] = self.stored[from].max(length);
                self.commit(outbox);
            }
            Message::Commit(epoch, length) if epoch == self.epoch && length <= self.log.len() => {
                self.committed = self.committed.max(length);
            }
            Message::Recover(from, epoch) if epoch > self.epoch => {
                self.follow(epoch);
                outbox.send_to(from, Message::State(self.me.place, epoch, self.log.clone(), self.committed));
            }
            Message::State(from, epoch, log, committed) if epoch == self.epoch && !self.states.is_empty() => {
                self.states[from] = Some((log, committed));
                self.lead(outbox);
            }
            Message::Sync(from, epoch, log, committed) => self.take_sync(from, epoch, log, committed, outbox),
            _ => {} // of an epoch that is over
        }
        Ok(())
    }

    fn request(&mut self, action: &str, args: &[Json], outbox: &mut Outbox<Message>) -> Result<(), String> {
        let value = args.first().and_then(Json::as_u64).ok_or_else(|| format!("{action} what?"))?;
        self.log.push(value as u32);
        self.stored[self.me.place] = self.log.len();
        self.me.tell_all(&Message::Propose(self.epoch, self.log.len() - 1, value as u32), outbox);
        Ok(())
    }

    fn variables(&self) -> Map<String, Json> {
        Map::from_iter([
            ("epoch".to_owned(), json!(self.epoch)),
            ("leads".to_owned(), json!(self.leads)),
            ("log".to_owned(), json!(self.log)),
            ("committed".to_owned(), json!(self.committed)),
        ])
    }

    fn show(message: &Message) -> Json {
        show(message)
    }

    fn restart(&mut self) -> Result<(), String> {
        self.leads = false;
        self.states.clear();
        Ok(())
    }
}

impl Peer for Node {
    fn accepts(&self, _: &Message) -> bool {
        true
    }

    fn takes(&self, _: &str, _: &[Json]) -> bool {
        self.leads
    }

    fn kind(_: &Timeout) -> Kind {
        Kind::Timer
    }

    fn role(&self) -> u64 {
        u64::from(self.leads)
    }

    /// All followers have the same functions.
    fn functions(&self) -> Option<u64> {
        Some(self.role())
    }

    /// The kind and the epoch of a message. As far as the write goes, these decide its content.
    fn content(message: &Message) -> u64 {
        let (kind, epoch) = match message {
            Message::Propose(epoch, ..) => (0, epoch),
            Message::Ack(_, epoch, _) => (1, epoch),
            Message::Commit(epoch, _) => (2, epoch),
            Message::Recover(_, epoch) => (3, epoch),
            Message::State(_, epoch, ..) => (4, epoch),
            Message::Sync(_, epoch, ..) => (5, epoch),
        };
        u64::from(*epoch) << 8 | kind
    }

    fn swapped(&self, one: usize, other: usize) -> Node {
        let states = if self.states.is_empty() { Vec::new() } else { swapped(&self.states, one, other) };
        Node {
            me: self.me.swapped(one, other),
            stored: swapped(&self.stored, one, other),
            states,
            ..self.clone()
        }
    }

    fn swapped_message(message: &Message, one: usize, other: usize) -> Message {
        let mut message = message.clone();
        if let Message::Ack(from, ..)
        | Message::Recover(from, ..)
        | Message::State(from, ..)
        | Message::Sync(from, ..) = &mut message
        {
            *from = swap(*from, one, other);
        }
        message
    }

    fn summary(&self) -> String {
        let role = if self.leads { "leads" } else { "follows" };
        format!("{role} in epoch {}, log {:?}, {} committed", self.epoch, self.log, self.committed)
    }
}

/// A system whose first node leads, with a client that writes once. Its goal: the write is over, and all nodes that are
/// up have the same log, all of it committed. Its safety property: no two nodes have committed different values.
pub fn system(shape: Shape) -> Machines<Node> {
    let agree = |view: &View<'_, Node>| {
        let over = view.n_requests_open() == 0 || !view.up().any(|(node, _)| node == 0);
        let mut up = view.up().map(|(_, node)| node);
        let whole = |node: &Node| node.committed == node.log.len();
        over && up
            .next()
            .is_none_or(|first| whole(first) && up.all(|node| whole(node) && node.log == first.log))
    };
    let prefix = |view: &View<'_, Node>| {
        let logs: Vec<&[u32]> =
            view.up().map(|(_, node)| &node.log[..node.committed.min(node.log.len())]).collect();
        logs.iter().all(|log| logs.iter().all(|other| log.starts_with(other) || other.starts_with(log)))
    };
    let properties = Properties {
        safety: vec![("committed logs agree".to_owned(), Box::new(prefix))],
        goal: Some(Box::new(agree)),
        sight: None,
    };
    crate::system(shape, Node::new, vec![(0, "write".to_owned(), vec![json!(7)])], properties)
}
