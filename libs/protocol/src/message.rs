//! The messages: what nodes say, and what they are told.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The version of the protocol that is spoken here.
pub const VERSION: u32 = 1;

/// What a node says. On the wire an object with one field, named after the variant in lower case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum FromNode {
    /// The first line of a connection.
    Hello(Hello),
    /// The node is about to take an action, and waits to be told.
    Offer(Offer),
    /// The node is no longer about to take an action: its timer was disarmed, its role has changed.
    Withdraw {
        /// The offer's number.
        id: u64,
    },
    /// An action that was let go has been taken, or its message has been dropped.
    Done(Done),
    /// The node's variables when no action has been taken: after the start.
    Report {
        /// All variables that the node holds, by name.
        variables: Map<String, Json>,
    },
    /// The node has offered all that it can do by itself. It waits for the testbed and for messages of other nodes.
    Still {
        /// How many messages of other nodes (not of the testbed) have arrived since the node started.
        received: u64,
    },
    /// Something for the run's log.
    Note {
        /// One line.
        text: String,
    },
}

/// What a node says about itself when it connects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The protocol that it speaks: [`VERSION`].
    pub version: u32,
    /// Its name, as the testbed gave it in the environment.
    pub node: String,
    /// The run's token, as the testbed gave it in the environment.
    pub token: String,
    /// True if the node says [`FromNode::Still`] whenever it waits. Then nothing has to be decided by a timeout.
    #[serde(default)]
    pub says_still: bool,
    /// True if the node takes [`ToNode::Deliver`]. Then messages outlive the crash of the node that they were for.
    #[serde(default)]
    pub takes_delivery: bool,
}

/// An action that a node is about to take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// Chosen by the node, new for each offer of a connection.
    pub id: u64,
    /// The action's name.
    pub action: String,
    /// Its arguments, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Json>,
    /// The message that the action takes in, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Json>,
}

/// An action that has been taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The offer's or the request's number.
    pub id: u64,
    /// All variables that the node holds now, by name.
    pub variables: Map<String, Json>,
    /// The messages that the action sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<Sent>,
    /// True if the node does not know what the testbed has asked for, and has done nothing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unknown: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(truth: &bool) -> bool {
    !*truth
}

/// A message that was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The node that it is for.
    pub to: String,
    /// What it says.
    pub message: Json,
}

/// What a node is told. On the wire an object with one field, named after the variant in lower case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ToNode {
    /// The answer to [`FromNode::Hello`].
    Welcome {
        /// The protocol that the testbed speaks.
        version: u32,
    },
    /// Take the action.
    Go {
        /// The offer's number.
        id: u64,
    },
    /// Forget the message of this offer, as if the network had lost it, and say [`FromNode::Done`].
    Drop {
        /// The offer's number.
        id: u64,
    },
    /// Take the action, say [`FromNode::Done`], then offer the same message once more under a new number.
    Twice {
        /// The offer's number.
        id: u64,
    },
    /// Do something that the node does not do by itself: a user's request, a timer that is fired. The node says [`FromNode::Done`].
    Request(Request),
    /// Take in a message as if the sender had just sent it: it was lost when this node crashed, or was down.
    Deliver {
        /// Who sent it.
        from: String,
        /// What it says.
        message: Json,
    },
    /// End now.
    Stop {},
}

/// Something that a node is asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Chosen by the testbed; apart from the numbers of offers.
    pub id: u64,
    /// What to do.
    pub action: String,
    /// With which arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Json>,
}
