//! The state of one node, as far as the testbed knows it.

use std::collections::{BTreeMap, VecDeque};

use kilter_protocol::{Hello, Sent};
use serde_json::{Map, Value as Json};

use super::flights::Taken;
use crate::world::{NodeName, OfferId};

/// Whether a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Down,
    /// Its process runs, but it has not said hello yet.
    Starting,
    Up,
}

/// Something that a node was told to do and has not finished.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    /// The number that the node will answer with. Offers and requests are numbered separately.
    pub id: u64,
    pub is_request: bool,
    /// The action's name, for messages to people.
    pub action: String,
    /// The message that the action takes in, out of flight.
    pub taken: Option<Taken>,
}

/// What a node has announced in its hello.
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
    /// The offers that stand, by the node's own numbers. The value is `None` until the board has numbered the offer.
    pub standing: BTreeMap<u64, Option<OfferId>>,
    pub task: Option<Task>,
    pub still: bool,
    /// The number of messages from other nodes that have arrived, as the node says.
    pub received: u64,
    /// The number of messages that were sent to it, without those that were given up.
    pub expected: u64,
    /// The number of messages that were sent to it and were given up.
    pub given_up: u64,
    /// The messages that it lost in a crash and has not been given again yet.
    pub owed: VecDeque<(Option<NodeName>, Json)>,
    /// The number of lines that it has said since it was last told something.
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
            given_up: 0,
            owed: VecDeque::new(),
            said: 0,
        }
    }

    /// Resets the node, except for its manners. They decide what happens to messages for it while it is down.
    pub(super) fn leave(&mut self) {
        *self = Seat { manners: self.manners, ..Seat::new(self.name.clone()) };
    }

    pub(super) fn arrive(&mut self, hello: &Hello) {
        self.presence = Presence::Up;
        self.manners = Manners { says_still: hello.says_still, takes_delivery: hello.takes_delivery };
    }

    /// Whether the node will do nothing more without a command or a message.
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

    /// Whether the node only lacks messages that were sent to it.
    pub(super) fn lacks_messages_only(&self) -> bool {
        self.presence == Presence::Up && self.still && self.task.is_none() && self.received < self.expected
    }

    /// Stops waiting for messages that have not arrived. Returns how many.
    pub(super) fn give_messages_up(&mut self) -> u64 {
        let n_lost = self.expected - self.received;
        self.expected -= n_lost;
        self.given_up += n_lost;
        n_lost
    }

    /// Counts messages that were given up and have come after all, such as those that nobody read before. Otherwise they would pass for later
    /// ones, which nobody would wait for.
    pub(super) fn count_late_messages(&mut self) {
        let n_late = self.received.saturating_sub(self.expected).min(self.given_up);
        self.expected += n_late;
        self.given_up -= n_late;
    }

    /// What the node is doing, for a message that it does not finish.
    pub(super) fn doing(&self) -> String {
        match (&self.task, &self.variables) {
            _ if self.presence == Presence::Starting => "after its start".to_owned(),
            (Some(task), _) => format!("in `{}`", task.action),
            (None, None) => "after its hello".to_owned(),
            (None, Some(_)) => "about whether it stands still".to_owned(),
        }
    }

    /// Counts a message that another node has sent to it.
    pub(super) fn expect(&mut self, sent: &Sent, from: &NodeName) {
        if self.presence == Presence::Up && *sent.to != **from {
            self.expected += 1;
        }
    }
}
