//! What can happen in a system of processes, as text: it means the same after a new start.

use std::sync::Arc;

use kilter_testbed::{Offer, OfferId, Trouble, World};
use serde_json::Value as Json;

use super::Processes;

/// Something that can happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// A message is taken in.
    Deliver(Letter),
    /// A node does something by itself: an action with its arguments.
    Act(usize, Arc<str>, Arc<str>),
    /// A client asks for something: the number of the request.
    Request(usize),
    /// A node crashes, and comes up again if it is to. What it has sent and nobody has taken in is lost, and so is what is on its way
    /// to it.
    Crash(usize),
    /// The link loses a message.
    Omit(Letter),
    /// The link doubles a message.
    Duplicate(Letter),
    /// The disk fails a node in an action.
    DiskError(usize, Arc<str>, Arc<str>),
}

/// A message that a node is about to take in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter {
    /// Who has sent it, if that is known.
    pub from: Option<usize>,
    /// Who it is for.
    pub to: usize,
    /// What it says, as JSON.
    pub message: Arc<str>,
}

/// Something that nodes offer: the event, the offer that stands for it, and how many there are of it.
pub(super) type Offered = (Event, OfferId, u32);

impl<W: World> Processes<W> {
    /// All that nodes offer, in order.
    pub(super) fn read_offers(&self) -> Vec<Offered> {
        let mut offered: Vec<Offered> = Vec::new();
        for (id, offer) in self.world.offers() {
            let Some(event) = self.event(offer) else { continue };
            match offered.iter_mut().find(|(other, ..)| *other == event) {
                // Copies of a message are counted where they are under way.
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
        Some(Event::Deliver(Letter { from, to: node, message: message.to_string().into() }))
    }

    /// Whether no other message of the link was sent before this one.
    pub(super) fn is_first(&self, letter: &Letter) -> bool {
        let Some(from) = letter.from.filter(|_| self.manners.in_order) else { return true };
        let of_link = |flight: &&kilter_testbed::Flight| {
            flight.from.as_ref() == Some(&self.names[from]) && flight.to == self.names[letter.to]
        };
        let first = self.world.flights().iter().find(of_link);
        first.is_none_or(|first| *first.message.to_string() == *letter.message)
    }

    pub(super) fn offer_of(&self, event: &Event) -> Result<OfferId, Trouble> {
        let found = self.offered.iter().find(|(other, ..)| other == event);
        found.map(|(_, id, _)| *id).ok_or_else(|| {
            let text = "the system did not do the same again: what it offered before is missing".to_owned();
            Trouble::NotStarted(format!("{text}: {}", self.words(event)))
        })
    }

    /// An event for people.
    pub(super) fn words(&self, event: &Event) -> String {
        let call = |action: &str, args: &str| {
            format!("{action} {}", plain(args.trim_matches(['[', ']']))).trim_end().to_owned()
        };
        match event {
            Event::Deliver(letter) => plain(&letter.message),
            Event::Act(_, action, args) => call(action, args),
            Event::Request(number) => {
                let (_, action, args) = &self.manners.requests[*number];
                let args: Vec<String> = args.iter().map(|arg| plain(&arg.to_string())).collect();
                format!("a client: {action} {}", args.join(" ")).trim_end().to_owned()
            }
            Event::Crash(node) if self.manners.recover => format!("CRASH and restart {}", self.names[*node]),
            Event::Crash(node) => format!("CRASH {}", self.names[*node]),
            Event::Omit(letter) => format!("LOST {}", plain(&letter.message)),
            Event::Duplicate(letter) => format!("DOUBLED {}", plain(&letter.message)),
            Event::DiskError(_, action, args) => format!("DISK ERROR in {}", call(action, args)),
        }
    }
}

/// JSON without the quotes and braces, which tell people nothing.
pub(super) fn plain(json: &str) -> String {
    json.replace(['"', '{', '}'], "").replace(',', ", ")
}
