//! Processes as the search sees them.

use kilter_run::logs;
use kilter_testbed::remains;
use kilter_testbed::{Command, Fault, Trouble, World};
use serde_json::Value as Json;

use super::event::plain;
use super::{Event, Flight, Processes};
use crate::counts::Spent;
use crate::machines::hash;
use crate::subject::{Described, Footprint, Kind, Likeness, NODES_MAX, Nature, Subject, node_faults};

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
        let crash = |node| Event::OnNode(Fault::Crash, node);
        match event {
            Event::Deliver(flight) => {
                let lost = Event::OnMessage(Fault::Drop, flight.clone());
                flight.from.map(crash).into_iter().chain([lost]).collect()
            }
            Event::Act(node, ..) => [crash(*node)].into_iter().chain(self.disk_error(event)).collect(),
            Event::Request(number) => vec![crash(self.manners.requests[*number].0)],
            _ => Vec::new(),
        }
    }

    fn all_faults(&self) -> Vec<Event> {
        let up = (0..self.names.len()).filter(|node| self.is_up(*node));
        let nodes = up.flat_map(|node| node_faults().map(move |fault| Event::OnNode(fault, node)));
        let messages = self.offered.iter().filter_map(|(event, ..)| match event {
            Event::Deliver(flight) if self.is_first(flight) => Some(flight),
            _ => None,
        });
        let messages = messages.flat_map(|flight| {
            [Fault::Drop, Fault::Duplicate].map(|fault| Event::OnMessage(fault, flight.clone()))
        });
        let disks = self.offered.iter().filter_map(|(event, ..)| self.disk_error(event));
        let mut faults: Vec<Event> = nodes.chain(messages).chain(disks).collect();
        faults.sort_by_key(Event::fault);
        faults
    }

    fn perform(&mut self, event: &Event) -> Result<(), Trouble> {
        let command = match event {
            Event::Deliver(_) | Event::Act(..) => Command::Go(self.offer_of(event)?),
            Event::OnMessage(fault, flight) => {
                Command::on_message(*fault, self.offer_of(&Event::Deliver(flight.clone()))?)
            }
            Event::Start(node) => Command::on_node(Fault::Start, self.names[*node].clone()),
            Event::OnNode(fault, node) => {
                if *fault == Fault::Crash {
                    self.lose_sent(*node)?;
                }
                Command::on_node(*fault, self.names[*node].clone())
            }
            Event::OnAction(_, node, action, args) => self.failing(*node, action, args),
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
            Event::Deliver(flight) | Event::OnMessage(_, flight) => {
                (flight.from.unwrap_or(flight.to), flight.to)
            }
            Event::Act(node, ..)
            | Event::Start(node)
            | Event::OnNode(_, node)
            | Event::OnAction(_, node, ..) => (*node, *node),
            Event::Request(number) => (self.manners.requests[*number].0, self.manners.requests[*number].0),
        };
        let message = match event {
            Event::OnMessage(_, flight) => &Event::Deliver(flight.clone()),
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
            fault: event.fault(),
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

    /// Covers only what nodes report.
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
        // The order of messages belongs to the state only if it decides what can happen.
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
            Event::Deliver(flight) => (flight.from, false),
            Event::OnMessage(_, flight) => (flight.from, true),
            other => (None, other.fault().is_some()),
        };
        let down = event.fault() == Some(Fault::Crash);
        Described { text: self.words(event), target, from, fault, down }
    }

    fn look(&self, node: usize) -> String {
        let report = self.world.variables(&self.names[node]);
        report.map_or_else(|| "down".to_owned(), |report| plain(&serde_json::json!(report).to_string()))
    }

    fn keep(&self, schedule: &str) -> Result<(), Trouble> {
        let Some(folder) = &self.manners.keep else { return Ok(()) };
        remains::keep(&self.world, folder, schedule)
    }

    fn take_notes(&mut self) -> Vec<String> {
        self.world.take_notes()
    }

    fn log(&self, schedule: &str) -> Option<String> {
        let run = self.manners.logs.as_ref().filter(|_| self.world.has_logs())?;
        let (dir, name) = logs::make(run, schedule).ok()?;
        self.world.write_logs(&dir).ok()?;
        Some(name)
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}

impl<W: World> Processes<W> {
    fn may_happen(&self, event: &Event) -> bool {
        match event {
            Event::Deliver(flight) => self.is_first(flight),
            Event::Act(_, action, _) => !self.manners.never.contains(&**action),
            _ => true,
        }
    }

    /// The failure of an action that reads or writes what is stored. `None` if the system has no request for it.
    fn disk_error(&self, event: &Event) -> Option<Event> {
        self.manners.disk_error.as_ref()?;
        match event {
            Event::Act(node, action, args) if self.kind(event) == Kind::Storage => {
                Some(Event::OnAction(Fault::Disk, *node, action.clone(), args.clone()))
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
            Event::Start(_) => Kind::Start,
            Event::OnNode(..) | Event::OnMessage(..) | Event::OnAction(..) => Kind::Fault,
        }
    }

    fn footprint(&self, event: &Event) -> Footprint {
        let n_nodes = self.names.len();
        let touched = |node| (Footprint::lives(node, n_nodes, self.manners.recover), Footprint::body(node));
        let sender = |flight: &Flight| flight.from.map_or(0, Footprint::life);
        let (reads, writes) = match event {
            Event::Deliver(flight) => {
                let (reads, writes) = touched(flight.to);
                (reads | sender(flight), writes)
            }
            // Whether a patient timer may fire depends on everything.
            Event::Act(..) if self.manners.patient && self.kind(event) == Kind::Timer => {
                (0, Footprint::everything())
            }
            Event::Act(node, ..) | Event::OnAction(_, node, ..) => touched(*node),
            Event::Request(number) => touched(self.manners.requests[*number].0),
            Event::Start(node) | Event::OnNode(_, node) => (0, Footprint::whole(*node)),
            Event::OnMessage(_, flight) => (sender(flight) | Footprint::life(flight.to), 0),
        };
        let message = match event {
            Event::Deliver(flight) | Event::OnMessage(_, flight) => hash(flight) | 1,
            _ => 0,
        };
        Footprint { reads, writes, message }
    }
}
