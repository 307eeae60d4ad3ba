//! What a search comes to, without the system's own types: for people and for scripts. `replay` does a finding again.

mod replay;

use std::time::Instant;

use kilter_testbed::Trouble;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::jobs::{self, Rest};
use crate::lanes;
use crate::minimise::{Minimal, all_possible, minimise};
use crate::options::{Counts, Options, Progress};
use crate::subject::{Described, Subject};

/// What a search comes to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How far it has come.
    pub counts: Counts,
    /// What is wrong, shortest first, each once.
    pub findings: Vec<Told>,
    /// What is left if it was ended early.
    pub rest: Option<Rest>,
}

impl Outcome {
    /// Together with what an earlier sitting has found.
    pub fn add(&mut self, findings: Vec<Told>) {
        let new: Vec<Told> = findings.into_iter().filter(|told| !self.findings.contains(told)).collect();
        self.findings.extend(new);
        self.findings.sort_by_key(|told| (told.places.len(), told.events.len()));
        self.findings.truncate(TOLD_MAX);
    }
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

impl Told {
    /// As it is given to `--replay`.
    pub fn schedule(&self) -> String {
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

/// How many findings are made shorter and told; the others are counted.
const TOLD_MAX: usize = 5;
/// How many are looked at for that.
const SHORTENED_MAX: usize = 20;

/// With how much effort to search.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// How many systems at once.
    pub n_jobs: usize,
    /// What an earlier search has left to do.
    pub rest: Option<Rest>,
}

/// A system of any type that can be explored.
pub trait Explorable {
    /// Searches, and tells what was found.
    fn explore(
        &self,
        options: &Options,
        effort: Effort,
        progress: &mut dyn Progress,
    ) -> Result<Outcome, Trouble>;

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
    fn explore(
        &self,
        options: &Options,
        effort: Effort,
        progress: &mut dyn Progress,
    ) -> Result<Outcome, Trouble> {
        let joined = jobs::run(&self.0, options, effort.n_jobs, effort.rest, progress)?;
        let mut found = joined.findings;
        found.sort_by_key(|finding| finding.events.len());
        let begun = Instant::now();
        let mut subject = (self.0)();
        let mut findings: Vec<Told> = Vec::new();
        let n_shortened = if progress.is_interrupted() { TOLD_MAX } else { SHORTENED_MAX };
        for finding in found.iter().take(n_shortened) {
            let minimal = minimise(&mut subject, finding, options, &|| progress.is_interrupted());
            let told = tell_anyway(&mut subject, &minimal);
            if !findings.contains(&told) {
                findings.push(told);
            }
        }
        findings.sort_by_key(|told| (told.places.len(), told.events.len()));
        findings.truncate(TOLD_MAX);
        let mut counts = joined.counts;
        counts.spent.join(&subject.spent().of(begun.elapsed()));
        Ok(Outcome { counts, findings, rest: joined.rest })
    }

    fn replay(&self, places: &[usize], options: &Options) -> Result<Told, Trouble> {
        replay::replay(&self.0, places, options)
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
