//! A node that is a pure state machine: no threads, no clock, no sockets.
//!
//! A machine says what it can do next, and what changes when it does it. [`InProcess`](crate::InProcess) makes a world
//! of several machines. Nothing has to be started, so thousands of cases run in a second.

use std::borrow::Cow;
use std::sync::Arc;

use kilter_system::Fault;
use serde_json::{Map, Value as Json};

use crate::world::NodeName;

/// A node as a pure state machine. If it is also `Clone`, its whole world is, and can be put back into an earlier
/// state.
pub trait Machine {
    /// An action that it takes by itself, such as a timeout.
    type Action: Clone + PartialEq;
    /// A message to another node.
    type Message: Clone + PartialEq;

    /// The actions that it can take now. Their order must depend only on its state.
    fn actions(&self) -> Vec<Self::Action>;

    /// The name and the arguments of an action.
    fn call(&self, action: &Self::Action) -> Call;

    /// Takes one of its [`Machine::actions`]. An error counts as the end of the node.
    fn act(&mut self, action: Self::Action, outbox: &mut Outbox<Self::Message>) -> Result<(), String>;

    /// The name and the arguments of the action that takes in a message. `None` if the machine would not take it in
    /// now.
    fn handler(&self, message: &Self::Message) -> Option<Call>;

    /// Takes in a message. An error counts as the end of the node.
    fn handle(&mut self, message: Self::Message, outbox: &mut Outbox<Self::Message>) -> Result<(), String>;

    /// Does something that it does not do by itself, such as taking a user's request.
    fn request(
        &mut self,
        action: &str,
        args: &[Json],
        outbox: &mut Outbox<Self::Message>,
    ) -> Result<(), String>;

    /// Its variables, by name.
    fn variables(&self) -> Map<String, Json>;

    /// A message as JSON.
    fn show(message: &Self::Message) -> Json;

    /// Starts again after a crash, and forgets everything that was not stored.
    fn restart(&mut self) -> Result<(), String>;

    /// Suffers a fault that only the node itself can bring about. Returns `false` if it does not know this fault.
    fn suffer(&mut self, fault: Fault) -> bool {
        let _ = fault;
        false
    }
}

/// An action's name with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name of the action.
    pub action: Cow<'static, str>,
    /// The arguments, in order.
    pub args: Vec<Json>,
}

impl Call {
    /// Makes a call.
    pub fn new(action: impl Into<Cow<'static, str>>, args: impl Into<Vec<Json>>) -> Call {
        Call { action: action.into(), args: args.into() }
    }
}

/// Collects the messages that a machine sends.
#[derive(Debug)]
pub struct Outbox<T> {
    sent: Vec<(Addressee, T)>,
    names: Arc<[NodeName]>,
}

/// The receiver of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// A node of this world, by its index among the names.
    Node(usize),
    /// A name that no node has.
    Nobody(NodeName),
}

impl<T> Outbox<T> {
    /// Makes an empty outbox, in a world of these nodes.
    pub fn new(names: Arc<[NodeName]>) -> Outbox<T> {
        Outbox { sent: Vec::new(), names }
    }

    /// Sends a message to a node, by its name.
    pub fn send(&mut self, to: &str, message: T) {
        let place = self.names.iter().position(|name| **name == *to);
        self.sent.push((place.map_or_else(|| Addressee::Nobody(to.into()), Addressee::Node), message));
    }

    /// Sends a message to a node, by its index among the names. This is faster than `send`, for machines that keep
    /// indices and not names.
    pub fn send_to(&mut self, place: usize, message: T) {
        let nobody = || Addressee::Nobody(place.to_string().into());
        let to = if place < self.names.len() { Addressee::Node(place) } else { nobody() };
        self.sent.push((to, message));
    }

    /// All messages that were sent, in order.
    pub fn into_sent(self) -> Vec<(Addressee, T)> {
        self.sent
    }
}
