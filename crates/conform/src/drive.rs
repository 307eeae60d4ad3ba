//! Plays one case: drives the system along a path of the graph, and compares it with the specification after every
//! step.

#![expect(clippy::disallowed_methods, reason = "measures how long a case takes")]

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use kilter_graph::{EdgeId, StateId};
use kilter_run::logs;
use kilter_system::{Fault, Struck};
use kilter_testbed::cluster::fill;
use kilter_testbed::remains;
use kilter_testbed::{Command, Flight, NodeName, OfferId, Target, Trouble, Until, Waited, World};
use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use crate::cases::Case;
use crate::discovery::Discovery;
use crate::hints;
use crate::known::KnownFine;
use crate::observe::Observer;
use crate::plan::{Plan, Step};
use crate::reading::{Library, ReadId};
use crate::traffic::{Log, Shown, Teller};
use crate::unexpected::forbidden;
use kilter_mapping::COUNT;
use kilter_mapping::mapping::{Deed, Template};
use kilter_mapping::translate::Translator;

/// The result of a case.
#[derive(Clone, Debug)]
pub struct Played {
    /// The number of steps that were taken and compared.
    pub steps: u32,
    /// How the case ended.
    pub ending: Ending,
    /// How long it took.
    pub took: Duration,
    /// How much of that was spent waiting for a timeout.
    pub waited: Duration,
    /// Oddities that are not findings.
    pub notes: Vec<String>,
    /// Whether a node offered to take in a message that nobody had reported as sent, while no program from outside ran that may have sent it.
    pub is_unreported: bool,
    /// The variables that no node has reported, though any might.
    pub silent: Vec<usize>,
}

/// How a case ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// The system did everything that the specification says, and nothing else.
    Passed,
    /// The system did something else.
    Found(Box<Discovery>),
    /// The system could not be started.
    NotStarted(Trouble),
    /// The user has pressed Ctrl-C.
    Interrupted,
}

/// Why a step was the last one.
enum Stop {
    Found(Box<Discovery>),
    Interrupted,
}

/// Drives one world along one case after the other.
pub struct Driver<'p> {
    plan: &'p Plan<'p>,
    translator: Translator<'p>,
    world: Box<dyn World + 'p>,
    names: Vec<NodeName>,
    observer: Observer,
    library: Library,
    /// The offers that stand now.
    offers: Vec<(OfferId, ReadId)>,
    /// Whether `offers` is up to date.
    offers_are_fresh: bool,
    /// States with sets of offers that are known to be allowed.
    fine: KnownFine,
    /// For each action, the number of requests so far.
    counts: FxHashMap<usize, u64>,
    /// The messages in flight after each step of the case.
    log: Log,
    /// Whether a program from outside has run in the case.
    has_outside: bool,
    is_unreported: bool,
    /// What nodes and their testbed have said in the case.
    notes: Vec<String>,
}

