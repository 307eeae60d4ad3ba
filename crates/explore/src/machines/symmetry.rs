//! Decides whether two nodes can stand for each other.

use std::sync::Arc;

use kilter_testbed::simulator::Flight;

use super::{Event, Machines, hash};
use crate::peer::{Peer, swap};
use crate::subject::Likeness;

/// The place of an event, and what it is about.
struct Aim {
    actor: usize,
    target: usize,
    content: u64,
}

impl<P: Peer> Machines<P> {
    pub(super) fn compare(&self, one: &Event<P>, other: &Event<P>) -> Likeness {
        let (Some(a), Some(b)) = (self.aim(one), self.aim(other)) else {
            return Likeness::Different;
        };
        let stays = |pair: &(usize, usize)| pair.0 == pair.1;
        let mut pairs = vec![(a.target, b.target), (a.actor, b.actor)];
        // The sender of a message does not matter (definition 10), unless two nodes have sent the same to a third. The
        // node that takes an action directed at another node does matter.
        if matches!(one, Event::Deliver(_)) && a.target != b.target {
            pairs.truncate(1);
        }
        if a.content != b.content
            || pairs.iter().all(stays)
            || !pairs.iter().all(|pair| stays(pair) || self.are_peers(pair.0, pair.1))
        {
            return Likeness::Different;
        }
        // Only an exchange of two nodes is examined more closely.
        let mut exchanges = pairs.iter().filter(|pair| !stays(pair)).map(|(a, b)| (*a.min(b), *a.max(b)));
        let first = exchanges.next().filter(|first| exchanges.all(|next| next == *first));
        let is_alike =
            |(a, b): &(usize, usize)| self.hold_the_same(*a, *b) && say_the_same(one, other, *a, *b);
        let Some((a, b)) = first.filter(is_alike) else { return Likeness::Claimed };
        let exchanged = exchanged(one, a, b).is_some_and(|event| event == *other);
        if exchanged && self.is_symmetric(a, b) { Likeness::Symmetric } else { Likeness::Alike }
    }

    fn aim(&self, event: &Event<P>) -> Option<Aim> {
        let at = |node, content| Some(Aim { actor: node, target: node, content });
        match event {
            Event::Deliver(flight) => {
                let content = hash(&(0, P::content(&flight.message)));
                Some(Aim { actor: flight.from, target: flight.to, content })
            }
            Event::Act(node, action) => {
                let content = hash(&(1, self.call_name(*node, action)));
                Some(Aim { actor: *node, target: P::aim(action).unwrap_or(*node), content })
            }
            Event::Request(number) => {
                let (node, action, args) = &self.setup.requests[*number];
                at(*node, hash(&(2, action, format!("{args:?}"))))
            }
            Event::Start(node) => at(*node, hash(&3)),
            _ => None,
        }
    }

    fn call_name(&self, node: usize, action: &P::Action) -> String {
        self.simulator.node(node).machine.call(action).action.into_owned()
    }

    /// Whether two nodes have the same role and the same enabled functions (definition 8).
    fn are_peers(&self, a: usize, b: usize) -> bool {
        let (one, other) = (self.simulator.node(a), self.simulator.node(b));
        one.up == other.up
            && one.machine.role() == other.machine.role()
            && self.functions(a) == self.functions(b)
    }

    /// The functions of a node: as it claims, or else the names of the actions that it offers and the kinds of messages
    /// that it could take in.
    fn functions(&self, node: usize) -> Vec<u64> {
        let seat = self.simulator.node(node);
        if let Some(claimed) = seat.machine.functions() {
            return vec![claimed];
        }
        let actions = seat.actions.iter().map(|action| hash(&(1, self.call_name(node, action))));
        let messages = self
            .simulator
            .flights()
            .iter()
            .filter(|flight| flight.to == node && seat.machine.accepts(&flight.message))
            .map(|flight| hash(&(0, P::content(&flight.message))));
        let mut functions: Vec<u64> = actions.chain(messages).collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// Whether one node holds what the other holds, once their names are exchanged.
    fn hold_the_same(&self, a: usize, b: usize) -> bool {
        let renamed = self.simulator.node(a).machine.swapped(a, b);
        hash(&renamed) == hash(&self.simulator.node(b).machine)
    }

    /// Whether exchanging two nodes changes nothing in the whole system.
    fn is_symmetric(&self, a: usize, b: usize) -> bool {
        let nodes = (0..self.simulator.n_nodes()).all(|node| {
            let seat = self.simulator.node(node);
            let there = self.simulator.node(swap(node, a, b));
            seat.up == there.up && hash(&seat.machine.swapped(a, b)) == hash(&there.machine)
        });
        nodes && self.requests_are_symmetric(a, b) && {
            let mut flights: Vec<_> = self
                .simulator
                .flights()
                .iter()
                .map(|flight| exchange(flight, a, b, P::swapped_message))
                .collect();
            flights.sort_unstable();
            // The numbers on links only tell the order.
            flights.iter().map(place).eq(self.simulator.flights().iter().map(place))
        }
    }

    fn requests_are_symmetric(&self, a: usize, b: usize) -> bool {
        let open = self.setup.requests.iter().enumerate().filter(|(n, _)| self.asked >> n & 1 == 0);
        open.map(|(_, (node, ..))| *node).all(|node| node != a && node != b)
    }
}

/// Whether two messages are equal once the names of two nodes are exchanged. Actions have no content.
fn say_the_same<P: Peer>(one: &Event<P>, other: &Event<P>, a: usize, b: usize) -> bool {
    match (one, other) {
        (Event::Deliver(one), Event::Deliver(other)) => {
            P::swapped_message(&one.message, a, b) == *other.message
        }
        _ => true,
    }
}

fn exchanged<P: Peer>(event: &Event<P>, a: usize, b: usize) -> Option<Event<P>> {
    match event {
        Event::Deliver(flight) => Some(Event::Deliver(exchange(flight, a, b, P::swapped_message))),
        Event::Start(node) => Some(Event::Start(swap(*node, a, b))),
        Event::Act(node, action) => Some(Event::Act(swap(*node, a, b), P::swapped_action(action, a, b))),
        _ => None,
    }
}

fn place<T>(flight: &Flight<T>) -> (usize, usize, &T) {
    (flight.from, flight.to, &flight.message)
}

fn exchange<T>(flight: &Flight<T>, a: usize, b: usize, message: impl Fn(&T, usize, usize) -> T) -> Flight<T> {
    Flight {
        from: swap(flight.from, a, b),
        to: swap(flight.to, a, b),
        number: flight.number,
        message: Arc::new(message(&flight.message, a, b)),
    }
}
