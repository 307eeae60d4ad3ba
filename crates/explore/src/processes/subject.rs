//! How the search sees processes.

use kilter_testbed::{Command, Trouble, World};
use serde_json::Value as Json;

use super::event::plain;
use super::{Event, Processes};
use crate::machines::hash;
use crate::options::Spent;
use crate::subject::{Break, Described, Footprint, Kind, Likeness, NODES_MAX, Nature, Subject};

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
        events.sort_unstable();
        events
    }

    fn faults(&self, event: &Event) -> Vec<Event> {
        match event {
            Event::Deliver(letter) => {
                letter.from.map(Event::Crash).into_iter().chain([Event::Omit(letter.clone())]).collect()
            }
            Event::Act(node, ..) => [Event::Crash(*node)].into_iter().chain(self.disk_error(event)).collect(),
            Event::Request(number) => vec![Event::Crash(self.manners.requests[*number].0)],
            Event::Crash(_) | Event::Omit(_) | Event::Duplicate(_) | Event::DiskError(..) => Vec::new(),
        }
    }

    fn all_faults(&self) -> Vec<Event> {
        let up = (0..self.names.len()).filter(|node| self.is_up(*node)).map(Event::Crash);
        let letters = || {
            self.offered.iter().filter_map(|(event, ..)| match event {
                Event::Deliver(letter) if self.is_first(letter) => Some(letter.clone()),
                _ => None,
            })
        };
        let disks = self.offered.iter().filter_map(|(event, ..)| self.disk_error(event));
        up.chain(letters().map(Event::Omit)).chain(disks).chain(letters().map(Event::Duplicate)).collect()
    }

    fn perform(&mut self, event: &Event) -> Result<(), Trouble> {
        let command = match event {
            Event::Deliver(_) | Event::Act(..) => Command::Go(self.offer_of(event)?),
            Event::Omit(letter) => Command::Drop(self.offer_of(&Event::Deliver(letter.clone()))?),
            Event::Duplicate(letter) => Command::Duplicate(self.offer_of(&Event::Deliver(letter.clone()))?),
            Event::Crash(node) => return self.crash(*node),
            Event::DiskError(node, action, args) => self.failing(*node, action, args),
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
            Event::Deliver(letter) | Event::Omit(letter) | Event::Duplicate(letter) => {
                (letter.from.unwrap_or(letter.to), letter.to)
            }
            Event::Act(node, ..) | Event::Crash(node) | Event::DiskError(node, ..) => (*node, *node),
            Event::Request(number) => (self.manners.requests[*number].0, self.manners.requests[*number].0),
        };
        let message = match event {
            Event::Omit(letter) | Event::Duplicate(letter) => &Event::Deliver(letter.clone()),
            other => other,
        };
        let offered = self.offered.iter().find(|(other, ..)| other == message);
        let copies = offered.map_or(1, |(.., copies)| *copies);
        Nature {
            kind: self.kind(event),
            actor,
            target,
            footprint: self.footprint(event),
            copies,
            breaks: breaks(event),
        }
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
    fn fingerprint(&self) -> u64 {
        let reports = self.names.iter().map(|name| {
            let report = self.world.variables(name)?;
            Some(report.iter().map(|(name, value)| (name.clone(), value.to_string())).collect::<Vec<_>>())
        });
        let events: Vec<_> = self.offered.iter().map(|(event, _, copies)| (event, copies)).collect();
        let mut flights: Vec<_> = self
            .world
            .flights()
            .iter()
            .map(|flight| (&flight.from, &flight.to, flight.message.to_string(), flight.copies))
            .collect();
        // Their order tells something only where it decides.
        if !self.manners.in_order {
            flights.sort_unstable();
        }
        hash(&(reports.collect::<Vec<_>>(), events, flights, &self.asked))
    }

    fn is_seen_whole(&self) -> bool {
        self.manners.complete
    }

    fn likeness(&self, one: &Event, other: &Event) -> Likeness {
        self.compare(one, other)
    }

    fn describe(&self, event: &Event) -> Described {
        let Nature { target, .. } = self.nature(event);
        let (from, fault) = match event {
            Event::Deliver(letter) => (letter.from, false),
            Event::Omit(letter) | Event::Duplicate(letter) => (letter.from, true),
            Event::Crash(_) | Event::DiskError(..) => (None, true),
            _ => (None, false),
        };
        let down = matches!(event, Event::Crash(_)) && !self.manners.recover;
        Described { text: self.words(event), target, from, fault, down }
    }

    fn look(&self, node: usize) -> String {
        let report = self.world.variables(&self.names[node]);
        report.map_or_else(|| "down".to_owned(), |report| plain(&serde_json::json!(report).to_string()))
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}

fn breaks(event: &Event) -> Option<Break> {
    match event {
        Event::Crash(_) => Some(Break::Crash),
        Event::Omit(_) => Some(Break::Omit),
        Event::Duplicate(_) => Some(Break::Duplicate),
        Event::DiskError(..) => Some(Break::Disk),
        Event::Deliver(_) | Event::Act(..) | Event::Request(_) => None,
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

    /// The failure of an action that reads or writes what is stored, if the system has a way to make it fail.
    fn disk_error(&self, event: &Event) -> Option<Event> {
        self.manners.disk_error.as_ref()?;
        match event {
            Event::Act(node, action, args) if self.kind(event) == Kind::Storage => {
                Some(Event::DiskError(*node, action.clone(), args.clone()))
            }
            _ => None,
        }
    }

    /// The request that makes an action fail.
    fn failing(&self, node: usize, action: &str, args: &str) -> Command {
        let request = self.manners.disk_error.clone().unwrap_or_default();
        let mut words = vec![Json::from(action)];
        words.extend(serde_json::from_str::<Vec<Json>>(args).unwrap_or_default());
        Command::Request { node: self.names[node].clone(), action: request, args: words }
    }

    fn kind(&self, event: &Event) -> Kind {
        match event {
            Event::Deliver(_) => Kind::Delivery,
            Event::Act(_, action, _) if self.manners.timers.contains(&**action) => Kind::Timer,
            Event::Act(_, action, _) if self.manners.storage.contains(&**action) => Kind::Storage,
            Event::Act(..) => Kind::Step,
            Event::Request(_) => Kind::Request,
            Event::Crash(_) | Event::Omit(_) | Event::Duplicate(_) | Event::DiskError(..) => Kind::Fault,
        }
    }

    fn footprint(&self, event: &Event) -> Footprint {
        let lives = Footprint::life;
        let (reads, writes) = match event {
            Event::Deliver(letter) => {
                let sender = letter.from.map_or(0, Footprint::life);
                (lives(letter.to) | sender, Footprint::body(letter.to))
            }
            // Whether it may fire depends on everything.
            Event::Act(..) if self.manners.patient && self.kind(event) == Kind::Timer => {
                (0, Footprint::everything())
            }
            Event::Act(node, ..) | Event::DiskError(node, ..) => (lives(*node), Footprint::body(*node)),
            Event::Request(number) => {
                let node = self.manners.requests[*number].0;
                (lives(node), Footprint::body(node))
            }
            Event::Crash(node) => (0, Footprint::whole(*node)),
            Event::Omit(letter) | Event::Duplicate(letter) => {
                (letter.from.map_or(0, Footprint::life) | Footprint::life(letter.to), 0)
            }
        };
        let letter = match event {
            Event::Deliver(letter) | Event::Omit(letter) | Event::Duplicate(letter) => hash(letter) | 1,
            _ => 0,
        };
        Footprint { reads, writes, letter }
    }
}
