//! A world of pure state machines in this process. It is as fast as the machines are, and `Clone` if they are.
//!
//! The [`Simulator`] runs the machines. This module shows them as a world: numbered offers, and messages and variables
//! as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kilter_system::Fault;
use serde_json::{Map, Value as Json};

use crate::machine::{Call, Machine, Outbox};
use crate::simulator::{self, Sent, Simulator, guard};
use crate::world::{Command, Flight, NodeName, Offer, OfferId, Target, Trouble, Waited, World};

/// A world whose nodes are machines.
#[derive(Clone)]
pub struct InProcess<M: Machine> {
    simulator: Simulator<M>,
    seats: Vec<Seat<M>>,
    offers: BTreeMap<OfferId, Offer>,
    next_offer: u64,
    flights: Vec<Flight>,
    /// The simulator's flight for each entry of `flights`, in the same order.
    under_way: Vec<UnderWay<M::Message>>,
}

/// What the world shows of a node.
#[derive(Clone)]
struct Seat<M: Machine> {
    variables: Map<String, Json>,
    standing: Vec<(OfferId, M::Action)>,
}

/// A message in flight.
#[derive(Clone)]
struct UnderWay<T> {
    /// `None` if no node has the receiver's name.
    flight: Option<simulator::Flight<T>>,
    offer: Option<OfferId>,
}

impl<T> UnderWay<T> {
    fn is_for(&self, node: usize) -> bool {
        self.flight.as_ref().is_some_and(|flight| flight.to == node)
    }
}

impl<M: Machine> InProcess<M> {
    /// Makes a world of the machines that `boot` makes, one for each name. It has to be started.
    pub fn new<N: Into<NodeName>>(
        names: impl IntoIterator<Item = N>,
        boot: impl Fn(&NodeName) -> M + Send + Sync + 'static,
    ) -> InProcess<M> {
        let names: Arc<[NodeName]> = names.into_iter().map(Into::into).collect();
        let boot_at = {
            let names = Arc::clone(&names);
            Arc::new(move |place: usize| boot(&names[place]))
        };
        InProcess {
            simulator: Simulator::new(names, boot_at, false),
            seats: Vec::new(),
            offers: BTreeMap::new(),
            next_offer: 0,
            flights: Vec::new(),
            under_way: Vec::new(),
        }
    }

    /// A node's machine, for callers that want to see more than its variables.
    pub fn machine(&self, node: &str) -> Option<&M> {
        Some(&self.simulator.node(self.index(node).ok()?).machine)
    }

    fn name(&self, node: usize) -> &NodeName {
        &self.simulator.names()[node]
    }

    fn index(&self, node: &str) -> Result<usize, Trouble> {
        let found = self.simulator.names().iter().position(|name| **name == *node);
        found
            .filter(|index| *index < self.seats.len())
            .ok_or_else(|| Trouble::Impossible(format!("there is no node {node}")))
    }

    fn offer(&self, id: OfferId) -> Result<usize, Trouble> {
        let offer = self.offers.get(&id).ok_or_else(|| Trouble::no_offer(id))?;
        self.index(&offer.node)
    }

    /// Runs `deed` on a machine, and updates what is shown of it.
    fn run(
        &mut self,
        node: usize,
        deed: impl FnOnce(&mut M, &mut Outbox<M::Message>) -> Result<(), String>,
    ) -> Result<(), Trouble> {
        let sent = self.simulator.run(node, deed)?;
        self.show(node, sent)
    }

    /// Shows what a node has done: the messages that it has sent, and what all nodes can do now.
    fn show(&mut self, node: usize, sent: Sent<M::Message>) -> Result<(), Trouble> {
        let flights = self.simulator.flights();
        let new = flights[flights.len() - sent.n_flights..].to_vec();
        for flight in new {
            self.add_flight(flight);
        }
        for (to, message) in sent.strays {
            self.add_stray(node, to, &message);
        }
        self.look(node)?;
        let unseen = self.under_way.iter().filter(|under_way| under_way.offer.is_none());
        let receivers: BTreeSet<usize> =
            unseen.filter_map(|under_way| Some(under_way.flight.as_ref()?.to)).collect();
        receivers.into_iter().filter(|to| *to != node).try_for_each(|to| self.offer_messages(to))
    }

    fn add_flight(&mut self, flight: simulator::Flight<M::Message>) {
        let alike = self.under_way.iter().position(|under_way| under_way.flight.as_ref() == Some(&flight));
        if let Some(index) = alike {
            self.flights[index].copies += 1;
            return;
        }
        let (from, to) = (self.name(flight.from).clone(), self.name(flight.to).clone());
        let message = M::show(&flight.message);
        self.flights.push(Flight { from: Some(from), to, message, copies: 1 });
        self.under_way.push(UnderWay { flight: Some(flight), offer: None });
    }

