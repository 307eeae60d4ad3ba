//! A state machine that can be explored: a [`Machine`] that tells the search a little more.

use std::hash::Hash;

use kilter_testbed::{Machine, Outbox};
use serde_json::Value as Json;

use crate::subject::Kind;

/// A node's state machine, with what exploring needs beyond testing. Most methods have defaults.
pub trait Peer:
    Machine<Action: Ord + Hash + Send + Sync, Message: Ord + Hash + Send + Sync>
    + Clone
    + Hash
    + Send
    + Sync
    + 'static
{
    /// What it does when it is started for the first time.
    fn wake(&mut self, outbox: &mut Outbox<Self::Message>) -> Result<(), String> {
        let _ = outbox;
        Ok(())
    }

    /// Whether it would take in a message now.
    fn accepts(&self, message: &Self::Message) -> bool {
        self.handler(message).is_some()
    }

    /// Whether it would accept a client's request now.
    fn takes(&self, action: &str, args: &[Json]) -> bool {
        let _ = (action, args);
        true
    }

    /// The kind of one of its actions: [`Kind::Step`], [`Kind::Timer`] or [`Kind::Storage`].
    fn kind(action: &Self::Action) -> Kind {
        let _ = action;
        Kind::Step
    }

    /// Takes an action of kind [`Kind::Storage`] during which the disk fails.
    fn fail(&mut self, action: &Self::Action, outbox: &mut Outbox<Self::Message>) -> Result<(), String> {
        let _ = (action, outbox);
        Ok(())
    }

    /// Its present role. Only nodes with equal roles are peers.
    fn role(&self) -> u64 {
        0
    }

    /// A number for what it can do, to compare peers (definition 8). Equal numbers mean the same functions. If `None`,
    /// the names of the actions that it offers now are compared, and the content of the messages for it.
    fn functions(&self) -> Option<u64> {
        None
    }

    /// A number for what a message is about, to compare messages to peers (definition 9). Equal numbers mean the same
    /// content.
    fn content(message: &Self::Message) -> u64;

    /// The other node that an action is directed at (definition 10). `None` if there is none.
    fn aim(action: &Self::Action) -> Option<usize> {
        let _ = action;
        None
    }

    /// The same node in a world in which two nodes have exchanged their indices.
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

/// The index `place` after `one` and `other` were exchanged.
pub fn swap(place: usize, one: usize, other: usize) -> usize {
    if place == one {
        other
    } else if place == other {
        one
    } else {
        place
    }
}