impl<'p> Driver<'p> {
    /// Makes a driver for a world.
    pub fn new(plan: &'p Plan<'p>, store: &'p Store, world: Box<dyn World + 'p>) -> Driver<'p> {
        let translator = Translator { store, words: &plan.mapping.words };
        let names = plan.mapping.words.nodes().iter().map(|(name, _)| name.as_str().into()).collect();
        Driver {
            plan,
            translator,
            world,
            names,
            observer: Observer::new(plan),
            library: Library::default(),
            offers: Vec::new(),
            offers_are_fresh: false,
            fine: KnownFine::default(),
            counts: FxHashMap::default(),
            log: Log::default(),
            has_outside: false,
            is_unreported: false,
            notes: Vec::new(),
        }
    }

    /// Drives the system along a case.
    pub fn play(&mut self, case: &Case) -> Played {
        let started = Instant::now();
        let mut steps = 0;
        let ending = match self.start() {
            Err(Trouble::Interrupted) => Ending::Interrupted,
            Err(trouble) => Ending::NotStarted(trouble),
            Ok(()) => match self.walk(case, &mut steps) {
                Ok(()) => Ending::Passed,
                Err(Stop::Found(discovery)) => Ending::Found(discovery),
                Err(Stop::Interrupted) => Ending::Interrupted,
            },
        };
        self.notes.extend(self.world.take_notes());
        let (waited, notes) = (self.world.waited(), std::mem::take(&mut self.notes));
        let is_unreported = self.is_unreported;
        let silent = self.observer.silent().to_vec();
        Played { steps, ending, took: started.elapsed(), waited, notes, is_unreported, silent }
    }

    /// Copies what the nodes have written and printed.
    pub fn keep(&self, folder: &Path, name: &str) -> Result<(), Trouble> {
        remains::keep(&*self.world, folder, name)
    }

    /// Writes the logs of the last case into the folder of a run. Returns the name of their folder there. `None` if there
    /// are no logs, because the nodes are not processes.
    pub fn log(&self, run: &Path, case: &str) -> io::Result<Option<String>> {
        if !self.world.has_logs() {
            return Ok(None);
        }
        let (dir, name) = logs::make(run, case)?;
        self.world.write_logs(&dir)?;
        Ok(Some(name))
    }

    /// Ends everything that was started.
    pub fn stop(&mut self) {
        self.world.stop();
    }

    fn start(&mut self) -> Result<(), Trouble> {
        self.observer.begin(self.plan);
        self.log.clear();
        self.counts.clear();
        self.offers.clear();
        self.offers_are_fresh = false;
        (self.has_outside, self.is_unreported) = (false, false);
        self.world.start()
    }

    fn walk(&mut self, case: &Case, steps: &mut u32) -> Result<(), Stop> {
        self.look(case, 0, case.start)?;
        for (index, edge) in case.edges.iter().enumerate() {
            let number = index as u32 + 1;
            self.perform(case, number, *edge)?;
            if self.plan.rule(*edge).compares {
                self.look(case, number, self.plan.graph.target(*edge))?;
            } else {
                self.note_flights();
            }
            *steps = number;
        }
        Ok(())
    }

    /// Compares the system with a state, and its offers with what the specification allows there.
    fn look(&mut self, case: &Case, number: u32, state: StateId) -> Result<(), Stop> {
        let differences = self.observer.differences(self.plan, self.translator, &*self.world, state);
        self.note_seen();
        self.read_offers();
        if !differences.is_empty() {
            return Err(self.found(case, Discovery::inconsistent(self.plan, case, number, differences)));
        }
        let ids: Vec<ReadId> = self.offers.iter().map(|(_, read)| *read).collect();
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        if self.fine.contains(state, &sorted) {
            return Ok(());
        }
        match forbidden(self.plan, &self.library, &ids, state) {
            None => {
                self.fine.insert(state, sorted);
                Ok(())
            }
            Some(id) => {
                let read = self.library.get(id);
                let shown = read.show(self.plan, self.translator);
                let discovery = Discovery::unexpected(self.plan, case, number, read, &shown);
                Err(self.found(case, discovery))
            }
        }
    }

    /// Notes the messages in flight after a step.
    fn note_flights(&mut self) {
        self.observer.flights.look(self.plan, self.translator, self.world.flights());
        self.note_seen();
    }

    fn note_seen(&mut self) {
        self.log.note(self.observer.flights.now());
        self.is_unreported |= !self.has_outside && self.observer.flights.has_unreported();
    }

    fn read_offers(&mut self) {
        if self.offers_are_fresh {
            return;
        }
        self.offers_are_fresh = true;
        // An offer keeps its number and its content, and most offers stand for many steps. If two nodes have sent the
        // same message, its sender is known only when one copy has been taken in.
        let before = std::mem::take(&mut self.offers);
        let mut before = before.into_iter().peekable();
        for (id, offer) in self.world.offers() {
            while before.next_if(|(old, _)| old < id).is_some() {}
            let message = offer.message.as_ref().filter(|_| self.plan.asks_for_sender);
            if let Some(same) = before.next_if(|(old, _)| old == id && message.is_none()) {
                self.offers.push(same);
                continue;
            }
            let from = message.and_then(|message| {
                let flights = self.world.flights().iter();
                let mut same = flights.filter(|flight| flight.to == offer.node && flight.message == *message);
                same.next()?.from.as_ref().and_then(|from| self.plan.mapping.words.node_named(from))
            });
            let read = self.library.read(offer, from, self.plan, self.translator);
            self.offers.push((*id, read));
        }
    }

    fn perform(&mut self, case: &Case, number: u32, edge: EdgeId) -> Result<(), Stop> {
        let plan = self.plan;
        let step = plan.step(edge);
        let rule = plan.rule(edge);
        match &rule.deed {
            Deed::Internal => Ok(()),
            Deed::Offer { provoked_by, .. } => {
                if let Some(words) = provoked_by {
                    self.run(case, number, step, words, Until::Offer)?;
                }
                let id = self.await_offer(case, number, |read| read.fits(step))?;
                self.tell(case, number, &Command::Go(id))
            }
            Deed::Request { name, args } => {
                let command = self
                    .request(step, name, args)
                    .map_err(|problem| self.found(case, Discovery::cannot(plan, case, number, &problem)))?;
                self.tell(case, number, &command)
            }
            Deed::Command(words) => self.run(case, number, step, words, Until::End),
            Deed::Fault(fault) => {
                for part in fault.parts() {
                    if let Some(target) = self.target(case, number, part, step)? {
                        self.tell(case, number, &Command::Fault(part, target))?;
                    }
                }
                Ok(())
            }
        }
    }

    /// A message in flight to a node that is down. No node will offer to take it in.
    fn unread(&mut self, message: Value) -> Option<(NodeName, Json)> {
        let (plan, translator, world) = (self.plan, self.translator, &self.world);
        let is_unread = |flight: &&Flight| world.variables(&flight.to).is_none();
        let mut flights = world.flights().iter().filter(is_unread);
        let found =
            flights.find(|flight| self.observer.flights.value(flight, plan, translator) == Some(message))?;
        Some((found.to.clone(), found.message.clone()))
    }

    /// Waits until a certain offer stands.
    fn await_offer(
        &mut self,
        case: &Case,
        number: u32,
        is_it: impl Fn(&crate::reading::Read) -> bool,
    ) -> Result<OfferId, Stop> {
        loop {
            self.read_offers();
            let found = self.offers.iter().find(|(_, read)| is_it(self.library.get(*read)));
            if let Some((id, _)) = found {
                return Ok(*id);
            }
            self.offers_are_fresh = false;
            match self.world.wait() {
                Ok(Waited::Changed) => {}
                Ok(Waited::Still) => return Err(self.missing(case, number, false)),
                Ok(Waited::GaveUp) => return Err(self.missing(case, number, true)),
                Err(trouble) => return Err(self.trouble(case, number, &trouble)),
            }
        }
    }

    fn missing(&mut self, case: &Case, number: u32, gave_up: bool) -> Stop {
        self.read_offers();
        let reads: Vec<_> = self.offers.iter().map(|(_, read)| self.library.get(*read)).collect();
        let discovery = Discovery::missing(self.plan, self.translator, case, number, &reads, gave_up);
        self.found(case, discovery)
    }

    /// The number of requests of a step's action, with a new one.
    fn count(&mut self, step: &Step) -> u64 {
        let count = self.counts.entry(step.rule).or_default();
        *count += 1;
        *count
    }

    /// Runs the program that makes the request of a step.
    fn run(
        &mut self,
        case: &Case,
        number: u32,
        step: &Step,
        words: &[String],
        until: Until,
    ) -> Result<(), Stop> {
        let count = self.count(step);
        self.has_outside = true;
        let command = self
            .program(step, words, count, until)
            .map_err(|problem| self.found(case, Discovery::cannot(self.plan, case, number, &problem)))?;
        self.tell(case, number, &command)
    }

    fn program(&self, step: &Step, words: &[String], count: u64, until: Until) -> Result<Command, String> {
        let rule = &self.plan.mapping.rules[step.rule];
        let mut values = BTreeMap::from([(COUNT, count.to_string())]);
        for ((name, shape), arg) in rule.params.iter().zip(&rule.shapes).zip(&step.args) {
            let json = self.translator.json(shape, *arg).map_err(|misfit| misfit.to_string())?;
            values.insert(name, json.as_str().map_or_else(|| json.to_string(), str::to_owned));
        }
        let node = step.node.ok_or("no node to run it against")?;
        let words = words.iter().map(|word| fill(word, &values)).collect();
        Ok(Command::Run { node: self.names[node].clone(), words, until })
    }

    fn request(&mut self, step: &Step, name: &str, args: &[Template]) -> Result<Command, String> {
        let count = self.count(step);
        let rule = &self.plan.mapping.rules[step.rule];
        let arg = |template: &Template| match template {
            Template::Count => Ok(Json::from(count)),
            Template::Fixed(json) => Ok(json.clone()),
            Template::Param(param) => {
                let json = self.translator.json(&rule.shapes[*param], step.args[*param]);
                json.map_err(|misfit| misfit.to_string())
            }
        };
        let args: Vec<Json> = args.iter().map(arg).collect::<Result<_, String>>()?;
        let node = step.node.ok_or("no node to ask")?;
        Ok(Command::Request { node: self.names[node].clone(), action: name.to_owned(), args })
    }

    /// The target of a fault in a step.
    fn target(
        &mut self,
        case: &Case,
        number: u32,
        fault: Fault,
        step: &Step,
    ) -> Result<Option<Target>, Stop> {
        let name = |node: Option<usize>| node.map(|node| self.names[node].clone());
        Ok(match fault.strikes() {
            Struck::Node | Struck::Action => name(step.node).map(Target::Node),
            Struck::Link => {
                name(step.node).zip(name(step.other)).map(|(one, other)| Target::Link(one, other))
            }
            Struck::Message => {
                let message = step.message.unwrap_or(Value::UNSET);
                if let Some((to, message)) = self.unread(message) {
                    return Ok(Some(Target::Unread { to, message }));
                }
                Some(Target::Message(self.await_offer(case, number, |read| read.takes(message, step.node))?))
            }
        })
    }

    fn tell(&mut self, case: &Case, number: u32, command: &Command) -> Result<(), Stop> {
        self.offers_are_fresh = false;
        match self.world.perform(command) {
            Ok(()) => Ok(()),
            Err(trouble) => Err(self.trouble(case, number, &trouble)),
        }
    }

    fn trouble(&mut self, case: &Case, number: u32, trouble: &Trouble) -> Stop {
        match trouble {
            Trouble::Interrupted => Stop::Interrupted,
            Trouble::Impossible(why) => {
                let discovery = Discovery::cannot(self.plan, case, number, why);
                self.found(case, discovery)
            }
            Trouble::Refused { .. } => {
                let discovery = Discovery::refused(self.plan, case, number, trouble);
                self.found(case, discovery)
            }
            trouble => {
                let discovery = Discovery::crash(self.plan, case, number, trouble);
                self.found(case, discovery)
            }
        }
    }

    /// Adds the present offers and the messages of all steps to a discovery.
    fn found(&mut self, case: &Case, mut discovery: Discovery) -> Stop {
        if self.log.n_noted() <= discovery.step as usize {
            self.note_flights();
        }
        let Discovery { kind, step, differences, .. } = &discovery;
        let shown = Shown { kind: *kind, step: *step, differences };
        let (store, flights) = (self.translator.store, &self.observer.flights);
        let teller = Teller { plan: self.plan, store, flights, log: &self.log };
        discovery.traffic = teller.tell(case, &shown);
        self.notes.extend(self.world.take_notes());
        discovery.hint(hints::about_globals(self.plan, &discovery.differences, &*self.world));
        let is_down = |node: &str| self.world.variables(node).is_none();
        discovery.hint(hints::about_messages(discovery.kind, &discovery.traffic, &is_down, &self.notes));
        discovery.hint(hints::about_threads(discovery.kind, &self.notes));
        for (_, read) in &self.offers {
            let read = self.library.get(*read);
            let node = self.names.get(read.node).map(ToString::to_string).unwrap_or_default();
            discovery
                .offers
                .push(kilter_run::Offered { node, action: read.show(self.plan, self.translator) });
        }
        Stop::Found(Box::new(discovery))
    }
}