    fn add_stray(&mut self, from: usize, to: NodeName, message: &M::Message) {
        let flight = Flight { from: Some(self.name(from).clone()), to, message: M::show(message), copies: 1 };
        let alike = |other: &&mut Flight| {
            (&other.from, &other.to, &other.message) == (&flight.from, &flight.to, &flight.message)
        };
        if let Some(other) = self.flights.iter_mut().find(alike) {
            other.copies += 1;
            return;
        }
        self.flights.push(flight);
        self.under_way.push(UnderWay { flight: None, offer: None });
    }

    /// The index of the message of an offer. `None` if the offer has no message.
    fn message_of(&self, id: OfferId) -> Option<usize> {
        self.under_way.iter().position(|under_way| under_way.offer == Some(id))
    }

    /// Shows one copy less of a message.
    fn take(&mut self, index: usize) {
        let id = self.under_way[index].offer;
        let offer = id.and_then(|id| self.offers.remove(&id));
        self.flights[index].copies -= 1;
        if self.flights[index].copies > 0 {
            // The offer has been answered, so the other copies get a new one.
            self.under_way[index].offer = offer.map(|offer| self.add_offer(offer));
            return;
        }
        self.flights.remove(index);
        self.under_way.remove(index);
    }

    fn add_offer(&mut self, offer: Offer) -> OfferId {
        let id = OfferId(self.next_offer);
        self.next_offer += 1;
        self.offers.insert(id, offer);
        id
    }

    /// Updates the variables and the offers of a node.
    fn look(&mut self, node: usize) -> Result<(), Trouble> {
        let name = self.name(node).clone();
        let running = self.simulator.node(node);
        let able = running.up && !running.paused;
        if able {
            self.seats[node].variables = guard(&name, || Ok(running.machine.variables()))?;
        }
        let actions = if able { running.actions.clone() } else { Vec::new() };
        let before = std::mem::take(&mut self.seats[node].standing);
        let (kept, gone): (Vec<_>, Vec<_>) =
            before.into_iter().partition(|(_, action)| actions.contains(action));
        for (id, _) in gone {
            self.offers.remove(&id);
        }
        for action in actions {
            let id = match kept.iter().find(|(_, other)| *other == action) {
                Some((id, _)) => *id,
                None => {
                    let machine = &self.simulator.node(node).machine;
                    let call = guard(&name, || Ok(machine.call(&action)))?;
                    self.add_offer(offer(&name, call, None))
                }
            };
            self.seats[node].standing.push((id, action));
        }
        self.offer_messages(node)
    }

    /// Offers the messages that a node can take in now, and withdraws the offers of those that it can't.
    fn offer_messages(&mut self, node: usize) -> Result<(), Trouble> {
        for index in 0..self.under_way.len() {
            if !self.under_way[index].is_for(node) {
                continue;
            }
            let call = self.handler(index)?;
            let old = self.under_way[index].offer;
            let same = match (old.and_then(|id| self.offers.get(&id)), &call) {
                (Some(offer), Some(call)) => offer.action == call.action && offer.args == call.args,
                (None, None) => true,
                _ => false,
            };
            if same {
                continue;
            }
            old.map(|id| self.offers.remove(&id));
            self.under_way[index].offer = call.map(|call| {
                let message = self.flights[index].message.clone();
                self.add_offer(offer(&self.name(node).clone(), call, Some(message)))
            });
        }
        Ok(())
    }

    /// The name and arguments of the action by which a message's receiver would take it in now. `None` if it can't.
    fn handler(&self, index: usize) -> Result<Option<Call>, Trouble> {
        let Some(flight) = &self.under_way[index].flight else { return Ok(None) };
        let node = self.simulator.node(flight.to);
        if !node.up || node.paused || !self.simulator.is_connected(flight.from, flight.to) {
            return Ok(None);
        }
        guard(self.name(flight.to), || Ok(node.machine.handler(&flight.message)))
    }

    fn go(&mut self, id: OfferId) -> Result<(), Trouble> {
        let node = self.offer(id)?;
        if let Some(index) = self.message_of(id) {
            let flight = self.under_way[index].flight.clone().ok_or_else(|| Trouble::no_message(id))?;
            self.take(index);
            let sent = self.simulator.deliver(&flight)?;
            return self.show(node, sent);
        }
        let standing = &mut self.seats[node].standing;
        let index =
            standing.iter().position(|(other, _)| *other == id).ok_or_else(|| Trouble::no_offer(id))?;
        let (_, action) = standing.remove(index);
        self.offers.remove(&id);
        self.run(node, |machine, outbox| machine.act(action, outbox))
    }

