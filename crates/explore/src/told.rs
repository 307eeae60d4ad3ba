//! A sequence without the system's own types, for people and for scripts.

use kilter_testbed::Trouble;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::lanes;
use crate::minimise::{Minimal, all_possible};
use crate::subject::{Described, Subject};

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
pub(crate) fn tell<S: Subject>(subject: &mut S, minimal: &Minimal<S::Event>) -> Result<Told, Trouble> {
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
