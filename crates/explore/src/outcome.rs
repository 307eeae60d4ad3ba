//! What a search comes to, without the system's own types: for people and for scripts. `replay` does a finding again.

mod replay;

use std::cell::RefCell;

use kilter_testbed::Trouble;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::finding::{Finding, Wrong, is_finding};
use crate::lanes;
use crate::minimise::{Minimal, all_possible, minimise};
use crate::options::{Counts, Options, Progress};
use crate::parts::parts;
use crate::search::{Explorer, Part};
use crate::subject::{Described, Subject};

/// What the search of a part comes to.
pub struct Searched {
    /// How far it has come.
    pub counts: Counts,
    /// The states, as hashes, if they are counted.
    pub states: FxHashSet<u64>,
    /// Where it was when it was ended early.
    pub saved: Option<Json>,
}

/// A sequence, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Whether something is.
    pub fails: bool,
    /// In one word: `safety`, `deadlock`, `liveness`, `crash`; `fine` if nothing is.
    pub kind: String,
    /// In a sentence.
    pub sentence: String,
    /// The places of the events that must be given, in the lists of all that is possible.
    pub places: Vec<usize>,
    /// What happens.
    pub events: Vec<Described>,
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// What the nodes hold at the end.
    pub at_end: Vec<String>,
}

/// The schedule without any step.
pub const START: &str = "start";

impl Told {
    /// As it is given to `--replay`.
    pub fn schedule(&self) -> String {
        if self.places.is_empty() {
            return START.to_owned();
        }
        self.places.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")
    }

    /// For scripts.
    pub fn json(&self) -> Json {
        let events: Vec<&str> = self.events.iter().map(|event| event.text.as_str()).collect();
        json!({
            "kind": self.kind,
            "what": self.sentence,
            "schedule": self.schedule(),
            "given": self.places.len(),
            "events": events,
            "nodes": self.at_end,
        })
    }

    /// For people.
    pub fn draw(&self) -> String {
        let n_given = self.places.len();
        let mut parts = vec![lanes::draw(&self.nodes, &self.events)];
        if n_given < self.events.len() {
            let rest = self.events.len() - n_given;
            parts.push(format!("The last {rest} follow by themselves, first come first served.\n"));
        }
        let at_end = self.nodes.iter().zip(&self.at_end);
        parts.extend(at_end.map(|(name, holds)| format!("  {name}: {holds}\n")));
        parts.concat()
    }
}

/// A system of any type that can be explored.
pub trait Explorable: Sync {
    /// The names of its nodes.
    fn nodes(&self) -> Vec<String>;

    /// The parts of a search, about as many as wanted.
    fn parts(&self, options: &Options, n_wanted: usize) -> Result<Vec<Part>, Trouble>;

    /// Searches a part; `progress` is told what was found.
    fn explore(
        &self,
        part: &Part,
        options: &Options,
        progress: &mut dyn Progress,
    ) -> Result<Searched, Trouble>;

    /// Makes a sequence shorter that shows what is wrong; `None` if the system does not go that way again.
    fn shorten(
        &self,
        told: &Told,
        wrong: &Wrong,
        options: &Options,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<(Told, Wrong)>, Trouble>;

    /// Does again what a schedule says, then lets the system go on by itself.
    fn replay(&self, places: &[usize], options: &Options) -> Result<Told, Trouble>;
}

/// Systems that are made one by one, as many as are needed.
pub struct Made<F>(pub F);

impl Made<()> {
    /// Clones of one.
    pub fn boxed<S: Subject<Event: Send> + Clone + Sync + 'static>(subject: S) -> Box<dyn Explorable> {
        Box::new(Made(move || subject.clone()))
    }
}

impl<S: Subject<Event: Send>, F: Fn() -> S + Sync> Explorable for Made<F> {
    fn nodes(&self) -> Vec<String> {
        (self.0)().nodes()
    }

    fn parts(&self, options: &Options, n_wanted: usize) -> Result<Vec<Part>, Trouble> {
        parts(&self.0, options, n_wanted)
    }

