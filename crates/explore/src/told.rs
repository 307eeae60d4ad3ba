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
    /// Whether anything is wrong with it.
    pub fails: bool,
    /// The kind of failure in one word: `safety`, `deadlock`, `liveness`, `crash`, or `fine` if nothing is wrong.
    pub kind: String,
    /// What is wrong, in a sentence.
    pub sentence: String,
    /// For each event that must be given, its index in the list of all events that are possible there.
    pub places: Vec<usize>,
    /// The events, in order.
    pub events: Vec<Described>,
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// What each node holds at the end.
    pub at_end: Vec<String>,
    /// The folder with what the nodes have printed and said, relative to that of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<String>,
}

/// The schedule without any step.
pub const START: &str = "start";

impl Told {
    /// The schedule in the form that `--replay` takes.
    pub fn schedule(&self) -> String {
        if self.places.is_empty() {
            return START.to_owned();
        }
        self.places.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")
    }

    /// The sequence as JSON, for scripts.
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

    /// The sequence as a drawing, for people.
    pub fn draw(&self) -> String {
        let n_given = self.places.len();
        let mut parts = vec![lanes::draw(&self.nodes, &self.events)];
        if n_given < self.events.len() {
            let rest = self.events.len() - n_given;
            let (last, follow) = if rest == 1 {
                ("step".to_owned(), "follows by itself")
            } else {
                (format!("{rest} steps"), "follow by themselves")
            };
            parts.push(format!("The last {last} {follow}, first come first served.\n"));
        }
        let at_end = self.nodes.iter().zip(&self.at_end);
        parts.extend(at_end.map(|(name, holds)| format!("  {name}: {holds}\n")));
        parts.concat()
    }
}

/// Like [`tell`]. If the system behaves differently this time, returns what is known without it.
pub(crate) fn tell_anyway<S: Subject>(subject: &mut S, minimal: &Minimal<S::Event>) -> Told {
    tell(subject, minimal).unwrap_or_else(|_| Told {
        fails: true,
        kind: minimal.wrong.word().to_owned(),
        sentence: minimal.wrong.to_string(),
        places: Vec::new(),
        events: minimal.events.iter().map(|event| subject.describe(event)).collect(),
        nodes: subject.nodes(),
        at_end: Vec::new(),
        logs: None,
    })
}

/// Repeats a sequence, and describes what happens.
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
        logs: None,
    })
}
