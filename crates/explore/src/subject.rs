//! A system under exploration: what can happen in it, what happening does, and what can be seen of it.
//!
//! The search knows systems by this trait only. [`Machines`](crate::Machines) are state machines in this process, put back by cloning;
//! a system that can't be cloned says so with [`Subject::mark`] and is put back by a new start and a replay.

use kilter_system::Struck;
use kilter_testbed::{Fault, Trouble};
use serde::{Deserialize, Serialize};

use crate::counts::Spent;

/// A system under exploration.
pub trait Subject {
    /// Something that can happen. Equal events in equal states have equal effects.
    type Event: Clone + Ord;
    /// What is kept to come back to a state.
    type Mark: Clone;

    /// The names of the nodes.
    fn nodes(&self) -> Vec<String>;

    /// How many nodes there are.
    fn n_nodes(&self) -> usize;

    /// Starts afresh.
    fn start(&mut self) -> Result<(), Trouble>;

    /// All that can happen now, faults aside, in their order.
    fn enabled(&self) -> Vec<Self::Event>;

    /// What is there but cannot happen now, such as a message that its receiver does not take in.
    fn blocked(&self) -> Vec<Self::Event> {
        Vec::new()
    }

    /// The faults that would destroy an event (Table 1 of the paper): a message by the crash of its sender or by the link, a local step
    /// by the crash of its node, a read or write by a crash or by the disk.
    fn faults(&self, event: &Self::Event) -> Vec<Self::Event>;

    /// Every fault that there could be now, in order.
    fn all_faults(&self) -> Vec<Self::Event>;

    /// Makes an event happen.
    fn perform(&mut self, event: &Self::Event) -> Result<(), Trouble>;

    /// Something to come back to this state with; `None` if that takes a new start.
    fn mark(&self) -> Option<Self::Mark>;

    /// Comes back.
    fn restore(&mut self, mark: &Self::Mark);

    /// What the search needs to know of an event.
    fn nature(&self, event: &Self::Event) -> Nature;

    /// The first safety property that is violated now.
    fn violated(&self) -> Option<String>;

    /// Whether the goal is reached now; `None` if there is no goal.
    fn reached(&self) -> Option<bool>;

    /// What the safety properties see of this state, as a hash: an event that changes it must not be moved across others that do.
    fn sight(&self) -> u64 {
        0
    }

    /// The state as a hash, as far as it can be seen.
    fn fingerprint(&self) -> u64;

    /// Whether equal [`Subject::fingerprint`]s mean equal states, but for bad luck.
    fn is_seen_whole(&self) -> bool {
        true
    }

    /// How well two events on peers can stand for each other.
    fn likeness(&self, one: &Self::Event, other: &Self::Event) -> Likeness;

    /// An event for people.
    fn describe(&self, event: &Self::Event) -> Described;

    /// What a node holds, in one short line.
    fn look(&self, node: usize) -> String;

    /// How long the system was at work, where that can be told from the search: processes and their testbed.
    fn spent(&self) -> Spent {
        Spent::default()
    }
}

/// What kind of thing an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A message is taken in.
    Delivery,
    /// A node does something by itself.
    Step,
    /// A timer fires.
    Timer,
    /// A node reads or writes what it has stored.
    Storage,
    /// A client asks for something.
    Request,
    /// A node that is down comes up again.
    Start,
    /// A fault.
    Fault,
}

/// What the search needs to know of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// What kind of thing it is.
    pub kind: Kind,
    /// Who brings it about: a message's sender, else the node itself (definition 11).
    pub actor: usize,
    /// Where it happens: a message's receiver, else the node itself (definition 10).
    pub target: usize,
    /// What it touches.
    pub footprint: Footprint,
    /// How many there are of it: equal messages under way are one event.
    pub copies: u32,
    /// Which fault it is, if it is one.
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

/// As many nodes as footprints can tell apart.
pub const NODES_MAX: usize = 63;

/// What an event reads and writes: two bits a node, one for what it holds and one for whether it is up; and one for what the safety
/// properties see, one for how many faults there have been. Nothing finer: whether a step is possible may depend on all that a node holds, and then two steps that touch
/// different parts of it can still make a difference to a third.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    /// What it reads, and does not write.
    #[serde(with = "as_text")]
    pub reads: u128,
    /// What it writes.
    #[serde(with = "as_text")]
    pub writes: u128,
    /// The message that it uses up, as a hash; 0 for none.
    pub message: u64,
}

/// JSON has no numbers of this size.
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
    /// What a node holds.
    pub fn body(node: usize) -> u128 {
        1 << (2 * node)
    }

    /// Whether a node is up.
    pub fn life(node: usize) -> u128 {
        2 << (2 * node)
    }

    /// All of a node.
    pub fn whole(node: usize) -> u128 {
        Self::body(node) | Self::life(node)
    }

    /// What the properties see.
    pub fn seen() -> u128 {
        1 << (2 * NODES_MAX)
    }

    /// How many faults there have been: where only so many may be, one fault can be what makes another impossible.
    pub fn budget() -> u128 {
        2 << (2 * NODES_MAX)
    }

    /// Everything that nodes hold, and whether they are up.
    pub fn everything() -> u128 {
        Self::seen() - 1
    }

    /// Whose being up a node's step depends on. What is sent to a node that is down is lost, which makes a difference if it can come up
    /// again.
    pub fn lives(node: usize, n_nodes: usize, recover: bool) -> u128 {
        let all = || (0..n_nodes).map(Self::life).fold(0, |all, life| all | life);
        if recover { all() } else { Self::life(node) }
    }

    /// True if the order of two events can make a difference.
    pub fn conflicts(&self, other: &Footprint) -> bool {
        let apart = self.writes & (other.reads | other.writes) == 0 && other.writes & self.reads == 0;
        !apart || (self.message != 0 && self.message == other.message)
    }
}

/// How well two events on peers can stand for each other; the later includes the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Not at all: other roles, other functions, other content.
    Different,
    /// By what the configuration claims: same role, same enabled functions, same content (definitions 8 and 9).
    Claimed,
    /// And the two nodes hold the same, up to their names.
    Alike,
    /// And exchanging the two nodes changes nothing in the whole system: one event leads to what the other leads to, up to names.
    Symmetric,
}

/// An event for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// What happens, in a few words.
    pub text: String,
    /// Where.
    pub target: usize,
    /// Where it came from, if from elsewhere.
    pub from: Option<usize>,
    /// True if it is a fault.
    pub fault: bool,
    /// True if the node is down afterwards.
    pub down: bool,
}

/// A fault for people, who should not miss it.
pub(crate) fn in_capitals(fault: Fault, what: &str) -> String {
    match fault {
        Fault::Drop => format!("LOST {what}"),
        Fault::Duplicate => format!("DOUBLED {what}"),
        Fault::Disk => format!("DISK ERROR in {what}"),
        other => format!("{} {what}", other.word().to_uppercase()),
    }
}
