//! State machines in this process as a system to explore. No JSON, no names: nodes are places, and a state is put back by cloning
//! pointers.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kilter_testbed::{Addressee, NodeName, Outbox, Trouble};
use rustc_hash::FxHasher;
use serde_json::Value as Json;

use crate::peer::Peer;

mod event;
mod subject;
mod symmetry;
mod view;

pub use event::{Event, Post};
pub use view::{Predicate, Properties, View};

/// What a system consists of.
pub struct Setup<P: Peer> {
    /// The nodes.
    pub names: Arc<[NodeName]>,
    /// Makes a node as it is before anything has happened.
    pub boot: Box<dyn Fn(usize) -> P + Send + Sync>,
    /// Whether messages from one node to another arrive in the order in which they were sent.
    pub in_order: bool,
    /// Whether nodes that crashed may come up again.
    pub recover: bool,
    /// Whether timers fire only when nothing else can happen: timeouts are long.
    pub patient: bool,
    /// What clients ask for, each once: the node, the action, its arguments.
    pub requests: Vec<(usize, String, Vec<Json>)>,
    /// What must hold.
    pub properties: Properties<P>,
}

/// A system of state machines.
pub struct Machines<P: Peer> {
    pub(crate) setup: Arc<Setup<P>>,
    pub(crate) state: State<P>,
}

/// Where the system is.
pub struct State<P: Peer> {
    seats: Vec<Arc<Seat<P>>>,
    /// In their order; as often as there are copies.
    posts: Vec<Post<P::Message>>,
    /// The requests that have been made, as bits.
    asked: u64,
}

#[derive(Clone)]
struct Seat<P: Peer> {
    machine: P,
    up: bool,
    actions: Vec<P::Action>,
    /// How many messages it has sent to each node; kept only where messages arrive in order.
    sent: Vec<u32>,
}

impl<P: Peer> Clone for Machines<P> {
    fn clone(&self) -> Self {
        Machines { setup: Arc::clone(&self.setup), state: self.state.clone() }
    }
}

impl<P: Peer> Clone for State<P> {
    fn clone(&self) -> Self {
        State { seats: self.seats.clone(), posts: self.posts.clone(), asked: self.asked }
    }
}

impl<P: Peer> Machines<P> {
    /// A system that has not been started.
    pub fn new(setup: Setup<P>) -> Machines<P> {
        let state = State { seats: Vec::new(), posts: Vec::new(), asked: 0 };
        Machines { setup: Arc::new(setup), state }
    }

    fn boot(&mut self) -> Result<(), Trouble> {
        let n_nodes = self.setup.names.len();
        if n_nodes > crate::subject::NODES_MAX {
            let most = crate::subject::NODES_MAX;
            return Err(Trouble::NotStarted(format!("{n_nodes} nodes; {most} are the most")));
        }
        let sent = if self.setup.in_order { vec![0; n_nodes] } else { Vec::new() };
        let seat = |node| {
            let machine = (self.setup.boot)(node);
            Arc::new(Seat { actions: machine.actions(), machine, up: true, sent: sent.clone() })
        };
        let seats = (0..n_nodes).map(seat).collect();
        self.state = State { seats, posts: Vec::new(), asked: 0 };
        (0..n_nodes).try_for_each(|node| self.run(node, P::wake))
    }

    /// Lets a node do something, and sends what it wants sent.
    fn run(
        &mut self,
        node: usize,
        deed: impl FnOnce(&mut P, &mut Outbox<P::Message>) -> Result<(), String>,
    ) -> Result<(), Trouble> {
        let mut outbox = Outbox::new(Arc::clone(&self.setup.names));
        let seat = Arc::make_mut(&mut self.state.seats[node]);
        let done = catch_unwind(AssertUnwindSafe(|| {
            let result = deed(&mut seat.machine, &mut outbox);
            seat.actions = seat.machine.actions();
            result
        }));
        done.unwrap_or_else(|_| Err("it panicked".to_owned())).map_err(|how| Trouble::Exited {
            node: Arc::clone(&self.setup.names[node]),
            how,
            output: String::new(),
        })?;
        for (to, message) in outbox.into_letters() {
            if let Addressee::Node(to) = to {
                self.send(node, to, message);
            }
        }
        Ok(())
    }

    /// What is sent to a node that is down is lost.
    fn send(&mut self, from: usize, to: usize, message: P::Message) {
        if !self.state.seats[to].up {
            return;
        }
        let number = if self.setup.in_order {
            let seat = Arc::make_mut(&mut self.state.seats[from]);
            seat.sent[to] += 1;
            seat.sent[to]
        } else {
            0
        };
        let post = Post { from, to, number, message: Arc::new(message) };
        let place = self.state.posts.partition_point(|other| *other < post);
        self.state.posts.insert(place, post);
    }

    fn find(&self, post: &Post<P::Message>) -> Result<usize, Trouble> {
        let place = self.state.posts.binary_search(post);
        place.map_err(|_| Trouble::Impossible("there is no such message".to_owned()))
    }

    fn take(&mut self, post: &Post<P::Message>) -> Result<(), Trouble> {
        let place = self.find(post)?;
        self.state.posts.remove(place);
        Ok(())
    }

    fn double(&mut self, post: &Post<P::Message>) -> Result<(), Trouble> {
        let place = self.find(post)?;
        self.state.posts.insert(place, post.clone());
        Ok(())
    }

    fn crash(&mut self, node: usize) {
        Arc::make_mut(&mut self.state.seats[node]).up = false;
        self.state.posts.retain(|post| post.from != node && post.to != node);
    }

    fn revive(&mut self, node: usize) -> Result<(), Trouble> {
        Arc::make_mut(&mut self.state.seats[node]).up = true;
        self.run(node, |machine, _| machine.restart())
    }

    /// The message is the next on its link, or order does not matter. Copies stand beside each other, and only the first is shown.
    fn is_first(&self, place: usize) -> bool {
        let Some(before) = place.checked_sub(1).map(|place| &self.state.posts[place]) else { return true };
        let post = &self.state.posts[place];
        if self.setup.in_order { (before.from, before.to) != (post.from, post.to) } else { before != post }
    }

    /// Messages that are next on their links: those that their receivers would take in now, or the others.
    fn deliveries(&self, accepted: bool) -> impl Iterator<Item = Event<P>> + '_ {
        self.state
            .posts
            .iter()
            .enumerate()
            .filter(|(place, _)| self.is_first(*place))
            .filter(move |(_, post)| self.state.seats[post.to].machine.accepts(&post.message) == accepted)
            .map(|(_, post)| Event::Deliver(post.clone()))
    }

    fn is_open(&self, request: usize) -> bool {
        let (node, action, args) = &self.setup.requests[request];
        let seat = &self.state.seats[*node];
        self.state.asked >> request & 1 == 0 && seat.up && seat.machine.takes(action, args)
    }
}

/// A hash that is the same tomorrow.
pub(crate) fn hash(thing: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    thing.hash(&mut hasher);
    hasher.finish()
}
