//! State machines as the search sees them.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use kilter_testbed::simulator::Flight;
use kilter_testbed::{Fault, Trouble};
use rustc_hash::FxHasher;

use super::{Event, Machines, State, View, hash};
use crate::peer::Peer;
use crate::subject::{Described, Footprint, Kind, Likeness, Nature, Subject, in_capitals, node_faults};

impl<P: Peer> Subject for Machines<P> {
    type Event = Event<P>;
    type Mark = State<P>;

    fn nodes(&self) -> Vec<String> {
        self.setup.names.iter().map(ToString::to_string).collect()
    }

    fn n_nodes(&self) -> usize {
        self.setup.names.len()
    }

    fn start(&mut self) -> Result<(), Trouble> {
        self.boot()
    }

    fn enabled(&self) -> Vec<Event<P>> {
        let mut events: Vec<Event<P>> = self.deliveries(true).collect();
        self.add_actions(&mut events, |kind| kind != Kind::Timer);
        events.extend((0..self.setup.requests.len()).filter(|n| self.is_open(*n)).map(Event::Request));
        if !self.setup.patient || events.is_empty() {
            self.add_actions(&mut events, |kind| kind == Kind::Timer);
        }
        if self.setup.recover {
            events.extend(self.down().map(Event::Start));
        }
        events.sort_unstable();
        events
    }

    fn blocked(&self) -> Vec<Event<P>> {
        self.deliveries(false).collect()
    }

    fn faults(&self, event: &Event<P>) -> Vec<Event<P>> {
        let crash = |node| Event::OnNode(Fault::Crash, node);
        match event {
            Event::Deliver(flight) => vec![crash(flight.from), Event::OnMessage(Fault::Drop, flight.clone())],
            Event::Act(node, action) if P::kind(action) == Kind::Storage => {
                vec![crash(*node), Event::OnAction(Fault::Disk, *node, action.clone())]
            }
            Event::Act(node, _) => vec![crash(*node)],
            Event::Request(number) => vec![crash(self.setup.requests[*number].0)],
            _ => Vec::new(),
        }
    }

    fn all_faults(&self) -> Vec<Event<P>> {
        let nodes =
            self.up().flat_map(|(node, _)| node_faults().map(move |fault| Event::OnNode(fault, node)));
        let flights = self.deliveries(true).chain(self.deliveries(false)).filter_map(|event| match event {
            Event::Deliver(flight) => Some(flight),
            _ => None,
        });
        let messages = flights.flat_map(|flight| {
            [Event::OnMessage(Fault::Drop, flight.clone()), Event::OnMessage(Fault::Duplicate, flight)]
        });
        let disks = self.up().flat_map(|(place, node)| {
            let stored = node.actions.iter().filter(|action| P::kind(action) == Kind::Storage);
            stored.map(move |action| Event::OnAction(Fault::Disk, place, action.clone()))
        });
        let mut faults: Vec<Event<P>> = nodes.chain(messages).chain(disks).collect();
        faults.sort_unstable();
        faults
    }

    fn perform(&mut self, event: &Event<P>) -> Result<(), Trouble> {
        match event {
            Event::Deliver(flight) => self.simulator.deliver(flight).map(drop)?,
            Event::Act(node, action) => {
                self.run(*node, |machine, outbox| machine.act(action.clone(), outbox))?;
            }
            Event::Request(number) => {
                let setup = Arc::clone(&self.setup);
                let (node, action, args) = &setup.requests[*number];
                self.asked |= 1 << number;
                self.run(*node, |machine, outbox| machine.request(action, args, outbox))?;
            }
            Event::Start(node) => self.simulator.restart(*node).map(drop)?,
            Event::OnNode(Fault::Crash, node) => self.crash(*node)?,
            Event::OnNode(fault, node) => self.simulator.suffer(*node, *fault).map(drop)?,
            Event::OnMessage(Fault::Duplicate, flight) => self.simulator.duplicate(flight)?,
            Event::OnMessage(_, flight) => self.simulator.take(flight)?,
            Event::OnAction(_, node, action) => {
                self.run(*node, |machine, outbox| machine.fail(action, outbox))?;
            }
        }
        self.lose_unread();
        Ok(())
    }

    fn mark(&self) -> Option<State<P>> {
        Some(State { simulated: self.simulator.state().clone(), asked: self.asked })
    }

    fn restore(&mut self, mark: &State<P>) {
        self.simulator.restore(&mark.simulated);
        self.asked = mark.asked;
    }

    fn nature(&self, event: &Event<P>) -> Nature {
        let (kind, actor, target) = match event {
            Event::Deliver(flight) => (Kind::Delivery, flight.from, flight.to),
            Event::Act(node, action) => (P::kind(action), *node, *node),
            Event::Request(number) => {
                (Kind::Request, self.setup.requests[*number].0, self.setup.requests[*number].0)
            }
            Event::Start(node) => (Kind::Start, *node, *node),
            Event::OnNode(_, node) | Event::OnAction(_, node, _) => (Kind::Fault, *node, *node),
            Event::OnMessage(_, flight) => (Kind::Fault, flight.from, flight.to),
        };
        let copies = match event {
            Event::Deliver(flight) | Event::OnMessage(_, flight) => self.copies(flight),
            _ => 1,
        };
        Nature { kind, actor, target, footprint: self.footprint(event), copies, fault: event.fault() }
    }

