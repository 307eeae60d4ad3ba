//! Says which part of a state and of a step a node can see.
//!
//! Nodes share nothing but messages. So what a node does depends on its own part of the state, on the message that it
//! receives, and on what it is asked to do. The mapping says which part that is.

use std::collections::BTreeMap;

use kilter_value::Value;

/// What nodes can see.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// What a node can see of each variable. A variable that is not listed is seen as [`Sight::Own`].
    pub variables: BTreeMap<String, Sight>,
    /// Which node takes the steps of each action. An action that is not listed may belong to any node.
    pub actions: BTreeMap<String, Actor>,
}

/// What a node can see of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// If the variable is a function of nodes, the node's own part. Otherwise the whole variable.
    Own,
    /// The whole variable if the node is this one, written as in the specification. Otherwise nothing.
    At(String),
    /// The whole variable.
    Whole,
    /// The messages that the node receives and sends. The variable maps each message to its number of copies.
    Bag,
    /// The messages that the node receives and sends. The variable is a set of messages.
    Set,
    /// Nothing. The variable only bounds the model.
    Nothing,
}

impl Sight {
    /// Whether the variable holds messages under way.
    pub fn is_of_messages(&self) -> bool {
        matches!(self, Sight::Bag | Sight::Set)
    }
}

/// Who takes the steps of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// How to find the node.
    pub node: Actors,
    /// The parameter that is the message that the node receives, by index.
    pub message: Option<usize>,
    /// Whether a step also depends on variables that only bound the model, such as counters.
    pub counts: bool,
    /// Whether nodes offer the action. They must not offer it where the specification has no such step.
    pub is_offered: bool,
}

/// The node of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actors {
    /// The argument with this index says which node, or a part of the argument does. The names are the path to the
    /// part.
    Part(usize, Vec<String>),
    /// Always this node, written as in the specification.
    Fixed(String),
    /// No node. Something happens to a message under way.
    Nobody,
}

/// A message and its shape, which is the set of its field names. Messages of one kind have the same fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The message.
    pub value: Value,
    /// The names of the fields. `None` if the message has no fields.
    pub shape: Option<Value>,
}

/// A message under way: the number of the node that it is for, and the message.
pub type Arrival = (usize, Message);
