//! A node that is a pure state machine: no threads, no clock, no sockets.
//!
//! Whoever wants to test one says what it can do next and what doing it changes; [`InProcess`](crate::InProcess) makes a world of
//! several of them. Nothing has to be started, so thousands of cases run in a second.

use std::borrow::Cow;
use std::sync::Arc;

use kilter_system::Fault;
use serde_json::{Map, Value as Json};

use crate::world::NodeName;

/// A node as a pure state machine. Where it is also `Clone`, its whole world is, and can be put back to where it was.
pub trait Machine {
    /// What it can do by itself: a timeout, a step of its own.
    type Action: Clone + PartialEq;
    /// What it sends to others.
    type Message: Clone + PartialEq;

    /// What it could do now by itself, in an order that depends on its state only.
    fn actions(&self) -> Vec<Self::Action>;

    /// What an action is called.
    fn call(&self, action: &Self::Action) -> Call;

    /// Takes one of its [`Machine::actions`].
    fn act(&mut self, action: Self::Action, outbox: &mut Outbox<Self::Message>) -> Result<(), String>;

    /// What taking in a message is called; `None` if the machine would not take it in now.
    fn handler(&self, message: &Self::Message) -> Option<Call>;

    /// Takes in a message.
    fn handle(&mut self, message: Self::Message, outbox: &mut Outbox<Self::Message>) -> Result<(), String>;

    /// Does what it does not do by itself, such as taking a user's request.
    fn request(
        &mut self,
        action: &str,
        args: &[Json],
        outbox: &mut Outbox<Self::Message>,
    ) -> Result<(), String>;

    /// What it holds, by name.
    fn variables(&self) -> Map<String, Json>;

    /// What a message says.
    fn show(message: &Self::Message) -> Json;

    /// Comes up again after a crash: forgets all that was not stored.
    fn restart(&mut self) -> Result<(), String>;

    /// Suffers a fault that only the node itself can bring about. `false` if it knows nothing of it.
    fn suffer(&mut self, fault: Fault) -> bool {
        let _ = fault;
        false
    }
}

/// An action by its name, with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name.
    pub action: Cow<'static, str>,
    /// The arguments, in order.
    pub args: Vec<Json>,
}

impl Call {
    /// An action with arguments.
    pub fn new(action: impl Into<Cow<'static, str>>, args: impl Into<Vec<Json>>) -> Call {
        Call { action: action.into(), args: args.into() }
    }
}

/// Where a machine puts the messages that it sends.
#[derive(Debug)]
pub struct Outbox<T> {
    sent: Vec<(Addressee, T)>,
    names: Arc<[NodeName]>,
}

/// Whom a message is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// A node of this world, by its place among the names.
    Node(usize),
    /// A name that no node has.
    Nobody(NodeName),
}

impl<T> Outbox<T> {
    /// An empty one, in a world of these nodes.
    pub fn new(names: Arc<[NodeName]>) -> Outbox<T> {
        Outbox { sent: Vec::new(), names }
    }

    /// Sends a message to a node.
    pub fn send(&mut self, to: &str, message: T) {
        let place = self.names.iter().position(|name| **name == *to);
        self.sent.push((place.map_or_else(|| Addressee::Nobody(to.into()), Addressee::Node), message));
    }

    /// Sends a message to a node by its place among the names: quicker, for machines that keep places instead of names.
    pub fn send_to(&mut self, place: usize, message: T) {
        let nobody = || Addressee::Nobody(place.to_string().into());
        let to = if place < self.names.len() { Addressee::Node(place) } else { nobody() };
        self.sent.push((to, message));
    }

    /// All that was sent, in order.
    pub fn into_sent(self) -> Vec<(Addressee, T)> {
        self.sent
    }
}
