//! How the search sees processes.

use std::time::Duration;

use kilter_testbed::{Command, Trouble, World};

use super::{Event, Processes, plain};
use crate::machines::hash;
use crate::subject::{Described, Footprint, Kind, Likeness, NODES_MAX, Nature, Subject};

impl<W: World> Subject for Processes<W> {
    type Event = Event;
    type Mark = ();

    fn nodes(&self) -> Vec<String> {
        self.names.iter().map(ToString::to_string).collect()
    }

    fn n_nodes(&self) -> usize {
        self.names.len()
    }

    fn start(&mut self) -> Result<(), Trouble> {
        if self.names.len() > NODES_MAX {
            return Err(Trouble::NotStarted(format!("{} nodes; {NODES_MAX} are the most", self.names.len())));
        }
        self.asked = vec![false; self.manners.requests.len()];
        self.let_world(W::start)
    }

    fn enabled(&self) -> Vec<Event> {
        let offered = || self.offered.iter().map(|(event, ..)| event).filter(|event| self.may_happen(event));
        let is_timer = |event: &&Event| self.kind(event) == Kind::Timer;
        let mut events: Vec<Event> = offered().filter(|event| !is_timer(event)).cloned().collect();
        let open = self.asked.iter().enumerate().filter(|(_, asked)| !**asked).map(|(number, _)| number);
        events.extend(open.filter(|n| self.is_up(self.manners.requests[*n].0)).map(Event::Request));
        if !self.manners.patient || events.is_empty() {
            events.extend(offered().filter(is_timer).cloned());
        }
        if self.manners.recover {
            events.extend((0..self.names.len()).filter(|node| !self.is_up(*node)).map(Event::Start));
        }
        events.sort_unstable();
        events
    }

    fn faults(&self, event: &Event) -> Vec<Event> {
        match event {
            Event::Deliver(letter) => {
                letter.from.map(Event::Crash).into_iter().chain([Event::Omit(letter.clone())]).collect()
            }
            Event::Act(node, ..) => vec![Event::Crash(*node)],
            Event::Request(number) => vec![Event::Crash(self.manners.requests[*number].0)],
            Event::Start(_) | Event::Crash(_) | Event::Omit(_) => Vec::new(),
        }
    }

    fn all_faults(&self) -> Vec<Event> {
        let up = (0..self.names.len()).filter(|node| self.is_up(*node)).map(Event::Crash);
        let letters = self.offered.iter().filter_map(|(event, ..)| match event {
            Event::Deliver(letter) if self.is_first(letter) => Some(Event::Omit(letter.clone())),
            _ => None,
        });
        up.chain(letters).collect()
    }

    fn perform(&mut self, event: &Event) -> Result<(), Trouble> {
        let command = match event {
            Event::Deliver(_) | Event::Act(..) => Command::Go(self.offer_of(event)?),
            Event::Omit(letter) => Command::Drop(self.offer_of(&Event::Deliver(letter.clone()))?),
            Event::Crash(node) => return self.crash(*node),
            Event::Start(node) => Command::Start(self.names[*node].clone()),
            Event::Request(number) => {
                self.asked[*number] = true;
                let (node, action, args) = self.manners.requests[*number].clone();
                Command::Request { node: self.names[node].clone(), action, args }
            }
        };
        self.let_world(|world| world.perform(&command))
    }

    fn mark(&self) -> Option<()> {
        None
    }

    fn restore(&mut self, (): &()) {}

    fn nature(&self, event: &Event) -> Nature {
        let (actor, target) = match event {
            Event::Deliver(letter) | Event::Omit(letter) => (letter.from.unwrap_or(letter.to), letter.to),
            Event::Act(node, ..) | Event::Start(node) | Event::Crash(node) => (*node, *node),
            Event::Request(number) => (self.manners.requests[*number].0, self.manners.requests[*number].0),
        };
        let copies = self.offered.iter().find(|(other, ..)| other == event).map_or(1, |(.., copies)| *copies);
        Nature { kind: self.kind(event), actor, target, footprint: self.footprint(event), copies }
    }

