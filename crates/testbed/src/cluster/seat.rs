//! What the testbed knows of one node from what it has said.

use std::collections::{BTreeMap, VecDeque};

use kilter_protocol::{Hello, Sent};
use serde_json::{Map, Value as Json};

use crate::world::{NodeName, OfferId};

/// Whether a node is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Down,
    /// Its process runs, but it has not said hello.
    Starting,
    Up,
}

/// What a node was told and has not finished.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    /// The number that it will answer with. Offers and requests are numbered apart.
    pub id: u64,
    pub is_request: bool,
    /// For people: the action's name.
    pub action: String,
    /// The message that it takes in.
    pub message: Option<Json>,
}

/// What a node has said in its hello that it does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Manners {
    pub says_still: bool,
    pub takes_delivery: bool,
}

/// A node, as the testbed sees it.
pub(super) struct Seat {
    pub name: NodeName,
    pub presence: Presence,
    pub paused: bool,
    pub manners: Manners,
    pub variables: Option<Map<String, Json>>,
    /// The offers that stand, by the node's own numbers.
    pub standing: BTreeMap<u64, Option<OfferId>>,
    pub task: Option<Task>,
    pub still: bool,
    /// How many messages of others have arrived, as it says.
    pub received: u64,
    /// How many were sent to it.
    pub expected: u64,
    /// Messages that it lost when it crashed, and has not been given back yet.
    pub owed: VecDeque<(Option<NodeName>, Json)>,
    /// How many lines it has said since it was last told something.
    pub said: u64,
}

impl Seat {
    pub(super) fn new(name: NodeName) -> Seat {
        Seat {
            name,
            presence: Presence::Down,
            paused: false,
            manners: Manners::default(),
            variables: None,
            standing: BTreeMap::new(),
            task: None,
            still: false,
            received: 0,
            expected: 0,
            owed: VecDeque::new(),
            said: 0,
        }
    }

    /// Everything as before its first start, but its manners: they decide what becomes of messages for it while it is down.
    pub(super) fn leave(&mut self) {
        *self = Seat { manners: self.manners, ..Seat::new(self.name.clone()) };
    }

    pub(super) fn arrive(&mut self, hello: &Hello) {
        self.presence = Presence::Up;
        self.manners = Manners { says_still: hello.says_still, takes_delivery: hello.takes_delivery };
    }

    /// True if nothing more is to be expected of it but by a command or a message.
    pub(super) fn rests(&self) -> bool {
        match self.presence {
            Presence::Down => true,
            Presence::Starting => false,
            Presence::Up => {
                self.paused
                    || self.variables.is_some()
                        && self.task.is_none()
                        && self.owed.is_empty()
                        && (!self.manners.says_still || self.still && self.received >= self.expected)
            }
        }
    }

    /// True if all that is missing is messages that were sent to it.
    pub(super) fn lacks_messages_only(&self) -> bool {
        self.presence == Presence::Up && self.still && self.task.is_none() && self.received < self.expected
    }

    /// What it is doing, for a message that says that it does not finish.
    pub(super) fn doing(&self) -> String {
        match (&self.task, &self.variables) {
            _ if self.presence == Presence::Starting => "after its start".to_owned(),
            (Some(task), _) => format!("in `{}`", task.action),
            (None, None) => "after its hello".to_owned(),
            (None, Some(_)) => "about whether it stands still".to_owned(),
        }
    }

    /// Counts a message that was sent to it by another node.
    pub(super) fn expect(&mut self, sent: &Sent, from: &NodeName) {
        if self.presence == Presence::Up && *sent.to != **from {
            self.expected += 1;
        }
    }
}
