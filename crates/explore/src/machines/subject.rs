//! How the search sees state machines.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use kilter_testbed::Trouble;
use rustc_hash::FxHasher;

use super::{Event, Machines, Post, State, View, hash};
use crate::peer::Peer;
use crate::subject::{Break, Described, Footprint, Kind, Likeness, Nature, Subject};

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
            let down = self.state.seats.iter().enumerate().filter(|(_, seat)| !seat.up);
            events.extend(down.map(|(node, _)| Event::Start(node)));
        }
        events.sort_unstable();
        events
    }

    fn blocked(&self) -> Vec<Event<P>> {
        self.deliveries(false).collect()
    }

    fn faults(&self, event: &Event<P>) -> Vec<Event<P>> {
        match event {
            Event::Deliver(post) => vec![Event::Crash(post.from), Event::Omit(post.clone())],
            Event::Act(node, action) if P::kind(action) == Kind::Storage => {
                vec![Event::Crash(*node), Event::DiskError(*node, action.clone())]
            }
            Event::Act(node, _) => vec![Event::Crash(*node)],
            Event::Request(number) => vec![Event::Crash(self.setup.requests[*number].0)],
            _ => Vec::new(),
        }
    }

    fn all_faults(&self) -> Vec<Event<P>> {
        let up = || self.state.seats.iter().enumerate().filter(|(_, seat)| seat.up);
        let crashes = up().map(|(node, _)| Event::Crash(node));
        let posts = || {
            self.deliveries(true).chain(self.deliveries(false)).filter_map(|event| match event {
                Event::Deliver(post) => Some(post),
                _ => None,
            })
        };
        let disks = up().flat_map(|(node, seat)| {
            let stored = seat.actions.iter().filter(|action| P::kind(action) == Kind::Storage);
            stored.map(move |action| Event::DiskError(node, action.clone()))
        });
        let mut faults: Vec<Event<P>> = crashes
            .chain(posts().map(Event::Omit))
            .chain(disks)
            .chain(posts().map(Event::Duplicate))
            .collect();
        faults.sort_unstable();
        faults
    }

    fn perform(&mut self, event: &Event<P>) -> Result<(), Trouble> {
        match event {
            Event::Deliver(post) => {
                self.take(post)?;
                let message = P::Message::clone(&post.message);
                self.run(post.to, |machine, outbox| machine.handle(message, outbox))
            }
            Event::Act(node, action) => {
                self.run(*node, |machine, outbox| machine.act(action.clone(), outbox))
            }
            Event::Request(number) => {
                let setup = Arc::clone(&self.setup);
                let (node, action, args) = &setup.requests[*number];
                self.state.asked |= 1 << number;
                self.run(*node, |machine, outbox| machine.request(action, args, outbox))
            }
            Event::Start(node) => self.revive(*node),
            Event::Crash(node) => {
                self.crash(*node);
                Ok(())
            }
            Event::Omit(post) => self.take(post),
            Event::Duplicate(post) => self.double(post),
            Event::DiskError(node, action) => self.run(*node, |machine, outbox| machine.fail(action, outbox)),
        }
    }

    fn mark(&self) -> Option<State<P>> {
        Some(self.state.clone())
    }

    fn restore(&mut self, mark: &State<P>) {
        self.state = mark.clone();
    }

    fn nature(&self, event: &Event<P>) -> Nature {
        let (kind, actor, target) = match event {
            Event::Deliver(post) => (Kind::Delivery, post.from, post.to),
            Event::Act(node, action) => (P::kind(action), *node, *node),
            Event::Request(number) => {
                (Kind::Request, self.setup.requests[*number].0, self.setup.requests[*number].0)
            }
            Event::Start(node) => (Kind::Start, *node, *node),
            Event::Crash(node) | Event::DiskError(node, _) => (Kind::Fault, *node, *node),
            Event::Omit(post) | Event::Duplicate(post) => (Kind::Fault, post.from, post.to),
        };
        let copies = match event {
            Event::Deliver(post) | Event::Omit(post) | Event::Duplicate(post) => self.copies(post),
            _ => 1,
        };
        Nature { kind, actor, target, footprint: self.footprint(event), copies, breaks: breaks(event) }
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
        for seat in &self.state.seats {
            (seat.up, sight(&seat.machine)).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.state.asked.hash(&mut hasher);
        for seat in &self.state.seats {
            seat.up.hash(&mut hasher);
            seat.machine.hash(&mut hasher);
        }
        for post in &self.state.posts {
            // The numbers of a link only order its messages, and they stand in their order.
            (post.from, post.to, &post.message).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn likeness(&self, one: &Event<P>, other: &Event<P>) -> Likeness {
        self.compare(one, other)
    }

    fn describe(&self, event: &Event<P>) -> Described {
        let name = |node: &usize| self.setup.names[*node].to_string();
        let down = matches!(event, Event::Crash(_));
        let at = |target: &usize, text, fault| Described { text, target: *target, from: None, fault, down };
        let from = |post: &Post<P::Message>, text, fault| Described {
            from: Some(post.from),
            ..at(&post.to, text, fault)
        };
        let call = |node: &usize, action: &P::Action| {
            let call = self.state.seats[*node].machine.call(action);
            let args: Vec<String> = call.args.iter().map(plain).collect();
            if args.is_empty() {
                call.action.into_owned()
            } else {
                format!("{} {}", call.action, args.join(" "))
            }
        };
        match event {
            Event::Deliver(post) => from(post, show::<P>(post), false),
            Event::Act(node, action) => at(node, call(node, action), false),
            Event::Request(number) => {
                let (node, action, args) = &self.setup.requests[*number];
                let args: Vec<String> = args.iter().map(plain).collect();
                at(node, format!("a client: {action} {}", args.join(" ")).trim_end().to_owned(), false)
            }
            Event::Start(node) => at(node, format!("start {}", name(node)), false),
            Event::Crash(node) => at(node, format!("CRASH {}", name(node)), true),
            Event::Omit(post) => from(post, format!("LOST {}", show::<P>(post)), true),
            Event::Duplicate(post) => from(post, format!("DOUBLED {}", show::<P>(post)), true),
            Event::DiskError(node, action) => at(node, format!("DISK ERROR in {}", call(node, action)), true),
        }
    }

    fn look(&self, node: usize) -> String {
        let seat = &self.state.seats[node];
        if seat.up { seat.machine.summary() } else { "down".to_owned() }
    }
}

fn breaks<P: Peer>(event: &Event<P>) -> Option<Break> {
    match event {
        Event::Crash(_) => Some(Break::Crash),
        Event::Omit(_) => Some(Break::Omit),
        Event::Duplicate(_) => Some(Break::Duplicate),
        Event::DiskError(..) => Some(Break::Disk),
        Event::Deliver(_) | Event::Act(..) | Event::Request(_) | Event::Start(_) => None,
    }
}

/// A message as it is shown: without the quotes and braces of JSON, which tell people nothing.
fn show<P: Peer>(post: &Post<P::Message>) -> String {
    plain(&P::show(&post.message))
}

fn plain(json: &serde_json::Value) -> String {
    json.to_string().replace(['"', '{', '}'], "")
}

impl<P: Peer> Machines<P> {
    fn add_actions(&self, events: &mut Vec<Event<P>>, wanted: impl Fn(Kind) -> bool) {
        for (node, seat) in self.state.seats.iter().enumerate().filter(|(_, seat)| seat.up) {
            let actions = seat.actions.iter().filter(|action| wanted(P::kind(action)));
            events.extend(actions.map(|action| Event::Act(node, action.clone())));
        }
    }

    fn copies(&self, post: &Post<P::Message>) -> u32 {
        let first = self.state.posts.partition_point(|other| other < post);
        self.state.posts[first..].iter().take_while(|other| *other == post).count() as u32
    }

    fn footprint(&self, event: &Event<P>) -> Footprint {
        let n_nodes = self.state.seats.len();
        let touched = |node| (Footprint::lives(node, n_nodes, self.setup.recover), Footprint::body(node));
        let (reads, writes) = match event {
            Event::Deliver(post) => {
                let (reads, writes) = touched(post.to);
                (reads | Footprint::life(post.from), writes)
            }
            // Whether it may fire depends on everything.
            Event::Act(_, action) if self.setup.patient && P::kind(action) == Kind::Timer => {
                (0, Footprint::everything())
            }
            Event::Act(node, _) | Event::DiskError(node, _) => touched(*node),
            Event::Request(number) => touched(self.setup.requests[*number].0),
            Event::Start(node) | Event::Crash(node) => (0, Footprint::whole(*node)),
            Event::Omit(post) | Event::Duplicate(post) => {
                (Footprint::life(post.from) | Footprint::life(post.to), 0)
            }
        };
        let letter = match event {
            Event::Deliver(post) | Event::Omit(post) | Event::Duplicate(post) => hash(post) | 1,
            _ => 0,
        };
        Footprint { reads, writes, letter }
    }
}
