//! What a search comes to, without the system's own types: for people and for scripts.

use kilter_testbed::Trouble;
use serde_json::{Value as Json, json};

use crate::extend::{Extended, extend};
use crate::finding::{Wrong, is_finding};
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

/// A sequence, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Whether something is.
    pub fails: bool,
    /// In one word: `safety`, `deadlock`, `liveness`, `crash`; `fine` if nothing is.
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

/// A system of any type that can be explored.
pub trait Explorable {
    /// Searches, and tells what was found.
    fn explore(&self, options: &Options, progress: &mut dyn Progress) -> Result<Outcome, Trouble>;

    /// Does again what a schedule says, then lets the system go on by itself.
    fn replay(&self, places: &[usize], options: &Options) -> Result<Told, Trouble>;
}

/// Systems that are made one by one, as many as are needed.
pub struct Made<F>(pub F);

impl Made<()> {
    /// Clones of one.
    pub fn boxed<S: Subject + Clone + Send + Sync + 'static>(subject: S) -> Box<dyn Explorable> {
        Box::new(Made(move || subject.clone()))
    }
}

impl<S: Subject, F: Fn() -> S> Explorable for Made<F> {
    fn explore(&self, options: &Options, progress: &mut dyn Progress) -> Result<Outcome, Trouble> {
        let explored = Explorer::new((self.0)(), options).run(progress)?;
        let mut found = explored.findings;
        found.sort_by_key(|finding| finding.events.len());
        let mut subject = (self.0)();
        let mut findings: Vec<Told> = Vec::new();
        for finding in found.iter().take(SHORTENED_MAX) {
            let minimal = minimise(&mut subject, finding, options);
            let told = tell(&mut subject, &minimal)?;
            if !findings.contains(&told) {
                findings.push(told);
            }
        }
        findings.sort_by_key(|told| (told.places.len(), told.events.len()));
        findings.truncate(TOLD_MAX);
        Ok(Outcome { counts: explored.counts, findings, saved: explored.saved })
    }

    fn replay(&self, places: &[usize], options: &Options) -> Result<Told, Trouble> {
        replay(&mut (self.0)(), places, options)
    }
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
        kind: minimal.wrong.word(),
        sentence: minimal.wrong.to_string(),
        places,
        events,
        nodes: subject.nodes(),
        at_end: (0..subject.n_nodes()).map(|node| subject.look(node)).collect(),
    })
}

fn replay<S: Subject>(subject: &mut S, places: &[usize], options: &Options) -> Result<Told, Trouble> {
    let (mut events, broken) = follow(subject, places)?;
    let n_given = events.len();
    let steps_max = options.depth + options.extension;
    let wrong = match broken.or_else(|| subject.violated().map(|property| Wrong::Unsafe { property })) {
        Some(wrong) => Some(wrong),
        None if subject.reached() == Some(true) => None,
        None => {
            let (rest, found) = extend(subject, steps_max);
            events.extend(rest);
            wrong_of(found, steps_max, subject.reached())
        }
    };
    match wrong {
        Some(wrong) => tell(subject, &Minimal { wrong, n_given, events }),
        None => {
            let told = tell(subject, &Minimal { wrong: Wrong::Stuck, n_given, events })?;
            Ok(Told { fails: false, kind: "fine", sentence: fine(subject.reached()).to_owned(), ..told })
        }
    }
}

fn fine(reached: Option<bool>) -> &'static str {
    if reached == Some(true) { "the goal is reached" } else { "nothing is wrong" }
}

/// Makes the events of a schedule happen, up to where a node fails.
fn follow<S: Subject>(subject: &mut S, places: &[usize]) -> Result<(Vec<S::Event>, Option<Wrong>), Trouble> {
    subject.start()?;
    let mut events = Vec::new();
    for place in places {
        let all = all_possible(subject);
        let Some(event) = all.get(*place) else {
            let (step, n_all) = (events.len() + 1, all.len());
            let text = format!("step {step} of the schedule is {place}, but only {n_all} are possible");
            return Err(Trouble::Impossible(text));
        };
        events.push(event.clone());
        match subject.perform(event) {
            Ok(()) => {}
            Err(trouble) if is_finding(&trouble) => {
                return Ok((events, Some(Wrong::Broken { reason: trouble.to_string() })));
            }
            Err(trouble) => return Err(trouble),
        }
        if subject.violated().is_some() {
            break;
        }
    }
    Ok((events, None))
}

fn wrong_of(found: Extended, steps: u32, reached: Option<bool>) -> Option<Wrong> {
    match found {
        Extended::Reached => None,
        Extended::Stuck => (reached == Some(false)).then_some(Wrong::Stuck),
        Extended::Unmet => (reached == Some(false)).then_some(Wrong::Unmet { steps }),
        Extended::Unsafe(property) => Some(Wrong::Unsafe { property }),
        Extended::Broken(reason) => Some(Wrong::Broken { reason }),
    }
}
