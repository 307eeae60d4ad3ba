//! A world of pure state machines in this process: as fast as the machines are, and `Clone` where they are.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::machine::{Addressee, Call, Machine, Outbox};
use crate::world::{Command, Flight, NodeName, Offer, OfferId, Trouble, Waited, World};

/// Makes a machine as it is before anything has happened.
pub type Boot<M> = Arc<dyn Fn(&NodeName) -> M + Send + Sync>;

/// A world of machines.
#[derive(Clone)]
pub struct InProcess<M: Machine> {
    names: Arc<[NodeName]>,
    boot: Boot<M>,
    seats: Vec<Seat<M>>,
    offers: BTreeMap<OfferId, Offer>,
    next_offer: u64,
    flights: Vec<Flight>,
    /// What the machines know of each flight, in the same order.
    letters: Vec<Letter<M::Message>>,
    cuts: BTreeSet<(usize, usize)>,
}

/// A machine and what is known of it.
#[derive(Clone)]
struct Seat<M: Machine> {
    machine: M,
    up: bool,
    paused: bool,
    variables: Map<String, Json>,
    standing: Vec<(OfferId, M::Action)>,
}

/// A message under way.
#[derive(Clone)]
struct Letter<T> {
    message: T,
    from: usize,
    to: Option<usize>,
    offer: Option<OfferId>,
}

impl<M: Machine> InProcess<M> {
    /// A world of the machines that `boot` makes, one for each name. It has to be started.
    pub fn new<N: Into<NodeName>>(
        names: impl IntoIterator<Item = N>,
        boot: impl Fn(&NodeName) -> M + Send + Sync + 'static,
    ) -> InProcess<M> {
        InProcess {
            names: names.into_iter().map(Into::into).collect(),
            boot: Arc::new(boot),
            seats: Vec::new(),
            offers: BTreeMap::new(),
            next_offer: 0,
            flights: Vec::new(),
            letters: Vec::new(),
            cuts: BTreeSet::new(),
        }
    }

    /// A node's machine, for those who want to look further than its variables.
    pub fn machine(&self, node: &str) -> Option<&M> {
        self.seats.get(self.index(node).ok()?).map(|seat| &seat.machine)
    }

    fn index(&self, node: &str) -> Result<usize, Trouble> {
        let found = self.names.iter().position(|name| **name == *node);
        found
            .filter(|index| *index < self.seats.len())
            .ok_or_else(|| Trouble::Impossible(format!("there is no node {node}")))
    }

    fn offer(&self, id: OfferId) -> Result<usize, Trouble> {
        let offer = self.offers.get(&id).ok_or_else(|| no_offer(id))?;
        self.index(&offer.node)
    }

    /// Lets a machine do something, sends what it wants sent, and looks at it again.
    fn run(
        &mut self,
        node: usize,
        deed: impl FnOnce(&mut M, &mut Outbox<M::Message>) -> Result<(), String>,
    ) -> Result<(), Trouble> {
        let mut outbox = Outbox::new(self.names.clone());
        let machine = &mut self.seats[node].machine;
        guard(&self.names[node], || deed(machine, &mut outbox))?;
        for (to, message) in outbox.into_letters() {
            self.send(node, to, message);
        }
        self.look(node)?;
        let receivers: BTreeSet<usize> = self
            .letters
            .iter()
            .filter(|letter| letter.offer.is_none())
            .filter_map(|letter| letter.to)
            .collect();
        receivers.into_iter().filter(|to| *to != node).try_for_each(|to| self.offer_letters(to))
    }

    fn send(&mut self, from: usize, to: Addressee, message: M::Message) {
        let shown = M::show(&message);
        let (to, index) = match to {
            Addressee::Node(index) => (self.names[index].clone(), Some(index)),
            Addressee::Nobody(name) => (name, None),
        };
        let alike = self
            .flights
            .iter_mut()
            .zip(&self.letters)
            .find(|(flight, letter)| letter.from == from && flight.to == to && flight.message == shown);
        if let Some((flight, _)) = alike {
            flight.copies += 1;
            return;
        }
        self.flights.push(Flight { from: Some(self.names[from].clone()), to, message: shown, copies: 1 });
        self.letters.push(Letter { message, from, to: index, offer: None });
    }

    /// Takes one copy of the message of an offer out of flight; `None` if the offer has no message.
    fn take(&mut self, id: OfferId) -> Option<M::Message> {
        let index = self.letters.iter().position(|letter| letter.offer == Some(id))?;
        self.flights[index].copies -= 1;
        if self.flights[index].copies > 0 {
            // The offer of the other copies is a new one: this one has been answered.
            let offer = self.offers.remove(&id);
            self.letters[index].offer = offer.map(|offer| self.add_offer(offer));
            return Some(self.letters[index].message.clone());
        }
        self.flights.remove(index);
        self.offers.remove(&id);
        Some(self.letters.remove(index).message)
    }

