//! What a search comes to, without the system's own types: for people and for scripts.

use kilter_testbed::Trouble;
use serde_json::{Value as Json, json};

use crate::lanes;
use crate::minimise::{Minimal, all_possible, minimise};
use crate::options::{Counts, Options, Progress};
use crate::search::Explorer;
use crate::subject::{Described, Subject};

/// What a search comes to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How far it has come.
    pub counts: Counts,
    /// What is wrong, shortest first, each once.
    pub findings: Vec<Told>,
    /// Where it was if it was ended early.
    pub saved: Option<Json>,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// In one word: `safety`, `deadlock`, `liveness`, `crash`.
    pub kind: &'static str,
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
        let mut text = lanes::draw(&self.nodes, &self.events);
        if n_given < self.events.len() {
            let rest = self.events.len() - n_given;
            text.push_str(&format!("The last {rest} follow by themselves, first come first served.\n"));
        }
        for (name, holds) in self.nodes.iter().zip(&self.at_end) {
            text.push_str(&format!("  {name}: {holds}\n"));
        }
        text
    }
}

/// How many findings are made shorter and told; the others are counted.
const TOLD_MAX: usize = 5;
/// How many are looked at for that.
const SHORTENED_MAX: usize = 20;

/// Searches, and tells what was found.
pub fn explore<S: Subject + Clone>(
    subject: &S,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Outcome, Trouble> {
    let explored = Explorer::new(subject.clone(), options).run(progress)?;
    let mut found = explored.findings;
    found.sort_by_key(|finding| finding.events.len());
    let mut findings: Vec<Told> = Vec::new();
    for finding in found.iter().take(SHORTENED_MAX) {
        let minimal = minimise(&mut subject.clone(), finding, options);
        let told = tell(&mut subject.clone(), &minimal)?;
        if !findings.contains(&told) {
            findings.push(told);
        }
    }
    findings.sort_by_key(|told| (told.places.len(), told.events.len()));
    findings.truncate(TOLD_MAX);
    Ok(Outcome { counts: explored.counts, findings, saved: explored.saved })
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
        kind: minimal.wrong.word(),
        sentence: minimal.wrong.to_string(),
        places,
        events,
        nodes: subject.nodes(),
        at_end: (0..subject.n_nodes()).map(|node| subject.look(node)).collect(),
    })
}

/// Does again what a schedule says, then lets the system go on by itself. The finding, or what was reached.
pub fn replay<S: Subject>(subject: &mut S, places: &[usize], options: &Options) -> Result<Replayed, Trouble> {
    subject.start()?;
    let mut given = Vec::new();
    for place in places {
        let all = all_possible(subject);
        let event = all.get(*place).cloned().ok_or_else(|| {
            let step = given.len() + 1;
            Trouble::Impossible(format!(
                "step {step} of the schedule is {place}, but only {} are possible",
                all.len()
            ))
        })?;
        given.push(event.clone());
        let broken = subject.perform(&event).is_err();
        if broken || subject.violated().is_some() {
            break;
        }
    }
    let n_given = given.len();
    let wrong = subject.violated().map(|property| crate::Wrong::Unsafe { property });
    let steps_max = options.depth + options.extension;
    let (wrong, rest) = match wrong {
        Some(wrong) => (Some(wrong), Vec::new()),
        None if subject.reached() == Some(true) => (None, Vec::new()),
        None => {
            let (rest, found) = crate::extend::extend(subject, steps_max);
            (wrong_of(found, steps_max, subject.reached()), rest)
        }
    };
    given.extend(rest);
    let n_given = if wrong.is_none() { given.len() } else { n_given };
    let fails = wrong.is_some();
    let wrong = wrong.unwrap_or(crate::Wrong::Stuck);
    let mut told = tell(subject, &Minimal { wrong, n_given, events: given })?;
    if !fails {
        told.kind = "none";
        told.sentence = "the goal is reached".to_owned();
    }
    Ok(Replayed { told, fails })
}

fn wrong_of(found: crate::extend::Extended, steps: u32, reached: Option<bool>) -> Option<crate::Wrong> {
    use crate::extend::Extended;
    match found {
        Extended::Reached => None,
        Extended::Stuck => (reached == Some(false)).then_some(crate::Wrong::Stuck),
        Extended::Unmet => (reached == Some(false)).then_some(crate::Wrong::Unmet { steps }),
        Extended::Unsafe(property) => Some(crate::Wrong::Unsafe { property }),
        Extended::Broken(reason) => Some(crate::Wrong::Broken { reason }),
    }
}

/// What a replay came to.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// What happened.
    pub told: Told,
    /// Whether something is wrong.
    pub fails: bool,
}

/// A system of any type that can be explored.
pub trait Explorable {
    /// Searches, and tells what was found.
    fn explore(&self, options: &Options, progress: &mut dyn Progress) -> Result<Outcome, Trouble>;

    /// Does again what a schedule says.
    fn replay(&self, places: &[usize], options: &Options) -> Result<Replayed, Trouble>;
}

impl<S: Subject + Clone> Explorable for S {
    fn explore(&self, options: &Options, progress: &mut dyn Progress) -> Result<Outcome, Trouble> {
        explore(self, options, progress)
    }

    fn replay(&self, places: &[usize], options: &Options) -> Result<Replayed, Trouble> {
        replay(&mut self.clone(), places, options)
    }
}
