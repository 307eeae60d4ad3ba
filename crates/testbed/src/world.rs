//! A system under control: what it offers to do, and how it is told.
//!
//! Between two commands a world stands still: every node has offered what it can do next and waits. A message that has been sent
//! stays *in flight* until the action that takes it in has been let go, or until it is dropped.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kilter_system::Fault;
use serde_json::{Map, Value as Json};
use thiserror::Error;

/// The name of a node.
pub type NodeName = Arc<str>;

/// An offer, numbered by the world in the order of arrival; never used twice in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OfferId(pub u64);

/// An action that a node is about to take.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Who is about to take it.
    pub node: NodeName,
    /// Its name, as the node calls it.
    pub action: String,
    /// Its arguments.
    pub args: Vec<Json>,
    /// The message that it takes in.
    pub message: Option<Json>,
}

/// Messages under way that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// Who sent it, if that is known.
    pub from: Option<NodeName>,
    /// Who it is for.
    pub to: NodeName,
    /// What it says.
    pub message: Json,
    /// How many there are; at least 1.
    pub copies: u32,
}

/// What a world can be told.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Let an action go.
    Go(OfferId),
    /// Ask a node for something that it does not do by itself.
    Request {
        /// Whom to ask.
        node: NodeName,
        /// For what.
        action: String,
        /// With which arguments.
        args: Vec<Json>,
    },
    /// Run a program against the system, as a client of a node would.
    Run {
        /// Whose places are filled in.
        node: NodeName,
        /// The program and its arguments, with the places of the command that starts nodes.
        words: Vec<String>,
        /// What follows from it.
        until: Until,
    },
    /// Do something to the system.
    Fault(Fault, Target),
}

/// What a fault is done to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A node.
    Node(NodeName),
    /// The link between two nodes.
    Link(NodeName, NodeName),
    /// One copy of the message of an offer.
    Message(OfferId),
    /// One copy of a message for a node that is down, which can't offer to take it.
    Unread {
        /// Whom it is for.
        to: NodeName,
        /// What it says.
        message: Json,
    },
}

impl Command {
    /// Does something to a node.
    pub fn on_node(fault: Fault, node: impl Into<NodeName>) -> Command {
        Command::Fault(fault, Target::Node(node.into()))
    }

    /// Does something to the link between two nodes.
    pub fn on_link(fault: Fault, one: impl Into<NodeName>, other: impl Into<NodeName>) -> Command {
        Command::Fault(fault, Target::Link(one.into(), other.into()))
    }

    /// Does something to one copy of the message of an offer.
    pub fn on_message(fault: Fault, offer: OfferId) -> Command {
        Command::Fault(fault, Target::Message(offer))
    }

    /// Does something to one copy of a message for a node that is down.
    pub fn on_unread(fault: Fault, to: impl Into<NodeName>, message: Json) -> Command {
        Command::Fault(fault, Target::Unread { to: to.into(), message })
    }
}

/// When a program that was run against the system has done its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// When it has ended, which it must do by itself and with success.
    End,
    /// When a node offers something because of it. It may go on running until the system is stopped.
    Offer,
}

/// How waiting for something new ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// There is something new to look at.
    Changed,
    /// Every node waits and no message is on its way: nothing will ever come by itself.
    Still,
    /// Nothing came for as long as the world is patient, and the nodes do not say whether they wait.
    GaveUp,
}

/// What went wrong with the system under test.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Trouble {
    /// A node ended by itself.
    #[error("node {node} ended by itself ({how}){}", last_words(.output))]
    Exited {
        /// Which one.
        node: NodeName,
        /// Its exit code or signal.
        how: String,
        /// The last lines that it printed.
        output: String,
    },
    /// A node does not finish an action.
    #[error("node {node} said nothing for {} ms {doing}", .waited.as_millis())]
    Silent {
        /// Which one.
        node: NodeName,
        /// After or in what: "in `BecomeLeader`".
        doing: String,
        /// For how long.
        waited: Duration,
    },
    /// A node broke the protocol.
    #[error("node {node} broke the protocol: {reason}")]
    Protocol {
        /// Which one.
        node: NodeName,
        /// How.
        reason: String,
    },
    /// A program that was run against the system failed, or did not end.
    #[error("`{words}` {how}{}", last_words(.output))]
    Refused {
        /// The program and its arguments.
        words: String,
        /// Its exit code or signal, or how long it was waited for.
        how: String,
        /// The last lines that it printed.
        output: String,
    },
    /// A command that can't be carried out in this world, or not now.
    #[error("{0}")]
    Impossible(String),
    /// The system could not be started.
    #[error("{0}")]
    NotStarted(String),
    /// Somebody pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

impl Trouble {
    /// A fault that is not known where it was to be done, or can't strike that.
    pub fn no_such_fault(fault: Fault) -> Trouble {
        Trouble::Impossible(format!("the fault `{fault}` can't be brought about here"))
    }

    pub(crate) fn no_offer(id: OfferId) -> Trouble {
        Trouble::Impossible(format!("offer {} does not stand", id.0))
    }

    pub(crate) fn no_message(id: OfferId) -> Trouble {
        Trouble::Impossible(format!("offer {} takes in no message", id.0))
    }

    pub(crate) fn no_unread(node: &NodeName) -> Trouble {
        Trouble::Impossible(format!("node {node} is up, or no such message is under way to it"))
    }
}

/// The end of a message that quotes what a node has printed.
pub(crate) fn last_words(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!("; it last said:\n{output}") }
}

/// A system under control.
pub trait World {
    /// Starts afresh, with nothing left of what was before, and waits until the system stands still.
    fn start(&mut self) -> Result<(), Trouble>;

    /// What the nodes are about to do, by number.
    fn offers(&self) -> &BTreeMap<OfferId, Offer>;

    /// The messages under way: sent, and neither taken in nor dropped. In the order in which they were sent.
    fn flights(&self) -> &[Flight];

    /// What a node last reported; `None` while it is down.
    fn variables(&self, node: &str) -> Option<&Map<String, Json>>;

    /// Carries out a command, and waits until the system stands still again as far as it can tell.
    fn perform(&mut self, command: &Command) -> Result<(), Trouble>;

    /// Waits for something new.
    fn wait(&mut self) -> Result<Waited, Trouble>;

    /// Ends everything that was started, and removes what it left behind. Also happens on drop.
    fn stop(&mut self);

    /// How much of the time since the last [`World::start`] was spent waiting for a timeout to pass. Nothing where every node says
    /// when it waits.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }

    /// How much processor time this world itself has taken since it was made, its nodes aside. Nothing where the nodes are no processes.
    fn own_time(&self) -> Duration {
        Duration::ZERO
    }

    /// Hands over what was noted since the last time: what nodes wanted in the log, what was odd but did no harm.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }
}
