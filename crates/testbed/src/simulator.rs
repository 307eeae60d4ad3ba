//! Runs nodes that are pure state machines, and the messages between them. This is the only place where such a node
//! runs, sends, crashes and starts again. [`InProcess`](crate::InProcess) makes a world of it for tests, and the search
//! of `kilter explore` goes back and forth in it.
//!
//! **A crash** is the same here as for a process: the node is down, what it had in memory is gone when it starts again,
//! and what it had stored is still there. Messages in flight stay. To lose them with a connection, call
//! [`Simulator::lose`].

use std::any::Any;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kilter_system::Fault;

use crate::machine::{Addressee, Machine, Outbox};
use crate::world::{NodeName, Trouble};

mod kept;

pub use kept::{Flight, Keeping, Node, Owned, Shared};

/// Makes a machine in its initial state. The argument is its index among the names.
pub type Boot<M> = Arc<dyn Fn(usize) -> M + Send + Sync>;

/// Nodes, and the messages between them. `K` decides how they are stored.
pub struct Simulator<M: Machine, K: Keeping<M> = Owned> {
    names: Arc<[NodeName]>,
    boot: Boot<M>,
    /// Whether the messages of a link are numbered, so that their order is known.
    numbered: bool,
    state: State<M, K>,
}

/// The state of all nodes and messages.
pub struct State<M: Machine, K: Keeping<M>> {
    nodes: Vec<K::Node>,
    flights: Vec<Flight<M::Message>>,
    /// Pairs of nodes between which no message passes. Each pair is listed once.
    cuts: Vec<(usize, usize)>,
}

/// A message to a name that no node has.
pub type Stray<T> = (NodeName, T);

/// What a node has sent in one call.
pub struct Sent<T> {
    /// The number of messages to nodes.
    pub n_flights: usize,
    /// Messages to names that no node has.
    pub strays: Vec<Stray<T>>,
}

impl<M: Machine, K: Keeping<M>> Clone for State<M, K>
where
    K::Node: Clone,
{
    fn clone(&self) -> Self {
        State { nodes: self.nodes.clone(), flights: self.flights.clone(), cuts: self.cuts.clone() }
    }

    /// Reuses the memory, because a search restores a state for every sequence.
    fn clone_from(&mut self, other: &Self) {
        self.nodes.clone_from(&other.nodes);
        self.flights.clone_from(&other.flights);
        self.cuts.clone_from(&other.cuts);
    }
}

impl<M: Machine, K: Keeping<M>> Clone for Simulator<M, K>
where
    K::Node: Clone,
{
    fn clone(&self) -> Self {
        let (names, boot) = (Arc::clone(&self.names), Arc::clone(&self.boot));
        Simulator { names, boot, numbered: self.numbered, state: self.state.clone() }
    }
}

impl<M: Machine, K: Keeping<M>> Simulator<M, K> {
    /// Makes a simulator for nodes with these names. It has to be started.
    pub fn new(names: Arc<[NodeName]>, boot: Boot<M>, numbered: bool) -> Self {
        let state = State { nodes: Vec::new(), flights: Vec::new(), cuts: Vec::new() };
        Simulator { names, boot, numbered, state }
    }

    /// The names of the nodes.
    pub fn names(&self) -> &Arc<[NodeName]> {
        &self.names
    }

    /// The number of nodes that have been started.
    pub fn n_nodes(&self) -> usize {
        self.state.nodes.len()
    }

    /// The node with this index.
    pub fn node(&self, node: usize) -> &Node<M> {
        K::node(&self.state.nodes[node])
    }

    /// All nodes, in the order of their names.
    pub fn nodes(&self) -> impl Iterator<Item = &Node<M>> {
        self.state.nodes.iter().map(K::node)
    }

    fn node_mut(&mut self, node: usize) -> &mut Node<M> {
        K::node_mut(&mut self.state.nodes[node])
    }

    /// The messages in flight. `Shared` keeps them sorted; `Owned` keeps them in the order in which they were sent.
    pub fn flights(&self) -> &[Flight<M::Message>] {
        &self.state.flights
    }

    /// The current state, for `restore`.
    pub fn state(&self) -> &State<M, K> {
        &self.state
    }

    /// Goes back to a state.
    pub fn restore(&mut self, state: &State<M, K>)
    where
        K::Node: Clone,
    {
        self.state.clone_from(state);
    }

    /// Starts all nodes in their initial state, without messages and cuts.
    pub fn start(&mut self) -> Result<(), Trouble> {
        self.stop();
        let sent = if self.numbered { vec![0; self.names.len()] } else { Vec::new() };
        for (place, name) in self.names.iter().enumerate() {
            let (machine, actions) = guard(name, || {
                let machine = (self.boot)(place);
                let actions = machine.actions();
                Ok((machine, actions))
            })?;
            let node = Node { machine, up: true, paused: false, actions, sent: sent.clone() };
            self.state.nodes.push(K::keep(node));
        }
        Ok(())
    }

