//! The events of a system of processes, as text, because text means the same after a new start.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use kilter_testbed::{Fault, Offer, OfferId, Trouble, World};
use serde_json::Value as Json;

use super::Processes;
use crate::subject::in_capitals;

/// How often, and after which time, it is looked again for what a node offered before.
const LATE_LOOKS: u32 = 20;
const LATE_PAUSE: Duration = Duration::from_millis(50);

/// An event of a system of processes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// A node takes in a message.
    Deliver(Flight),
    /// A node takes an action by itself. The texts are the action and its arguments.
    Act(usize, Arc<str>, Arc<str>),
    /// A client makes the request with this number.
    Request(usize),
    /// A node that is down starts again.
    Start(usize),
    /// A fault strikes a node. With a crash, the messages that it has sent and nobody has taken in are lost, and so are
    /// the messages for it.
    OnNode(Fault, usize),
    /// A fault strikes a message.
    OnMessage(Fault, Flight),
    /// A fault strikes a node during an action.
    OnAction(Fault, usize, Arc<str>, Arc<str>),
}

/// A message that a node can take in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flight {
    /// The sender, if it is known.
    pub from: Option<usize>,
    /// The receiver.
    pub to: usize,
    /// The content as JSON.
    pub message: Arc<str>,
}

impl Event {
    /// The fault, if the event is one.
    pub(super) fn fault(&self) -> Option<Fault> {
        match self {
            Event::OnNode(fault, _) | Event::OnMessage(fault, _) | Event::OnAction(fault, ..) => Some(*fault),
            Event::Deliver(_) | Event::Act(..) | Event::Request(_) | Event::Start(_) => None,
        }
    }
}

/// An event that a node offers, the number of one such offer, and how many there are.
pub(super) type Offered = (Event, OfferId, u32);

impl<W: World> Processes<W> {
    /// All events that nodes offer, in order.
    pub(super) fn read_offers(&self) -> Vec<Offered> {
        let mut offered: Vec<Offered> = Vec::new();
        for (id, offer) in self.world.offers() {
            let Some(event) = self.event(offer) else { continue };
            match offered.iter_mut().find(|(other, ..)| *other == event) {
                // The copies of a message are counted in its flight.
                Some((Event::Deliver(_), ..)) => {}
                Some((_, _, copies)) => *copies += 1,
                None => offered.push((event, *id, self.copies(offer))),
            }
        }
        offered.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        offered
    }

    fn copies(&self, offer: &Offer) -> u32 {
        let Some(message) = &offer.message else { return 1 };
        let alike =
            self.world.flights().iter().find(|flight| flight.to == offer.node && flight.message == *message);
        alike.map_or(1, |flight| flight.copies)
    }

    pub(super) fn event(&self, offer: &Offer) -> Option<Event> {
        let node = self.place(&offer.node)?;
        let Some(message) = &offer.message else {
            let args = Json::Array(offer.args.clone()).to_string();
            return Some(Event::Act(node, offer.action.as_str().into(), args.into()));
        };
        let flights = self.world.flights();
        let flight = flights.iter().find(|flight| flight.to == offer.node && flight.message == *message);
        let from = flight.and_then(|flight| self.place(flight.from.as_ref()?));
        Some(Event::Deliver(Flight { from, to: node, message: message.to_string().into() }))
    }

    /// Whether no other message of the link was sent before this one.
    pub(super) fn is_first(&self, flight: &Flight) -> bool {
        let Some(from) = flight.from.filter(|_| self.manners.in_order) else { return true };
        let of_link = |other: &&kilter_testbed::Flight| {
            other.from.as_ref() == Some(&self.names[from]) && other.to == self.names[flight.to]
        };
        let first = self.world.flights().iter().find(of_link);
        first.is_none_or(|first| *first.message.to_string() == *flight.message)
    }

    /// What a node offers for an event. A node may be later than the last time, as on a busy machine.
    pub(super) fn offer_of(&mut self, event: &Event) -> Result<OfferId, Trouble> {
        for _ in 0..LATE_LOOKS {
            if self.offered.iter().any(|(other, ..)| other == event) {
                break;
            }
            thread::sleep(LATE_PAUSE);
            self.let_world(|world| world.wait().map(drop))?;
        }
        let found = self.offered.iter().find(|(other, ..)| other == event);
        found.map(|(_, id, _)| *id).ok_or_else(|| {
            let text = "the system did not do the same again: what it offered before is missing".to_owned();
            Trouble::NotStarted(format!("{text}: {}", self.words(event)))
        })
    }

    /// The event as text for people.
    pub(super) fn words(&self, event: &Event) -> String {
        let call = |action: &str, args: &str| {
            format!("{action} {}", plain(args.trim_matches(['[', ']']))).trim_end().to_owned()
        };
        match event {
            Event::Deliver(flight) => plain(&flight.message),
            Event::Act(_, action, args) => call(action, args),
            Event::Request(number) => {
                let (_, action, args) = &self.manners.requests[*number];
                let args: Vec<String> = args.iter().map(|arg| plain(&arg.to_string())).collect();
                format!("a client: {action} {}", args.join(" ")).trim_end().to_owned()
            }
            Event::Start(node) => format!("start {}", self.names[*node]),
            Event::OnNode(fault, node) => in_capitals(*fault, &self.names[*node]),
            Event::OnMessage(fault, flight) => in_capitals(*fault, &plain(&flight.message)),
            Event::OnAction(fault, _, action, args) => in_capitals(*fault, &call(action, args)),
        }
    }
}

/// JSON without quotes and braces, for people.
pub(super) fn plain(json: &str) -> String {
    json.replace(['"', '{', '}'], "").replace(',', ", ")
}
