//! A system of state machines in this process. It uses no JSON and no names: nodes are indices, and a state is restored
//! by cloning pointers.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use kilter_testbed::simulator::{self, Node, Shared};
use kilter_testbed::{NodeName, Outbox, Simulator, Trouble};
use rustc_hash::FxHasher;
use serde_json::Value as Json;

use crate::peer::Peer;

mod event;
mod subject;
mod symmetry;
mod view;

pub use event::Event;
pub use view::{Predicate, Properties, View};

/// The parts of a system.
pub struct Setup<P: Peer> {
    /// The names of the nodes.
    pub names: Arc<[NodeName]>,
    /// Makes a node in its initial state.
    pub boot: Box<dyn Fn(usize) -> P + Send + Sync>,
    /// Whether messages from one node to another arrive in the order in which they were sent.
    pub in_order: bool,
    /// Whether nodes that crashed may start again.
    pub recover: bool,
    /// Whether timers fire only when nothing else can happen, because timeouts are long.
    pub patient: bool,
    /// The requests of clients, each of which is made once: the node, the action, its arguments.
    pub requests: Vec<(usize, String, Vec<Json>)>,
    /// The properties that must hold.
    pub properties: Properties<P>,
}

/// A system of state machines.
pub struct Machines<P: Peer> {
    setup: Arc<Setup<P>>,
    simulator: Simulator<P, Shared>,
    /// The requests that have been made, as bits.
    asked: u64,
}

/// A state of the system.
pub struct State<P: Peer> {
    simulated: simulator::State<P, Shared>,
    /// The requests that have been made, as bits.
    asked: u64,
}

impl<P: Peer> Clone for Machines<P> {
    fn clone(&self) -> Self {
        Machines { setup: Arc::clone(&self.setup), simulator: self.simulator.clone(), asked: self.asked }
    }
}

impl<P: Peer> Clone for State<P> {
    fn clone(&self) -> Self {
        State { simulated: self.simulated.clone(), asked: self.asked }
    }
}

impl<P: Peer> Machines<P> {
    /// Makes a system that has to be started.
    pub fn new(setup: Setup<P>) -> Machines<P> {
        let setup = Arc::new(setup);
        let boot = {
            let setup = Arc::clone(&setup);
            Arc::new(move |node| (setup.boot)(node))
        };
        let simulator = Simulator::new(Arc::clone(&setup.names), boot, setup.in_order);
        Machines { setup, simulator, asked: 0 }
    }

    fn boot(&mut self) -> Result<(), Trouble> {
        let n_nodes = self.setup.names.len();
        if n_nodes > crate::subject::NODES_MAX {
            let most = crate::subject::NODES_MAX;
            return Err(Trouble::NotStarted(format!("{n_nodes} nodes; {most} are the most")));
        }
        self.asked = 0;
        self.simulator.start()?;
        (0..n_nodes).try_for_each(|node| self.run(node, P::wake))
    }

    fn run(
        &mut self,
        node: usize,
        deed: impl FnOnce(&mut P, &mut Outbox<P::Message>) -> Result<(), String>,
    ) -> Result<(), Trouble> {
        self.simulator.run(node, deed).map(drop)
    }

    /// Drops the messages for nodes that are down, because nobody has a connection to them.
    fn lose_unread(&mut self) {
        let down: u64 = self.down().fold(0, |down, node| down | 1 << node);
        if down != 0 {
            self.simulator.lose(|flight| down >> flight.to & 1 == 1);
        }
    }

    fn down(&self) -> impl Iterator<Item = usize> + '_ {
        self.simulator.nodes().enumerate().filter(|(_, node)| !node.up).map(|(place, _)| place)
    }

    fn up(&self) -> impl Iterator<Item = (usize, &Node<P>)> + '_ {
        self.simulator.nodes().enumerate().filter(|(_, node)| node.up)
    }

    /// Crashes a node. Its connections break, so the messages that it has sent and nobody has taken in are lost.
    fn crash(&mut self, node: usize) -> Result<(), Trouble> {
        self.simulator.crash(node)?;
        self.simulator.lose(|flight| flight.from == node);
        Ok(())
    }

    /// Whether the message is the next one on its link, or order does not matter. Copies are neighbours, and only the
    /// first is shown.
    fn is_first(&self, place: usize) -> bool {
        let flights = self.simulator.flights();
        let Some(before) = place.checked_sub(1).map(|place| &flights[place]) else { return true };
        let flight = &flights[place];
        if self.setup.in_order {
            (before.from, before.to) != (flight.from, flight.to)
        } else {
            before != flight
        }
    }

    /// The messages that are next on their links: those that their receivers would take in now, or the others.
    fn deliveries(&self, accepted: bool) -> impl Iterator<Item = Event<P>> + '_ {
        self.simulator
            .flights()
            .iter()
            .enumerate()
            .filter(|(place, _)| self.is_first(*place))
            .filter(move |(_, flight)| {
                self.simulator.node(flight.to).machine.accepts(&flight.message) == accepted
            })
            .map(|(_, flight)| Event::Deliver(flight.clone()))
    }

    fn is_open(&self, request: usize) -> bool {
        let (node, action, args) = &self.setup.requests[request];
        let node = self.simulator.node(*node);
        self.asked >> request & 1 == 0 && node.up && node.machine.takes(action, args)
    }
}

/// A hash that is the same in every run.
pub(crate) fn hash(thing: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    thing.hash(&mut hasher);
    hasher.finish()
}