    /// Removes all nodes and messages.
    pub fn stop(&mut self) {
        self.state.nodes.clear();
        self.state.flights.clear();
        self.state.cuts.clear();
    }

    /// Runs `deed` on a node, and sends the messages in its outbox.
    pub fn run(
        &mut self,
        node: usize,
        deed: impl FnOnce(&mut M, &mut Outbox<M::Message>) -> Result<(), String>,
    ) -> Result<Sent<M::Message>, Trouble> {
        let mut outbox = Outbox::new(Arc::clone(&self.names));
        let running = K::node_mut(&mut self.state.nodes[node]);
        guard(&self.names[node], || {
            deed(&mut running.machine, &mut outbox)?;
            running.actions = running.machine.actions();
            Ok(())
        })?;
        let mut sent = Sent { n_flights: 0, strays: Vec::new() };
        for (to, message) in outbox.into_sent() {
            match to {
                Addressee::Node(to) => {
                    self.send(node, to, message);
                    sent.n_flights += 1;
                }
                Addressee::Nobody(name) => sent.strays.push((name, message)),
            }
        }
        Ok(sent)
    }

    fn send(&mut self, from: usize, to: usize, message: M::Message) {
        let number = if self.numbered {
            let count = &mut self.node_mut(from).sent[to];
            *count += 1;
            *count
        } else {
            0
        };
        self.add(Flight { from, to, number, message: Arc::new(message) });
    }

    fn add(&mut self, flight: Flight<M::Message>) {
        let place = K::place(&self.state.flights, &flight);
        self.state.flights.insert(place, flight);
    }

    fn find(&self, flight: &Flight<M::Message>) -> Result<usize, Trouble> {
        let place = K::find(&self.state.flights, flight);
        place.ok_or_else(|| Trouble::Impossible("there is no such message".to_owned()))
    }

    /// Takes one copy of a message out of flight, because its receiver has it or it is lost.
    pub fn take(&mut self, flight: &Flight<M::Message>) -> Result<(), Trouble> {
        let place = self.find(flight)?;
        self.state.flights.remove(place);
        Ok(())
    }

    /// Adds a copy of a message.
    pub fn duplicate(&mut self, flight: &Flight<M::Message>) -> Result<(), Trouble> {
        let place = self.find(flight)?;
        let copy = self.state.flights[place].clone();
        self.add(copy);
        Ok(())
    }

    /// Removes all messages for which `is_lost` is true.
    pub fn lose(&mut self, is_lost: impl Fn(&Flight<M::Message>) -> bool) {
        self.state.flights.retain(|flight| !is_lost(flight));
    }

    /// Delivers a message to its receiver.
    pub fn deliver(&mut self, flight: &Flight<M::Message>) -> Result<Sent<M::Message>, Trouble> {
        self.take(flight)?;
        let message = M::Message::clone(&flight.message);
        self.run(flight.to, |machine, outbox| machine.handle(message, outbox))
    }

    /// Crashes a node. It is an error if the node is down already.
    pub fn crash(&mut self, node: usize) -> Result<(), Trouble> {
        if !self.node(node).up {
            return Err(Trouble::Impossible(format!("node {} is down already", self.names[node])));
        }
        let node = self.node_mut(node);
        (node.up, node.paused) = (false, false);
        Ok(())
    }

    /// Starts a node that is down. It is an error if the node is up.
    pub fn restart(&mut self, node: usize) -> Result<Sent<M::Message>, Trouble> {
        if self.node(node).up {
            return Err(Trouble::Impossible(format!("node {} is up already", self.names[node])));
        }
        self.node_mut(node).up = true;
        self.run(node, |machine, _| machine.restart())
    }

    /// Brings about a fault that only the node itself can. It is an error if the node does not know it.
    pub fn suffer(&mut self, node: usize, fault: Fault) -> Result<Sent<M::Message>, Trouble> {
        let mut is_known = false;
        let sent = self.run(node, |machine, _| {
            is_known = machine.suffer(fault);
            Ok(())
        })?;
        if is_known {
            return Ok(sent);
        }
        Err(Trouble::Impossible(format!("node {} knows nothing of the fault `{fault}`", self.names[node])))
    }

    /// Pauses a node, or lets it continue. A node that is down can't be paused.
    pub fn pause(&mut self, node: usize, paused: bool) {
        let node = self.node_mut(node);
        node.paused = paused && node.up;
    }

    /// Connects two nodes, or cuts the link between them.
    pub fn connect(&mut self, a: usize, b: usize, connected: bool) {
        self.state.cuts.retain(|cut| *cut != pair(a, b));
        if !connected {
            self.state.cuts.push(pair(a, b));
        }
    }

    /// Whether messages pass between two nodes.
    pub fn is_connected(&self, a: usize, b: usize) -> bool {
        !self.state.cuts.contains(&pair(a, b))
    }
}

fn pair(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// Runs code of the system under test. An error or a panic in it ends that node, not this process.
pub(crate) fn guard<T>(node: &NodeName, code: impl FnOnce() -> Result<T, String>) -> Result<T, Trouble> {
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
