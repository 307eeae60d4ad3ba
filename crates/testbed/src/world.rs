//! A system under control: what it offers to do, and the commands that it takes.
//!
//! Between two commands a world stands still: every node has offered what it can do next, and waits. A message that was
//! sent stays *in flight* until the action that takes it in is let go, or until it is dropped.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kilter_system::Fault;
use serde_json::{Map, Value as Json};
use thiserror::Error;

/// The name of a node.
pub type NodeName = Arc<str>;

/// The number of an offer. A world numbers offers in the order of arrival and never uses a number twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OfferId(pub u64);

/// An action that a node is about to take.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The node that will take it.
    pub node: NodeName,
    /// Its name in the node's program.
    pub action: String,
    /// Its arguments, in order.
    pub args: Vec<Json>,
    /// The message that the action takes in.
    pub message: Option<Json>,
}

/// Messages in flight that are equal.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// The sender, if it is known.
    pub from: Option<NodeName>,
    /// The receiver.
    pub to: NodeName,
    /// The content of the message.
    pub message: Json,
    /// The number of copies, at least 1.
    pub copies: u32,
}

/// A command to a world.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Lets an action go.
    Go(OfferId),
    /// Asks a node for something that it does not do by itself.
    Request {
        /// The node to ask.
        node: NodeName,
        /// The name of the request.
        action: String,
        /// Its arguments, in order.
        args: Vec<Json>,
    },
    /// Runs a program against the system, as a client of a node would.
    Run {
        /// The node whose values are filled in for places.
        node: NodeName,
        /// The program and its arguments. They have the same places as the command that starts nodes.
        words: Vec<String>,
        /// When the program has done its part.
        until: Until,
    },
    /// Brings a fault about.
    Fault(Fault, Target),
}

/// What a fault strikes.
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
        /// The receiver, which is down.
        to: NodeName,
        /// The content of the message.
        message: Json,
    },
}

impl Command {
    /// A fault that strikes a node.
    pub fn on_node(fault: Fault, node: impl Into<NodeName>) -> Command {
        Command::Fault(fault, Target::Node(node.into()))
    }

    /// A fault that strikes the link between two nodes.
    pub fn on_link(fault: Fault, one: impl Into<NodeName>, other: impl Into<NodeName>) -> Command {
        Command::Fault(fault, Target::Link(one.into(), other.into()))
    }

    /// A fault that strikes one copy of an offer's message.
    pub fn on_message(fault: Fault, offer: OfferId) -> Command {
        Command::Fault(fault, Target::Message(offer))
    }

    /// A fault that strikes one copy of a message for a node that is down.
    pub fn on_unread(fault: Fault, to: impl Into<NodeName>, message: Json) -> Command {
        Command::Fault(fault, Target::Unread { to: to.into(), message })
    }
}

/// When a program that is run against the system has done its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// When it has ended. It must end by itself and with success.
    End,
    /// When a node offers something because of it. It may go on running until the system is stopped.
    Offer,
}

/// How a wait for something new ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// There is something new.
    Changed,
    /// Every node waits, and no message is in flight. Nothing will come by itself.
    Still,
    /// Nothing came within the patience of the world, and the nodes do not say whether they wait.
    GaveUp,
}

/// What went wrong with the system under test, or with a command.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Trouble {
    /// A node ended without being told to.
    #[error("node {node} ended by itself ({how}){}", last_words(.output))]
    Exited {
        /// The node that ended.
        node: NodeName,
        /// Its exit code or signal.
        how: String,
        /// The last lines that it printed.
        output: String,
    },
    /// A node does not finish an action.
    #[error("node {node} said nothing for {} ms {doing}", .waited.as_millis())]
    Silent {
        /// The node that ended.
        node: NodeName,
        /// What it was doing, such as "in `BecomeLeader`".
        doing: String,
        /// How long the world has waited.
        waited: Duration,
    },
    /// A node broke the protocol.
    #[error("node {node} broke the protocol: {reason}")]
    Protocol {
        /// The node that ended.
        node: NodeName,
        /// What is wrong.
        reason: String,
    },
    /// A node does not stand still, though it says that it is alive.
    #[error("node {node} does not come to rest: {reason}")]
    Restless {
        /// The node that is busy.
        node: NodeName,
        /// How long the world has waited, and what the node last said.
        reason: String,
    },
    /// A program that was run against the system failed, or did not end.
    #[error("`{words}` {how}{}", last_words(.output))]
    Refused {
        /// The program and its arguments.
        words: String,
        /// Its exit code or signal, or how long the world has waited for its end.
        how: String,
        /// The last lines that it printed.
        output: String,
    },
    /// The command can't be carried out in this world, or not now.
    #[error("{0}")]
    Impossible(String),
    /// The system could not be started.
    #[error("{0}")]
    NotStarted(String),
    /// The user or another thread has asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Trouble {
    /// The trouble for a fault that can't be brought about here, or can't strike this target.
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

/// The end of an error message, which quotes what a node has printed.
pub(crate) fn last_words(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!("; it last said:\n{output}") }
}

/// A system under control.
pub trait World {
    /// Starts the system in its initial state, and waits until it stands still.
    fn start(&mut self) -> Result<(), Trouble>;

    /// The actions that nodes offer to take, by number.
    fn offers(&self) -> &BTreeMap<OfferId, Offer>;

    /// The messages in flight, in the order in which they were sent.
    fn flights(&self) -> &[Flight];

    /// The variables that a node last reported. `None` while it is down.
    fn variables(&self, node: &str) -> Option<&Map<String, Json>>;

    /// Carries out a command, and waits until the system stands still again, as far as it can tell.
    fn perform(&mut self, command: &Command) -> Result<(), Trouble>;

    /// Waits for something new.
    fn wait(&mut self) -> Result<Waited, Trouble>;

    /// Ends everything that was started, and removes what it left behind. Dropping the world does the same.
    fn stop(&mut self);

    /// How much of the time since the last [`World::start`] was spent waiting for a timeout to pass. Zero if every node
    /// says when it waits.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }

    /// The processor time that this world itself has used since it was made, without its nodes. Zero if the nodes are
    /// not processes.
    fn own_time(&self) -> Duration {
        Duration::ZERO
    }

    /// Copies what the nodes have written and printed into a new directory, with one for each node. Does nothing if the
    /// nodes are not processes.
    fn keep(&self, dir: &Path) -> io::Result<()> {
        let _ = dir;
        Ok(())
    }

    /// Whether there is something for [`World::write_logs`] to write.
    fn has_logs(&self) -> bool {
        false
    }

    /// Writes what the nodes have printed since the last [`World::start`], and what they have said and were told, into
    /// a directory. Does nothing if the nodes are not processes.
    fn write_logs(&self, dir: &Path) -> io::Result<()> {
        let _ = dir;
        Ok(())
    }

    /// Takes the notes since the last call: what nodes wanted in the log, and what was odd but did no harm.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }
}
