//! The messages in both directions.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// A message from a node. On the wire it is an object with one field, named after the variant in lower case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum FromNode {
    /// The first line of a connection.
    Hello(Hello),
    /// The node is about to take an action, and waits to be let go.
    Offer(Offer),
    /// The node is no longer about to take an action, because its timer was disarmed or its role has changed.
    Withdraw {
        /// The number of the offer.
        id: u64,
    },
    /// An action that was let go has been taken, or its message has been dropped.
    Done(Done),
    /// The node's variables when no action has been taken, as after the start.
    Report {
        /// All variables of the node, by name.
        variables: Map<String, Json>,
    },
    /// The node has offered everything that it can do by itself. It waits for the testbed and for messages of other
    /// nodes.
    Still {
        /// The number of messages of other nodes (not of the testbed) that have arrived since the node started.
        received: u64,
    },
    /// Something for the run's log.
    Note {
        /// The text, in one line.
        text: String,
    },
}

/// What a node says about itself when it connects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The version of the protocol that it speaks: [`VERSION`].
    pub version: u32,
    /// Its name, as the testbed gave it in the environment.
    pub node: String,
    /// The run's token, as the testbed gave it in the environment.
    pub token: String,
    /// Whether the node says [`FromNode::Still`] whenever it waits. Then the testbed needs no timeouts.
    #[serde(default)]
    pub says_still: bool,
    /// Whether the node takes [`ToNode::Deliver`]. Then messages survive a crash of their receiver.
    #[serde(default)]
    pub takes_delivery: bool,
}

/// An action that a node is about to take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// The number of the offer. The node chooses it, and it is new for each offer of a connection.
    pub id: u64,
    /// The action's name.
    pub action: String,
    /// Its arguments, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Json>,
    /// The message that the action takes in, if it takes one in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Json>,
}

/// An action that has been taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The number of the offer or of the request.
    pub id: u64,
    /// All variables of the node now, by name.
    pub variables: Map<String, Json>,
    /// The messages that the action has sent.
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
    /// The name of the receiver.
    pub to: String,
    /// The content of the message.
    pub message: Json,
}

/// A message to a node. On the wire it is an object with one field, named after the variant in lower case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ToNode {
    /// The answer to [`FromNode::Hello`].
    Welcome {
        /// The version of the protocol that the testbed speaks.
        version: u32,
    },
    /// Take the action.
    Go {
        /// The number of the offer.
        id: u64,
    },
    /// Forget the message of this offer, as if the network had lost it, and say [`FromNode::Done`].
    Drop {
        /// The number of the offer.
        id: u64,
    },
    /// Take the action, say [`FromNode::Done`], then offer the same message once more under a new number.
    Twice {
        /// The number of the offer.
        id: u64,
    },
    /// Do something that the node does not do by itself, such as a user's request or a timer that fires. The node then
    /// says [`FromNode::Done`].
    Request(Request),
    /// Take in a message as if the sender had just sent it. It was lost when this node crashed or was down.
    Deliver {
        /// The name of the sender.
        from: String,
        /// The content of the message.
        message: Json,
    },
    /// End the process now.
    Stop {},
}

/// Something that a node is asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The number of the request. The testbed chooses it; requests and offers are numbered separately.
    pub id: u64,
    /// The name of the request.
    pub action: String,
    /// Its arguments, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Json>,
}