    fn request(&mut self, node: usize, action: &str, args: &[Json]) -> Result<(), Trouble> {
        let running = self.simulator.node(node);
        if !running.up || running.paused {
            return Err(Trouble::Impossible(format!("node {} can't be asked now", self.name(node))));
        }
        self.run(node, |machine, outbox| machine.request(action, args, outbox))
    }

    fn strike(&mut self, fault: Fault, target: &Target) -> Result<(), Trouble> {
        match target {
            Target::Node(node) => self.strike_node(fault, self.index(node)?),
            Target::Link(one, other) => self.strike_link(fault, self.index(one)?, self.index(other)?),
            Target::Message(id) => {
                self.offer(*id)?;
                self.strike_message(fault, self.message_of(*id).ok_or_else(|| Trouble::no_message(*id))?)
            }
            Target::Unread { to, message } => {
                let index = self.unread(self.index(to)?, message)?;
                self.strike_message(fault, index)
            }
        }
    }

    fn strike_node(&mut self, fault: Fault, node: usize) -> Result<(), Trouble> {
        match fault {
            Fault::Crash => self.simulator.crash(node)?,
            Fault::Pause | Fault::Resume => self.simulator.pause(node, fault == Fault::Pause),
            Fault::Start => {
                let sent = self.simulator.restart(node)?;
                return self.show(node, sent);
            }
            other => {
                let sent = self.simulator.suffer(node, other)?;
                return self.show(node, sent);
            }
        }
        self.look(node)
    }

    fn strike_link(&mut self, fault: Fault, one: usize, other: usize) -> Result<(), Trouble> {
        match fault {
            Fault::Cut | Fault::Mend => self.simulator.connect(one, other, fault == Fault::Mend),
            fault => return Err(Trouble::no_such_fault(fault)),
        }
        self.offer_messages(one)?;
        self.offer_messages(other)
    }

    fn strike_message(&mut self, fault: Fault, index: usize) -> Result<(), Trouble> {
        let Some(flight) = self.under_way[index].flight.clone() else {
            return Err(Trouble::no_such_fault(fault));
        };
        match fault {
            Fault::Drop => {
                self.simulator.take(&flight)?;
                self.take(index);
                Ok(())
            }
            Fault::Duplicate => {
                self.flights[index].copies += 1;
                self.simulator.duplicate(&flight)
            }
            fault => Err(Trouble::no_such_fault(fault)),
        }
    }

    /// The index of a message for a node that is down.
    fn unread(&self, node: usize, message: &Json) -> Result<usize, Trouble> {
        let mut both = self.flights.iter().zip(&self.under_way);
        let found = both.position(|(flight, under_way)| under_way.is_for(node) && flight.message == *message);
        found.filter(|_| !self.simulator.node(node).up).ok_or_else(|| Trouble::no_unread(self.name(node)))
    }
}

impl<M: Machine> World for InProcess<M> {
    fn start(&mut self) -> Result<(), Trouble> {
        self.stop();
        self.simulator.start()?;
        let n_nodes = self.simulator.n_nodes();
        self.seats = (0..n_nodes).map(|_| Seat { variables: Map::new(), standing: Vec::new() }).collect();
        (0..n_nodes).try_for_each(|node| self.look(node))
    }

    fn offers(&self) -> &BTreeMap<OfferId, Offer> {
        &self.offers
    }

    fn flights(&self) -> &[Flight] {
        &self.flights
    }

    fn variables(&self, node: &str) -> Option<&Map<String, Json>> {
        let node = self.index(node).ok()?;
        self.simulator.node(node).up.then_some(&self.seats[node].variables)
    }

    fn perform(&mut self, command: &Command) -> Result<(), Trouble> {
        match command {
            Command::Go(id) => self.go(*id),
            Command::Request { node, action, args } => self.request(self.index(node)?, action, args),
            Command::Run { .. } => Err(Trouble::Impossible(
                "there is no process here that a program could be run against".to_owned(),
            )),
            Command::Fault(fault, target) => self.strike(*fault, target),
        }
    }

    fn wait(&mut self) -> Result<Waited, Trouble> {
        Ok(Waited::Still)
    }

    fn stop(&mut self) {
        self.simulator.stop();
        self.seats.clear();
        self.offers.clear();
        self.flights.clear();
        self.under_way.clear();
    }
}

fn offer(node: &NodeName, call: Call, message: Option<Json>) -> Offer {
    Offer { node: node.clone(), action: call.action.into_owned(), args: call.args, message }
}