    fn violated(&self) -> Option<String> {
        self.judgement.violated.clone()
    }

    fn reached(&self) -> Option<bool> {
        self.judgement.reached
    }

    fn sight(&self) -> u64 {
        let seen = self.names.iter().map(|name| {
            let report = self.world.variables(name)?;
            let seen =
                self.manners.sight.iter().map(|variable| report.get(variable).map(ToString::to_string));
            Some(seen.collect::<Vec<_>>())
        });
        hash(&seen.collect::<Vec<_>>())
    }

    /// As far as nodes show what they hold.
    fn fingerprint(&self) -> Option<u64> {
        let reports = self.names.iter().map(|name| {
            let report = self.world.variables(name)?;
            Some(report.iter().map(|(name, value)| (name.clone(), value.to_string())).collect::<Vec<_>>())
        });
        let events: Vec<_> = self.offered.iter().map(|(event, _, copies)| (event, copies)).collect();
        Some(hash(&(reports.collect::<Vec<_>>(), events, &self.asked)))
    }

    fn likeness(&self, one: &Event, other: &Event) -> Likeness {
        self.compare(one, other)
    }

    fn describe(&self, event: &Event) -> Described {
        let Nature { target, .. } = self.nature(event);
        let (from, fault) = match event {
            Event::Deliver(letter) => (letter.from, false),
            Event::Omit(letter) => (letter.from, true),
            Event::Crash(_) => (None, true),
            _ => (None, false),
        };
        Described { text: self.words(event), target, from, fault }
    }

    fn look(&self, node: usize) -> String {
        let report = self.world.variables(&self.names[node]);
        report.map_or_else(|| "down".to_owned(), |report| plain(&serde_json::json!(report).to_string()))
    }

    fn busy(&self) -> Duration {
        self.busy
    }
}

impl<W: World> Processes<W> {
    fn may_happen(&self, event: &Event) -> bool {
        match event {
            Event::Deliver(letter) => self.is_first(letter),
            Event::Act(_, action, _) => !self.manners.never.contains(&**action),
            _ => true,
        }
    }

    fn kind(&self, event: &Event) -> Kind {
        match event {
            Event::Deliver(_) => Kind::Delivery,
            Event::Act(_, action, _) if self.manners.timers.contains(&**action) => Kind::Timer,
            Event::Act(_, action, _) if self.manners.storage.contains(&**action) => Kind::Storage,
            Event::Act(..) => Kind::Step,
            Event::Request(_) => Kind::Request,
            Event::Start(_) => Kind::Start,
            Event::Crash(_) | Event::Omit(_) => Kind::Fault,
        }
    }

    fn footprint(&self, event: &Event) -> Footprint {
        let lives = |node| Footprint::lives(node, self.names.len(), self.manners.recover);
        let (reads, writes) = match event {
            Event::Deliver(letter) => {
                let sender = letter.from.map_or(0, Footprint::life);
                (lives(letter.to) | sender, Footprint::body(letter.to))
            }
            // Whether it may fire depends on everything.
            Event::Act(..) if self.manners.patient && self.kind(event) == Kind::Timer => {
                (0, Footprint::everything())
            }
            Event::Act(node, ..) => (lives(*node), Footprint::body(*node)),
            Event::Request(number) => {
                let node = self.manners.requests[*number].0;
                (lives(node), Footprint::body(node))
            }
            Event::Start(node) | Event::Crash(node) => (0, Footprint::whole(*node)),
            Event::Omit(letter) => (letter.from.map_or(0, Footprint::life) | Footprint::life(letter.to), 0),
        };
        let letter = match event {
            Event::Deliver(letter) | Event::Omit(letter) => hash(letter) | 1,
            _ => 0,
        };
        Footprint { reads, writes, letter }
    }
}
