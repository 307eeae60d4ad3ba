//! The messages in flight between the nodes of a cluster.

use serde_json::Value as Json;

use crate::world::{Flight, NodeName};

/// The messages that were sent and that were neither taken in nor dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Flights {
    all: Vec<Flight>,
    /// For each flight, how many of its copies the testbed has added. The node knows only of the others.
    added: Vec<u32>,
}

/// A copy of a message that was taken out of flight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Taken {
    from: Option<NodeName>,
    message: Json,
    /// Whether the testbed has added this copy. Otherwise the node holds it under its offer.
    pub is_added: bool,
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

    /// Takes one copy of a message out of flight. Its link must not be cut, which `held` decides. `None` if there is no such
    /// message.
    pub(super) fn take(&mut self, to: &str, message: &Json, held: impl Fn(&Flight) -> bool) -> Option<Taken> {
        let fits = |flight: &Flight| *flight.to == *to && flight.message == *message && !held(flight);
        let index = self.all.iter().position(fits)?;
        let flight = &mut self.all[index];
        flight.copies -= 1;
        let (from, message) = (flight.from.clone(), flight.message.clone());
        let is_added = self.added[index] > 0;
        if is_added {
            self.added[index] -= 1;
        } else if flight.copies == 0 {
            self.all.remove(index);
            self.added.remove(index);
        }
        Some(Taken { from, message, is_added })
    }

    /// Puts a copy back that was taken out of flight.
    pub(super) fn put_back(&mut self, to: &NodeName, taken: Taken) {
        let Taken { from, message, is_added } = taken;
        self.send(from.clone(), to.clone(), message.clone());
        let alike = |flight: &Flight| flight.from == from && flight.to == *to && flight.message == message;
        if let Some(index) = self.all.iter().position(alike).filter(|_| is_added) {
            self.added[index] += 1;
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_put_back_is_as_if_it_had_not_been_taken() {
        let name = |text: &str| NodeName::from(text.to_owned());
        let mut flights = Flights::default();
        flights.send(Some(name("n1")), name("n2"), json!("hello"));
        flights.double("n2", &json!("hello"));
        for is_added in [true, false] {
            let before = flights.clone();
            let taken = flights.take("n2", &json!("hello"), |_| false).expect("it is in flight");
            assert_eq!(taken.is_added, is_added);
            flights.put_back(&name("n2"), taken);
            assert_eq!(flights, before);
            flights.take("n2", &json!("hello"), |_| false);
        }
        assert_eq!(flights.take("n2", &json!("hello"), |_| false), None);
        assert!(flights.all().is_empty());
    }
}
