//! The events of a system of state machines, and their order.

use std::cmp::Ordering;

use kilter_testbed::simulator::Flight;
use kilter_testbed::{Fault, Machine};

use crate::peer::Peer;

/// An event of a system of state machines.
pub enum Event<P: Peer> {
    /// A node takes in a message.
    Deliver(Flight<P::Message>),
    /// A node takes an action by itself.
    Act(usize, P::Action),
    /// A client makes the request with this number.
    Request(usize),
    /// A node that is down starts again.
    Start(usize),
    /// A fault strikes a node. With a crash, the messages that it has sent and nobody has taken in are lost, and so are
    /// the messages for it.
    OnNode(Fault, usize),
    /// A fault strikes a message.
    OnMessage(Fault, Flight<P::Message>),
    /// A fault strikes a node during an action.
    OnAction(Fault, usize, P::Action),
}

type Key<'a, P> =
    (u8, usize, Option<&'a Flight<<P as Machine>::Message>>, Option<&'a <P as Machine>::Action>);

impl<P: Peer> Clone for Event<P> {
    fn clone(&self) -> Self {
        match self {
            Event::Deliver(flight) => Event::Deliver(flight.clone()),
            Event::Act(node, action) => Event::Act(*node, action.clone()),
            Event::Request(number) => Event::Request(*number),
            Event::Start(node) => Event::Start(*node),
            Event::OnNode(fault, node) => Event::OnNode(*fault, *node),
            Event::OnMessage(fault, flight) => Event::OnMessage(*fault, flight.clone()),
            Event::OnAction(fault, node, action) => Event::OnAction(*fault, *node, action.clone()),
        }
    }
}

impl<P: Peer> Event<P> {
    /// The fault, if the event is one.
    pub(super) fn fault(&self) -> Option<Fault> {
        match self {
            Event::OnNode(fault, _) | Event::OnMessage(fault, _) | Event::OnAction(fault, ..) => Some(*fault),
            Event::Deliver(_) | Event::Act(..) | Event::Request(_) | Event::Start(_) => None,
        }
    }

    /// The key by which events are ordered.
    fn key(&self) -> Key<'_, P> {
        match self {
            Event::Deliver(flight) => (0, 0, Some(flight), None),
            Event::Act(node, action) => (1, *node, None, Some(action)),
            Event::Request(number) => (2, *number, None, None),
            Event::Start(node) => (3, *node, None, None),
            Event::OnNode(fault, node) => (4 + *fault as u8, *node, None, None),
            Event::OnMessage(fault, flight) => (4 + *fault as u8, 0, Some(flight), None),
            Event::OnAction(fault, node, action) => (4 + *fault as u8, *node, None, Some(action)),
        }
    }
}

impl<P: Peer> PartialEq for Event<P> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<P: Peer> Eq for Event<P> {}

impl<P: Peer> PartialOrd for Event<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P: Peer> Ord for Event<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