    fn add_offer(&mut self, offer: Offer) -> OfferId {
        let id = OfferId(self.next_offer);
        self.next_offer += 1;
        self.offers.insert(id, offer);
        id
    }

    /// Finds out anew what a node holds and offers.
    fn look(&mut self, node: usize) -> Result<(), Trouble> {
        let seat = &mut self.seats[node];
        let name = &self.names[node];
        let able = seat.up && !seat.paused;
        if able {
            seat.variables = guard(name, || Ok(seat.machine.variables()))?;
        }
        let actions = if able { guard(name, || Ok(seat.machine.actions()))? } else { Vec::new() };
        let before = std::mem::take(&mut seat.standing);
        let (kept, gone): (Vec<_>, Vec<_>) =
            before.into_iter().partition(|(_, action)| actions.contains(action));
        for (id, _) in gone {
            self.offers.remove(&id);
        }
        for action in actions {
            let id = match kept.iter().find(|(_, other)| *other == action) {
                Some((id, _)) => *id,
                None => {
                    let call = guard(&self.names[node], || Ok(self.seats[node].machine.call(&action)))?;
                    self.add_offer(offer(&self.names[node], call, None))
                }
            };
            self.seats[node].standing.push((id, action));
        }
        self.offer_letters(node)
    }

    /// Offers what a node can do with the messages that are under way to it, and no longer what it can't.
    fn offer_letters(&mut self, node: usize) -> Result<(), Trouble> {
        for index in 0..self.letters.len() {
            if self.letters[index].to != Some(node) {
                continue;
            }
            let call = self.handler(node, index)?;
            let old = self.letters[index].offer;
            let same = match (old.and_then(|id| self.offers.get(&id)), &call) {
                (Some(offer), Some(call)) => offer.action == call.action && offer.args == call.args,
                (None, None) => true,
                _ => false,
            };
            if same {
                continue;
            }
            old.map(|id| self.offers.remove(&id));
            self.letters[index].offer = call.map(|call| {
                let message = self.flights[index].message.clone();
                self.add_offer(offer(&self.names[node], call, Some(message)))
            });
        }
        Ok(())
    }

    fn handler(&self, node: usize, letter: usize) -> Result<Option<Call>, Trouble> {
        let letter = &self.letters[letter];
        let seat = &self.seats[node];
        if !seat.up || seat.paused || self.cuts.contains(&pair(letter.from, node)) {
            return Ok(None);
        }
        guard(&self.names[node], || Ok(seat.machine.handler(&letter.message)))
    }

    fn go(&mut self, id: OfferId) -> Result<(), Trouble> {
        let node = self.offer(id)?;
        if let Some(message) = self.take(id) {
            return self.run(node, |machine, outbox| machine.handle(message, outbox));
        }
        let standing = &mut self.seats[node].standing;
        let index = standing.iter().position(|(other, _)| *other == id).ok_or_else(|| no_offer(id))?;
        let (_, action) = standing.remove(index);
        self.offers.remove(&id);
        self.run(node, |machine, outbox| machine.act(action, outbox))
    }

    fn drop_message(&mut self, id: OfferId) -> Result<(), Trouble> {
        self.offer(id)?;
        self.take(id).map(drop).ok_or_else(|| no_message(id))
    }

    fn duplicate(&mut self, id: OfferId) -> Result<(), Trouble> {
        self.offer(id)?;
        let index = self.letters.iter().position(|letter| letter.offer == Some(id));
        self.flights[index.ok_or_else(|| no_message(id))?].copies += 1;
        Ok(())
    }

    /// The flight of a message for a node that is down.
    fn unread(&self, node: usize, message: &Json) -> Result<usize, Trouble> {
        let is_it = |(flight, letter): (&Flight, &Letter<M::Message>)| {
            letter.to == Some(node) && flight.message == *message
        };
        let found = self.flights.iter().zip(&self.letters).position(is_it);
        found.filter(|_| !self.seats[node].up).ok_or_else(|| no_unread(&self.names[node]))
    }

    fn drop_unread(&mut self, node: usize, message: &Json) -> Result<(), Trouble> {
        let index = self.unread(node, message)?;
        self.flights[index].copies -= 1;
        if self.flights[index].copies == 0 {
            self.flights.remove(index);
            self.letters.remove(index);
        }
        Ok(())
    }

    fn crash(&mut self, node: usize) -> Result<(), Trouble> {
        if !self.seats[node].up {
            return Err(Trouble::Impossible(format!("node {} is down already", self.names[node])));
        }
        self.seats[node].up = false;
        self.seats[node].paused = false;
        self.look(node)
    }

