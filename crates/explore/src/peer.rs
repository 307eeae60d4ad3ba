//! A state machine that can be explored: a [`Machine`] of which the search can know a little more.

use std::hash::Hash;

use kilter_testbed::{Machine, Outbox};
use serde_json::Value as Json;

use crate::subject::Kind;

/// A node's state machine, with what exploring needs beyond testing. Everything has a default but renaming.
pub trait Peer:
    Machine<Action: Ord + Hash + Send + Sync, Message: Ord + Hash + Send + Sync>
    + Clone
    + Hash
    + Send
    + Sync
    + 'static
{
    /// What it does as soon as it is started for the first time.
    fn wake(&mut self, outbox: &mut Outbox<Self::Message>) -> Result<(), String> {
        let _ = outbox;
        Ok(())
    }

    /// Whether it would take in a message now.
    fn accepts(&self, message: &Self::Message) -> bool {
        self.handler(message).is_some()
    }

    /// Whether it would take a client's request now.
    fn takes(&self, action: &str, args: &[Json]) -> bool {
        let _ = (action, args);
        true
    }

    /// What kind of thing one of its actions is: [`Kind::Step`], [`Kind::Timer`] or [`Kind::Storage`].
    fn kind(action: &Self::Action) -> Kind {
        let _ = action;
        Kind::Step
    }

    /// Takes an action of kind [`Kind::Storage`] whose disk fails.
    fn fail(&mut self, action: &Self::Action, outbox: &mut Outbox<Self::Message>) -> Result<(), String> {
        let _ = (action, outbox);
        Ok(())
    }

    /// What it is for now. Only nodes of equal roles are peers.
    fn role(&self) -> u64 {
        0
    }

    /// What it can do, when peers are compared (definition 8). Equal numbers, same functions. `None` for the names of the actions that it
    /// offers now, and the content of the messages that are on their way to it.
    fn functions(&self) -> Option<u64> {
        None
    }

    /// What a message is about, when messages to peers are compared (definition 9). Equal numbers, same content.
    fn content(message: &Self::Message) -> u64;

    /// The node that an action is directed at, if that is another (definition 10).
    fn aim(action: &Self::Action) -> Option<usize> {
        let _ = action;
        None
    }

    /// The same node in a world where two nodes have exchanged their names (places).
    #[must_use]
    fn swapped(&self, one: usize, other: usize) -> Self;

    /// The same message in such a world.
    fn swapped_message(message: &Self::Message, one: usize, other: usize) -> Self::Message;

    /// The same action in such a world.
    fn swapped_action(action: &Self::Action, one: usize, other: usize) -> Self::Action {
        let _ = (one, other);
        action.clone()
    }

    /// What it holds, in one short line for people.
    fn summary(&self) -> String {
        Json::Object(self.variables()).to_string()
    }
}

/// A place after two have been exchanged.
pub fn swap(place: usize, one: usize, other: usize) -> usize {
    if place == one {
        other
    } else if place == other {
        one
    } else {
        place
    }
}
