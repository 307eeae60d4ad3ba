//! Which part of a state and of a step a node can see.
//!
//! Nodes share nothing but messages, so what a node does depends on its own part of the state, on the message that it takes in, and on what it
//! is asked for. The mapping says which part that is.

use std::collections::BTreeMap;

use kilter_value::Value;

/// What nodes can see.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Of each variable. One that is not here is seen as a whole.
    pub variables: BTreeMap<String, Sight>,
    /// Which node takes the steps of each action. An action that is not here may belong to any node.
    pub actions: BTreeMap<String, Actor>,
}

/// What a node can see of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Its own part of a function of nodes; all of anything else.
    Own,
    /// All of it, if it is this node, as the specification writes it; nothing otherwise.
    At(String),
    /// All of it.
    Whole,
    /// The messages that it takes in and sends: keys of a function that counts them.
    Bag,
    /// The same, where messages are in a set.
    Set,
    /// Nothing: it only bounds the model.
    Nothing,
}

impl Sight {
    /// Whether it is about messages under way.
    pub fn is_of_messages(&self) -> bool {
        matches!(self, Sight::Bag | Sight::Set)
    }
}

/// Who takes the steps of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The node.
    pub node: Actors,
    /// The parameter that is the message.
    pub message: Option<usize>,
    /// Whether it matters how often it has happened, or what else there is besides nodes.
    pub counts: bool,
    /// Whether nodes offer it, and must not where the specification has no such step.
    pub is_offered: bool,
}

/// The node of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actors {
    /// An argument, or a part of it, says which.
    Part(usize, Vec<String>),
    /// Always this one, as the specification writes it.
    Fixed(String),
    /// None: something happens to a message on its way.
    Nobody,
}

/// A message, and its shape: the names of its fields. Code tells messages apart by what they are, and those of one kind have the same fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// The message.
    pub value: Value,
    /// The names of its fields; `None` if it has none.
    pub shape: Option<Value>,
}

/// A message under way, and the number of the node that it is for.
pub type Arrival = (usize, Message);