    fn explore(
        &self,
        part: &Part,
        options: &Options,
        progress: &mut dyn Progress,
    ) -> Result<Searched, Trouble> {
        let mut explorer = Explorer::of_part((self.0)(), options, part);
        let progress = RefCell::new(progress);
        explorer.on_finding = Some(Box::new(|told, wrong| progress.borrow_mut().found(told, wrong)));
        let explored = explorer.run_part(part, &mut Shared(&progress))?;
        Ok(Searched { counts: explored.counts, states: explored.states, saved: explored.saved })
    }

    fn shorten(
        &self,
        told: &Told,
        wrong: &Wrong,
        options: &Options,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<(Told, Wrong)>, Trouble> {
        let mut subject = (self.0)();
        let Some(events) = events_of(&mut subject, &told.places)? else { return Ok(None) };
        let n_given = events.len();
        let finding = Finding { wrong: wrong.clone(), events, n_given };
        let minimal = minimise(&mut subject, &finding, options, is_interrupted);
        // What could not be made shorter was told already, with all that follows.
        if minimal.n_given >= n_given {
            return Ok(None);
        }
        let told = tell_anyway(&mut subject, &minimal);
        Ok(Some((told, minimal.wrong)))
    }

    fn replay(&self, places: &[usize], options: &Options) -> Result<Told, Trouble> {
        replay::replay(&self.0, places, options)
    }
}

/// The events at these places; `None` if the system does not go that way again.
fn events_of<S: Subject>(subject: &mut S, places: &[usize]) -> Result<Option<Vec<S::Event>>, Trouble> {
    subject.start()?;
    let mut events = Vec::new();
    for place in places {
        let Some(event) = all_possible(subject).into_iter().nth(*place) else { return Ok(None) };
        match subject.perform(&event) {
            Err(trouble) if !is_finding(&trouble) => return Err(trouble),
            _ => events.push(event),
        }
    }
    Ok((!events.is_empty()).then_some(events))
}

/// A watcher for two.
struct Shared<'s, 'p>(&'s RefCell<&'p mut dyn Progress>);

impl Progress for Shared<'_, '_> {
    fn goes_on(&mut self, counts: &Counts) -> bool {
        self.0.borrow_mut().goes_on(counts)
    }

    fn checkpoint(&mut self, counts: &Counts, save: &dyn Fn() -> Json) {
        self.0.borrow_mut().checkpoint(counts, save);
    }
}

/// As [`tell`]; if the system does not go that way again, with what is known without it.
pub(crate) fn tell_anyway<S: Subject>(subject: &mut S, minimal: &Minimal<S::Event>) -> Told {
    tell(subject, minimal).unwrap_or_else(|_| Told {
        fails: true,
        kind: minimal.wrong.word().to_owned(),
        sentence: minimal.wrong.to_string(),
        places: Vec::new(),
        events: minimal.events.iter().map(|event| subject.describe(event)).collect(),
        nodes: subject.nodes(),
        at_end: Vec::new(),
    })
}

/// Walks along a sequence once more, and writes down what happens.
fn tell<S: Subject>(subject: &mut S, minimal: &Minimal<S::Event>) -> Result<Told, Trouble> {
    subject.start()?;
    let mut places = Vec::new();
    let mut events = Vec::new();
    for (number, event) in minimal.events.iter().enumerate() {
        if number < minimal.n_given {
            places.extend(all_possible(subject).iter().position(|other| other == event));
        }
        events.push(subject.describe(event));
        if let Err(trouble @ (Trouble::Impossible(_) | Trouble::Interrupted)) = subject.perform(event) {
            return Err(trouble);
        }
    }
    Ok(Told {
        fails: true,
        kind: minimal.wrong.word().to_owned(),
        sentence: minimal.wrong.to_string(),
        places,
        events,
        nodes: subject.nodes(),
        at_end: (0..subject.n_nodes()).map(|node| subject.look(node)).collect(),
    })
}
