//! A system of processes that stand still until told, as a system to explore. A state is come back to by a new start and a replay.
//!
//! - [`Event`]   what can happen, as text: it means the same after a new start
//! - `subject`   how the search sees it
//! - `likeness`  whether two nodes can stand for each other, as far as they show it

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kilter_testbed::{Command, NodeName, Offer, OfferId, Trouble, World};
use serde_json::{Map, Value as Json};

mod likeness;
mod subject;

/// What a system of processes consists of, beyond how it is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manners {
    /// Actions that are timers.
    pub timers: BTreeSet<String>,
    /// Actions that read or write what is stored.
    pub storage: BTreeSet<String>,
    /// Actions that are never let go.
    pub never: BTreeSet<String>,
    /// Whether messages from one node to another are taken in in the order in which they were sent.
    pub in_order: bool,
    /// Whether nodes that crashed may come up again.
    pub recover: bool,
    /// Whether timers fire only when nothing else can happen.
    pub patient: bool,
    /// What clients ask for, each once: the node, the action, its arguments.
    pub requests: Vec<(usize, String, Vec<Json>)>,
    /// The variable that tells a node's role.
    pub role: Option<String>,
    /// The variables that the safety properties see.
    pub sight: BTreeSet<String>,
}

/// Something that can happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// A message is taken in.
    Deliver(Letter),
    /// A node does something by itself: an action with its arguments.
    Act(usize, Arc<str>, Arc<str>),
    /// A client asks for something: the number of the request.
    Request(usize),
    /// A node comes up again.
    Start(usize),
    /// A node crashes. What it has sent and nobody has taken in is lost, and so is what is on its way to it.
    Crash(usize),
    /// The link loses a message.
    Omit(Letter),
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

/// What the properties say of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The first safety property that is violated.
    pub violated: Option<String>,
    /// Whether the goal is reached; `None` if there is none.
    pub reached: Option<bool>,
}

/// What a node reports; `None` while it is down.
pub type Report<'a> = Option<&'a Map<String, Json>>;

/// Judges a state by what the nodes report, in their order.
pub type Judge = Box<dyn FnMut(&[Report<'_>]) -> Result<Judgement, String>>;

/// A system of processes.
pub struct Processes<W> {
    world: W,
    names: Vec<NodeName>,
    manners: Manners,
    judge: Judge,
    judgement: Judgement,
    /// The requests that have been made.
    asked: Vec<bool>,
    /// What can happen, with the offers that stand for it.
    offered: Vec<(Event, OfferId, u32)>,
    /// How long the system and its testbed were at work.
    busy: Duration,
}

impl<W: World> Processes<W> {
    /// A system that has not been started.
    pub fn new(world: W, names: Vec<NodeName>, manners: Manners, judge: Judge) -> Processes<W> {
        Processes {
            world,
            names,
            manners,
            judge,
            judgement: Judgement::default(),
            asked: Vec::new(),
            offered: Vec::new(),
            busy: Duration::ZERO,
        }
    }

    fn is_up(&self, node: usize) -> bool {
        self.world.variables(&self.names[node]).is_some()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| **other == *name)
    }

    /// Lets the world do something, and looks at what it is like then.
    fn let_world(&mut self, deed: impl FnOnce(&mut W) -> Result<(), Trouble>) -> Result<(), Trouble> {
        let begun = Instant::now();
        let done = deed(&mut self.world);
        self.busy += begun.elapsed();
        done?;
        self.read_offers();
        let reports: Vec<Report<'_>> = self.names.iter().map(|name| self.world.variables(name)).collect();
        self.judgement = (self.judge)(&reports).map_err(Trouble::Impossible)?;
        Ok(())
    }

    fn read_offers(&mut self) {
        let mut offered: Vec<(Event, OfferId, u32)> = Vec::new();
        for (id, offer) in self.world.offers() {
            let Some(event) = self.event(offer) else { continue };
            match offered.iter_mut().find(|(other, ..)| *other == event) {
                Some((_, _, copies)) => *copies += 1,
                None => offered.push((event, *id, self.copies(offer))),
            }
        }
        offered.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        self.offered = offered;
    }

    fn copies(&self, offer: &Offer) -> u32 {
        let Some(message) = &offer.message else { return 1 };
        let alike =
            self.world.flights().iter().find(|flight| flight.to == offer.node && flight.message == *message);
        alike.map_or(1, |flight| flight.copies)
    }

    fn event(&self, offer: &Offer) -> Option<Event> {
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
    fn is_first(&self, letter: &Letter) -> bool {
        let Some(from) = letter.from.filter(|_| self.manners.in_order) else { return true };
        let of_link = |flight: &&kilter_testbed::Flight| {
            flight.from.as_ref() == Some(&self.names[from]) && flight.to == self.names[letter.to]
        };
        let first = self.world.flights().iter().find(of_link);
        first.is_none_or(|first| *first.message.to_string() == *letter.message)
    }

    fn offer_of(&self, event: &Event) -> Result<OfferId, Trouble> {
        let found = self.offered.iter().find(|(other, ..)| other == event);
        found.map(|(_, id, _)| *id).ok_or_else(|| {
            let text = "the system did not do the same again: what it offered before is missing".to_owned();
            Trouble::NotStarted(format!("{text}: {}", self.words(event)))
        })
    }

    /// What is on its way from or to the node is lost, then the node is killed.
    fn crash(&mut self, node: usize) -> Result<(), Trouble> {
        let is_lost = |event: &Event| matches!(event, Event::Deliver(letter) if letter.from == Some(node) || letter.to == node);
        let lost: Vec<(OfferId, u32)> = self
            .world
            .offers()
            .iter()
            .filter_map(|(id, offer)| self.event(offer).filter(is_lost).map(|_| (*id, 1)))
            .collect();
        let name = self.names[node].clone();
        self.let_world(|world| {
            lost.iter().try_for_each(|(id, _)| world.perform(&Command::Drop(*id)))?;
            world.perform(&Command::Crash(name))
        })
    }

    fn words(&self, event: &Event) -> String {
        match event {
            Event::Deliver(letter) => plain(&letter.message),
            Event::Act(_, action, args) => {
                format!("{action} {}", plain(args.trim_matches(['[', ']']))).trim_end().to_owned()
            }
            Event::Request(number) => {
                let (_, action, args) = &self.manners.requests[*number];
                let args: Vec<String> = args.iter().map(|arg| plain(&arg.to_string())).collect();
                format!("a client: {action} {}", args.join(" ")).trim_end().to_owned()
            }
            Event::Start(node) => format!("start {}", self.names[*node]),
            Event::Crash(node) => format!("CRASH {}", self.names[*node]),
            Event::Omit(letter) => format!("LOST {}", plain(&letter.message)),
        }
    }
}

/// JSON without the quotes and braces, which tell people nothing.
fn plain(json: &str) -> String {
    json.replace(['"', '{', '}'], "").replace(',', ", ")
}