    fn restart(&mut self, node: usize) -> Result<(), Trouble> {
        if self.seats[node].up {
            return Err(Trouble::Impossible(format!("node {} is up already", self.names[node])));
        }
        self.seats[node].up = true;
        self.run(node, |machine, _| machine.restart())
    }

    fn pause(&mut self, node: usize, paused: bool) -> Result<(), Trouble> {
        self.seats[node].paused = paused && self.seats[node].up;
        self.look(node)
    }

    fn connect(&mut self, a: &str, b: &str, connected: bool) -> Result<(), Trouble> {
        let (a, b) = (self.index(a)?, self.index(b)?);
        if connected {
            self.cuts.remove(&pair(a, b));
        } else {
            self.cuts.insert(pair(a, b));
        }
        self.offer_letters(a)?;
        self.offer_letters(b)
    }
}

impl<M: Machine> World for InProcess<M> {
    fn start(&mut self) -> Result<(), Trouble> {
        self.stop();
        for name in self.names.iter() {
            let machine = guard(name, || Ok((self.boot)(name)))?;
            let variables = Map::new();
            self.seats.push(Seat { machine, up: true, paused: false, variables, standing: Vec::new() });
        }
        (0..self.seats.len()).try_for_each(|node| self.look(node))
    }

    fn offers(&self) -> &BTreeMap<OfferId, Offer> {
        &self.offers
    }

    fn flights(&self) -> &[Flight] {
        &self.flights
    }

    fn variables(&self, node: &str) -> Option<&Map<String, Json>> {
        let seat = &self.seats[self.index(node).ok()?];
        seat.up.then_some(&seat.variables)
    }

    fn perform(&mut self, command: &Command) -> Result<(), Trouble> {
        match command {
            Command::Go(id) => self.go(*id),
            Command::Drop(id) => self.drop_message(*id),
            Command::Duplicate(id) => self.duplicate(*id),
            Command::DropUnread { to, message } => self.drop_unread(self.index(to)?, message),
            Command::DuplicateUnread { to, message } => {
                let index = self.unread(self.index(to)?, message)?;
                self.flights[index].copies += 1;
                Ok(())
            }
            Command::Request { node, action, args } => {
                let node = self.index(node)?;
                let seat = &self.seats[node];
                if !seat.up || seat.paused {
                    return Err(Trouble::Impossible(format!("node {} can't be asked now", self.names[node])));
                }
                self.run(node, |machine, outbox| machine.request(action, args, outbox))
            }
            Command::Run { .. } => Err(Trouble::Impossible(
                "there is no process here that a program could be run against".to_owned(),
            )),
            Command::Crash(node) => self.crash(self.index(node)?),
            Command::Start(node) => self.restart(self.index(node)?),
            Command::Pause(node) => self.pause(self.index(node)?, true),
            Command::Resume(node) => self.pause(self.index(node)?, false),
            Command::Cut(a, b) => self.connect(a, b, false),
            Command::Mend(a, b) => self.connect(a, b, true),
        }
    }

    fn wait(&mut self) -> Result<Waited, Trouble> {
        Ok(Waited::Still)
    }

    fn stop(&mut self) {
        self.seats.clear();
        self.offers.clear();
        self.flights.clear();
        self.letters.clear();
        self.cuts.clear();
    }
}

fn offer(node: &NodeName, call: Call, message: Option<Json>) -> Offer {
    Offer { node: node.clone(), action: call.action.into_owned(), args: call.args, message }
}

fn pair(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

pub(crate) fn no_offer(id: OfferId) -> Trouble {
    Trouble::Impossible(format!("offer {} does not stand", id.0))
}

pub(crate) fn no_unread(node: &NodeName) -> Trouble {
    Trouble::Impossible(format!("node {node} is up, or no such message is under way to it"))
}

pub(crate) fn no_message(id: OfferId) -> Trouble {
    Trouble::Impossible(format!("offer {} takes in no message", id.0))
}

/// Runs code of the system under test: an error or a panic in it is the end of that node, not of ours.
fn guard<T>(node: &NodeName, code: impl FnOnce() -> Result<T, String>) -> Result<T, Trouble> {
    let how = match catch_unwind(AssertUnwindSafe(code)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(reason)) => reason,
        Err(panic) => panic_text(&*panic),
    };
    Err(Trouble::Exited { node: node.clone(), how, output: String::new() })
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let mut text = "it panicked".to_owned();
    let said = panic.downcast_ref::<String>().map(String::as_str);
    if let Some(said) = said.or_else(|| panic.downcast_ref::<&str>().copied()) {
        // Writing to a string can't fail.
        let _ = write!(text, ": {said}");
    }
    text
}
