//! A system under exploration: its events, their effects, and what can be seen of it.
//!
//! The search uses systems only through this trait. [`Machines`](crate::Machines) are state machines in this process
//! and are restored by cloning. For a system that can't be cloned, [`Subject::mark`] returns `None`, and the search
//! restores it by a new start and a replay.

use kilter_system::Struck;
use kilter_testbed::{Fault, Trouble};
use serde::{Deserialize, Serialize};

use crate::counts::Spent;

/// A system under exploration.
pub trait Subject {
    /// An event. Equal events in equal states must have equal effects.
    type Event: Clone + Ord;
    /// What is kept to restore a state.
    type Mark: Clone;

    /// The names of the nodes.
    fn nodes(&self) -> Vec<String>;

    /// The number of nodes.
    fn n_nodes(&self) -> usize;

    /// Starts in the initial state.
    fn start(&mut self) -> Result<(), Trouble>;

    /// All events that are possible now, without faults, in order.
    fn enabled(&self) -> Vec<Self::Event>;

    /// Events that exist but are not possible now, such as messages that their receivers do not take in.
    fn blocked(&self) -> Vec<Self::Event> {
        Vec::new()
    }

    /// The faults that would destroy an event (Table 1 of the paper). The crash of its sender or a fault of the link
    /// destroys a message, the crash of its node destroys a local step, and a crash or a fault of the disk destroys a
    /// read or write.
    fn faults(&self, event: &Self::Event) -> Vec<Self::Event>;

    /// Every fault that is possible now, in order.
    fn all_faults(&self) -> Vec<Self::Event>;

    /// Makes an event happen.
    fn perform(&mut self, event: &Self::Event) -> Result<(), Trouble>;

    /// A mark from which this state can be restored. `None` if that takes a new start.
    fn mark(&self) -> Option<Self::Mark>;

    /// Restores the state of a mark.
    fn restore(&mut self, mark: &Self::Mark);

    /// What the search needs to know about an event.
    fn nature(&self, event: &Self::Event) -> Nature;

    /// The name of the first safety property that is violated now.
    fn violated(&self) -> Option<String>;

    /// Whether the goal is reached now; `None` if there is no goal.
    fn reached(&self) -> Option<bool>;

    /// A hash of what the safety properties see of this state. An event that changes it must not be moved across
    /// another one that does.
    fn sight(&self) -> u64 {
        0
    }

    /// A hash of the state, as far as it can be seen.
    fn fingerprint(&self) -> u64;

    /// Whether equal [`Subject::fingerprint`]s mean equal states, apart from collisions.
    fn is_seen_whole(&self) -> bool {
        true
    }

    /// How well two events on peers can stand for each other.
    fn likeness(&self, one: &Self::Event, other: &Self::Event) -> Likeness;

    /// An event as text for people.
    fn describe(&self, event: &Self::Event) -> Described;

    /// What a node holds, in one short line.
    fn look(&self, node: usize) -> String;

    /// Keeps what the nodes of the sequence that was just walked along leave behind, if somebody wants it.
    fn keep(&self, _schedule: &str) -> Result<(), Trouble> {
        Ok(())
    }

    /// Takes the notes since the last call: what nodes wanted in the log, and what was odd but did no harm.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Writes what the nodes of the sequence that was just walked along have printed and said, if somebody wants it.
    /// Returns the folder, relative to that of the record. `None` if there is nothing, or it can't be written.
    fn log(&self, _schedule: &str) -> Option<String> {
        None
    }

    /// How long the system itself was at work. Only systems of processes can tell.
    fn spent(&self) -> Spent {
        Spent::default()
    }
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A node takes in a message.
    Delivery,
    /// A node takes an action by itself.
    Step,
    /// A timer fires.
    Timer,
    /// A node reads or writes what it has stored.
    Storage,
    /// A client makes a request.
    Request,
    /// A node that is down starts again.
    Start,
    /// A fault.
    Fault,
}

