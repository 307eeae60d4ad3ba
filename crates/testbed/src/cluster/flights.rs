//! The messages in flight between the nodes of a cluster.

use serde_json::Value as Json;

use crate::world::{Flight, NodeName};

/// The messages that were sent and that were neither taken in nor dropped.
#[derive(Default)]
pub(super) struct Flights {
    all: Vec<Flight>,
    /// For each flight, how many of its copies the testbed has added. The node knows only of the others.
    added: Vec<u32>,
}

/// The kind of a copy that was taken out of flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copy {
    /// The node holds this copy under the offer.
    Held,
    /// The testbed has added a copy. The node knows only of one message.
    Added,
}

impl Flights {
    pub(super) fn all(&self) -> &[Flight] {
        &self.all
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.added.clear();
    }

    pub(super) fn send(&mut self, from: Option<NodeName>, to: NodeName, message: Json) {
        let alike =
            |flight: &&mut Flight| flight.from == from && flight.to == to && flight.message == message;
        match self.all.iter_mut().find(alike) {
            Some(flight) => flight.copies += 1,
            None => {
                self.all.push(Flight { from, to, message, copies: 1 });
                self.added.push(0);
            }
        }
    }

    /// Takes one copy of a message out of flight. Its link must not be cut, which `held` decides.
    pub(super) fn take(&mut self, to: &str, message: &Json, held: impl Fn(&Flight) -> bool) -> Copy {
        let fits = |flight: &Flight| *flight.to == *to && flight.message == *message && !held(flight);
        let Some(index) = self.all.iter().position(fits) else { return Copy::Held };
        self.all[index].copies -= 1;
        if self.added[index] > 0 {
            self.added[index] -= 1;
            return Copy::Added;
        }
        if self.all[index].copies == 0 {
            self.all.remove(index);
            self.added.remove(index);
        }
        Copy::Held
    }

    /// Adds a copy of a message.
    pub(super) fn double(&mut self, to: &str, message: &Json) {
        let fits = |flight: &Flight| *flight.to == *to && flight.message == *message;
        if let Some(index) = self.all.iter().position(fits) {
            self.all[index].copies += 1;
            self.added[index] += 1;
        }
    }

    /// The number of copies of a message that its receiver should know of.
    pub(super) fn known(&self, to: &str, message: &Json) -> u32 {
        let fits = |flight: &Flight| *flight.to == *to && flight.message == *message;
        let alike = self.all.iter().zip(&self.added).filter(|(flight, _)| fits(flight));
        alike.map(|(flight, added)| flight.copies - added).sum()
    }

    /// The messages for a node that has lost them in a crash, one by one, in the order in which they were sent.
    pub(super) fn lost(&self, to: &str) -> Vec<(Option<NodeName>, Json)> {
        let mut lost = Vec::new();
        for (flight, added) in self.all.iter().zip(&self.added).filter(|(flight, _)| *flight.to == *to) {
            let copy = (flight.from.clone(), flight.message.clone());
            lost.extend(std::iter::repeat_n(copy, (flight.copies - added) as usize));
        }
        lost
    }

    /// Removes the messages for a node.
    pub(super) fn forget(&mut self, to: &str) {
        for index in (0..self.all.len()).rev() {
            if *self.all[index].to == *to {
                self.all.remove(index);
                self.added.remove(index);
            }
        }
    }

    /// The senders of a message that is in flight.
    pub(super) fn senders(&self, to: &str, message: &Json) -> impl Iterator<Item = Option<&NodeName>> {
        let fits = move |flight: &&Flight| *flight.to == *to && flight.message == *message;
        self.all.iter().filter(fits).map(|flight| flight.from.as_ref())
    }
}