    fn violated(&self) -> Option<String> {
        let view = View(self);
        let broken = self.setup.properties.safety.iter().find(|(_, holds)| !holds(&view));
        broken.map(|(name, _)| name.clone())
    }

    fn reached(&self) -> Option<bool> {
        self.setup.properties.goal.as_ref().map(|goal| goal(&View(self)))
    }

    fn sight(&self) -> u64 {
        let Some(sight) = &self.setup.properties.sight else { return 0 };
        let mut hasher = FxHasher::default();
        for node in self.simulator.nodes() {
            (node.up, sight(&node.machine)).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.asked.hash(&mut hasher);
        for node in self.simulator.nodes() {
            node.up.hash(&mut hasher);
            node.machine.hash(&mut hasher);
        }
        for flight in self.simulator.flights() {
            // The numbers on a link only order its messages, and the messages are in that order here.
            (flight.from, flight.to, &flight.message).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn likeness(&self, one: &Event<P>, other: &Event<P>) -> Likeness {
        self.compare(one, other)
    }

    fn describe(&self, event: &Event<P>) -> Described {
        let name = |node: &usize| self.setup.names[*node].to_string();
        let down = event.fault() == Some(Fault::Crash);
        let at = |target: &usize, text, fault| Described { text, target: *target, from: None, fault, down };
        let from = |flight: &Flight<P::Message>, text, fault| Described {
            from: Some(flight.from),
            ..at(&flight.to, text, fault)
        };
        let call = |node: &usize, action: &P::Action| {
            let call = self.simulator.node(*node).machine.call(action);
            let args: Vec<String> = call.args.iter().map(plain).collect();
            if args.is_empty() {
                call.action.into_owned()
            } else {
                format!("{} {}", call.action, args.join(" "))
            }
        };
        match event {
            Event::Deliver(flight) => from(flight, show::<P>(flight), false),
            Event::Act(node, action) => at(node, call(node, action), false),
            Event::Request(number) => {
                let (node, action, args) = &self.setup.requests[*number];
                let args: Vec<String> = args.iter().map(plain).collect();
                at(node, format!("a client: {action} {}", args.join(" ")).trim_end().to_owned(), false)
            }
            Event::Start(node) => at(node, format!("start {}", name(node)), false),
            Event::OnNode(fault, node) => at(node, in_capitals(*fault, &name(node)), true),
            Event::OnMessage(fault, flight) => from(flight, in_capitals(*fault, &show::<P>(flight)), true),
            Event::OnAction(fault, node, action) => at(node, in_capitals(*fault, &call(node, action)), true),
        }
    }

    fn look(&self, node: usize) -> String {
        let node = self.simulator.node(node);
        if node.up { node.machine.summary() } else { "down".to_owned() }
    }
}

/// A message for people, without the quotes and braces of JSON.
fn show<P: Peer>(flight: &Flight<P::Message>) -> String {
    plain(&P::show(&flight.message))
}

fn plain(json: &serde_json::Value) -> String {
    json.to_string().replace(['"', '{', '}'], "")
}

impl<P: Peer> Machines<P> {
    fn add_actions(&self, events: &mut Vec<Event<P>>, wanted: impl Fn(Kind) -> bool) {
        for (place, node) in self.up() {
            let actions = node.actions.iter().filter(|action| wanted(P::kind(action)));
            events.extend(actions.map(|action| Event::Act(place, action.clone())));
        }
    }

    fn copies(&self, flight: &Flight<P::Message>) -> u32 {
        let flights = self.simulator.flights();
        let first = flights.partition_point(|other| other < flight);
        flights[first..].iter().take_while(|other| *other == flight).count() as u32
    }

    fn footprint(&self, event: &Event<P>) -> Footprint {
        let n_nodes = self.simulator.n_nodes();
        let touched = |node| (Footprint::lives(node, n_nodes, self.setup.recover), Footprint::body(node));
        let (reads, writes) = match event {
            Event::Deliver(flight) => {
                let (reads, writes) = touched(flight.to);
                (reads | Footprint::life(flight.from), writes)
            }
            // Whether a patient timer may fire depends on everything.
            Event::Act(_, action) if self.setup.patient && P::kind(action) == Kind::Timer => {
                (0, Footprint::everything())
            }
            Event::Act(node, _) | Event::OnAction(_, node, _) => touched(*node),
            Event::Request(number) => touched(self.setup.requests[*number].0),
            Event::Start(node) | Event::OnNode(_, node) => (0, Footprint::whole(*node)),
            Event::OnMessage(_, flight) => (Footprint::life(flight.from) | Footprint::life(flight.to), 0),
        };
        let message = match event {
            Event::Deliver(flight) | Event::OnMessage(_, flight) => hash(flight) | 1,
            _ => 0,
        };
        Footprint { reads, writes, message }
    }
}