/// What the search needs to know about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// The kind of the event.
    pub kind: Kind,
    /// The node that brings it about: the sender of a message, or else the node itself (definition 11).
    pub actor: usize,
    /// The node at which it happens: the receiver of a message, or else the node itself (definition 10).
    pub target: usize,
    /// What it reads and writes.
    pub footprint: Footprint,
    /// The number of copies: equal messages in flight are one event.
    pub copies: u32,
    /// The fault, if the event is one.
    pub fault: Option<Fault>,
}

/// The faults that a search can bring about. Those that destroy no event happen only where faults are tried anywhere.
pub fn searched_faults() -> impl Iterator<Item = Fault> {
    Fault::ALL.into_iter().filter(|fault| fault.is_searched())
}

/// The faults that strike a node which is up.
pub(crate) fn node_faults() -> impl Iterator<Item = Fault> + Clone {
    Fault::ALL.into_iter().filter(|fault| fault.is_searched() && fault.strikes() == Struck::Node)
}

/// The most nodes that footprints can tell apart.
pub const NODES_MAX: usize = 63;

/// What an event reads and writes. There are two bits for each node, one for what it holds and one for whether it is
/// up; one bit for what the safety properties see; and one for the number of faults. Finer bits would be wrong: whether
/// a step is possible may depend on all that a node holds, and then two steps that touch different parts of it can
/// still make a difference to a third.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    /// What it reads and does not write.
    #[serde(with = "as_text")]
    pub reads: u128,
    /// What it writes.
    #[serde(with = "as_text")]
    pub writes: u128,
    /// A hash of the message that it uses up. 0 if there is none.
    pub message: u64,
}

/// JSON has no numbers of this size, so they are written as text.
mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bits: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(bits)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<u128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Footprint {
    /// The bit for what a node holds.
    pub fn body(node: usize) -> u128 {
        1 << (2 * node)
    }

    /// The bit for whether a node is up.
    pub fn life(node: usize) -> u128 {
        2 << (2 * node)
    }

    /// Both bits of a node.
    pub fn whole(node: usize) -> u128 {
        Self::body(node) | Self::life(node)
    }

    /// The bit for what the safety properties see.
    pub fn seen() -> u128 {
        1 << (2 * NODES_MAX)
    }

    /// The bit for the number of faults. As the number is limited, one fault can make another impossible.
    pub fn budget() -> u128 {
        2 << (2 * NODES_MAX)
    }

    /// All bits of all nodes.
    pub fn everything() -> u128 {
        Self::seen() - 1
    }

    /// The bits of the nodes that must be up for a node's step to have the same effect. A message to a node that is
    /// down is lost, which makes a difference if that node can start again.
    pub fn lives(node: usize, n_nodes: usize, recover: bool) -> u128 {
        let all = || (0..n_nodes).map(Self::life).fold(0, |all, life| all | life);
        if recover { all() } else { Self::life(node) }
    }

    /// Whether the order of two events can make a difference.
    pub fn conflicts(&self, other: &Footprint) -> bool {
        let apart = self.writes & (other.reads | other.writes) == 0 && other.writes & self.reads == 0;
        !apart || (self.message != 0 && self.message == other.message)
    }
}

/// How well two events on peers can stand for each other. Each degree includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Not at all: the roles, the functions or the contents differ.
    Different,
    /// By what the configuration claims: the same role, the same enabled functions, the same content (definitions 8 and
    /// 9).
    Claimed,
    /// Also, the two nodes hold the same, up to their names.
    Alike,
    /// Also, exchanging the two nodes changes nothing in the whole system. Both events lead to the same, up to names.
    Symmetric,
}

/// An event as it is shown to people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// What happens, in a few words.
    pub text: String,
    /// The index of the node at which it happens.
    pub target: usize,
    /// The index of the node that it came from, if that is another one.
    pub from: Option<usize>,
    /// Whether it is a fault.
    pub fault: bool,
    /// Whether the node is down afterwards.
    pub down: bool,
}

/// A fault as text for people, in capitals so that nobody misses it.
pub(crate) fn in_capitals(fault: Fault, what: &str) -> String {
    match fault {
        Fault::Drop => format!("LOST {what}"),
        Fault::Duplicate => format!("DOUBLED {what}"),
        Fault::Disk => format!("DISK ERROR in {what}"),
        other => format!("{} {what}", other.word().to_uppercase()),
    }
}
