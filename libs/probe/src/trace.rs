//! Writes what a node does to a file, for `kilter follow`, if `KILTER_TRACE` names one. Nobody is in control then.
//!
//! A line has the event, its arguments and its message, the messages that were sent, and the variables that have changed. It is
//! written when the event is over, in one piece, so that a node that is killed leaves whole lines. A short line before it says
//! that the event has begun: a node that is killed may have done all of it, or nothing.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "writes the file that the environment names"
)]

use std::collections::BTreeMap;
use std::env;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use kilter_protocol::{Environment, Sent};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::action::{Action, not_json};
use crate::link::held;
use crate::text::change;
use crate::variables::Report;

/// The variable with the path of the file.
const TRACE: &str = "KILTER_TRACE";
/// The event with which a node starts.
const START: &str = "kilter.start";
/// The event with which a node begins a step. If no line of the step follows, the node was killed in it.
const BEGIN: &str = "kilter.begin";

/// Writes lines to a file.
pub(crate) struct Tracer {
    node: String,
    state: Mutex<State>,
}

struct State {
    /// `None` after it could not be written: a trace with a gap would be a wrong one.
    file: Option<File>,
    /// The texts of the variables as the lines before say them.
    known: BTreeMap<String, String>,
    has_started: bool,
    /// The messages that were sent since the last line.
    sent: Vec<Sent>,
    /// The vector clock: how far this node is, and how far it knows each other one to be. `None` if the program does not use it.
    clock: Option<BTreeMap<String, u64>>,
}

impl Tracer {
    /// The file that the environment of this process names, if it names one.
    pub(crate) fn of_environment() -> Option<Arc<Tracer>> {
        static OPENED: OnceLock<Option<Arc<Tracer>>> = OnceLock::new();
        let open = || {
            let path = env::var_os(TRACE)?;
            let stem = Path::new(&path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let node = env::var(Environment::NODE).ok().or(stem).unwrap_or_default();
            match Tracer::open(Path::new(&path), node) {
                Ok(tracer) => Some(Arc::new(tracer)),
                Err(error) => {
                    complain(&format!("{} cannot be written: {error}", Path::new(&path).display()));
                    None
                }
            }
        };
        OPENED.get_or_init(open).clone()
    }

    /// Opens a file. A node that is started again goes on where the last lines end.
    pub(crate) fn open(path: &Path, node: String) -> io::Result<Tracer> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Tracer {
            node,
            state: Mutex::new(State {
                file: Some(file),
                known: BTreeMap::new(),
                has_started: false,
                sent: Vec::new(),
                clock: None,
            }),
        })
    }

    /// Remembers a message until the next line.
    pub(crate) fn sent(&self, to: &str, message: Json) {
        held(&self.state).sent.push(Sent { to: to.to_owned(), message });
    }

    /// The vector clock of the event in hand, for a message.
    pub(crate) fn clock(&self) -> Json {
        json!(held(&self.state).clock_of(&self.node))
    }

    /// Takes in the vector clock of a message.
    pub(crate) fn heard(&self, clock: &Json) {
        let mut state = held(&self.state);
        let own = state.clock_of(&self.node);
        for (node, time) in clock.as_object().into_iter().flatten() {
            let known = own.entry(node.clone()).or_default();
            *known = time.as_u64().map_or(*known, |time| time.max(*known));
        }
    }

    /// Writes that the node has started, if nothing was written yet.
    pub(crate) fn start(&self, variables: &Report) {
        let mut state = held(&self.state);
        if !std::mem::replace(&mut state.has_started, true) {
            let line = Line::new(START, &self.node).text("state", &state.changes(variables));
            state.write(line);
        }
    }

    /// Writes that an event begins.
    pub(crate) fn begin(&self, action: &Action) {
        let line = Line::new(BEGIN, &self.node).value("of", &action.name).action(action);
        let mut state = held(&self.state);
        if let Some(time) = state.clock.as_mut().and_then(|clock| clock.get_mut(&self.node)) {
            *time += 1;
        }
        state.write(line);
    }

    /// Writes an event that is over.
    pub(crate) fn step(&self, action: &Action, variables: &Report) {
        let mut state = held(&self.state);
        state.has_started = true;
        let changed = state.changes(variables);
        let sent = std::mem::take(&mut state.sent);
        let mut line = Line::new(&action.name, &self.node)
            .action(action)
            .value("delta", &true)
            .text("state", &changed)
            .value("sent", &sent);
        if let Some(clock) = &state.clock {
            line = line.value("clock", clock);
        }
        state.write(line);
    }

    /// Forgets what was sent in an event that is no action.
    pub(crate) fn forget(&self) {
        held(&self.state).sent.clear();
    }
}

impl State {
    /// The clock, from now on. The node's own time begins with the time of day in microseconds, so that it goes on when the node is
    /// started again, without being stored.
    fn clock_of(&mut self, node: &str) -> &mut BTreeMap<String, u64> {
        self.clock.get_or_insert_with(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            BTreeMap::from([(node.to_owned(), now.as_micros() as u64)])
        })
    }

    /// The variables that have changed, as JSON. Of a sequence that has only changed at its end, the end.
    fn changes(&mut self, variables: &Report) -> String {
        let mut changed = Vec::new();
        for (name, text) in variables.texts() {
            let old = self.known.get(name);
            if old.is_none_or(|old| old != text) {
                changed.push(format!("{}:{}", Json::from(name), change(old.map(String::as_str), text)));
                match self.known.get_mut(name) {
                    Some(old) => text.clone_into(old),
                    None => _ = self.known.insert(name.to_owned(), text.to_owned()),
                }
            }
        }
        format!("{{{}}}", changed.join(","))
    }

    fn write(&mut self, line: Line) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(line.end().as_bytes()) {
            self.file = None;
            complain(&format!("the trace cannot be written: {error}"));
        }
    }
}

/// A line, as JSON.
struct Line(String);

impl Line {
    fn new(event: &str, node: &str) -> Line {
        Line(format!("{{\"event\":{},\"node\":{}", Json::from(event), Json::from(node)))
    }

    /// Adds a field that is JSON already.
    fn text(mut self, name: &str, json: &str) -> Line {
        self.0.extend([",\"", name, "\":", json]);
        self
    }

    fn value(self, name: &str, value: &impl Serialize) -> Line {
        let text = serde_json::to_string(value).unwrap_or_else(|error| not_json(&error).to_string());
        self.text(name, &text)
    }

    /// Adds the arguments and the message of an action.
    fn action(mut self, action: &Action) -> Line {
        if !action.args.is_empty() {
            self = self.value("args", &action.args);
        }
        match &action.message {
            Some(message) => self.value("message", message),
            None => self,
        }
    }

    fn end(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }
}

/// Says what is wrong. The program goes on: its trace is less important than what it does.
#[expect(clippy::print_stderr, reason = "a library has no other way to say it without being asked")]
fn complain(text: &str) {
    eprintln!("kilter-probe: {text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_order_the_lines_of_two_nodes() {
        let folder = tempfile::tempdir().expect("a folder");
        let tracer = |node: &str| Tracer::open(&folder.path().join(node), node.to_owned()).expect("a file");
        let (sender, receiver) = (tracer("n1"), tracer("n2"));
        let (send, take) = (Action::new("Send"), Action::new("Take"));
        sender.begin(&send);
        let clock = sender.clock();
        sender.step(&send, &Report::of_texts());
        sender.begin(&send);
        sender.step(&send, &Report::of_texts());
        receiver.begin(&take);
        receiver.heard(&clock);
        receiver.step(&take, &Report::of_texts());
        let last = |node: &str| -> Json {
            let text = std::fs::read_to_string(folder.path().join(node)).expect("the trace");
            serde_json::from_str(text.lines().last().unwrap_or_default()).expect("a line")
        };
        let (own, seen) = (last("n1")["clock"]["n1"].as_u64(), last("n2")["clock"]["n1"].as_u64());
        assert_eq!(seen, clock["n1"].as_u64());
        assert_eq!(own, seen.map(|seen| seen + 1), "the second event comes after what was seen");
        assert!(last("n2")["clock"]["n2"].is_u64());
    }

    #[test]
    fn only_what_has_changed_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("n1.log");
        let tracer = Tracer::open(&path, "n1".to_owned()).expect("a file");
        let report = |term: u32, log: &[u32], vote: Option<&str>| {
            let mut report = Report::of_texts();
            report.add("term", term);
            report.add("log", log);
            report.add("vote", vote);
            report
        };
        tracer.start(&report(1, &[1, 2, 3, 4, 5], None));
        tracer.start(&report(9, &[], None));
        let append = Action::new("Append").arg("a \"b\"").message(&json!({ "of": [1] }));
        tracer.sent("n2", json!("taken"));
        tracer.step(&append, &report(1, &[1, 2, 3, 4, 6, 7], None));
        tracer.step(&append, &report(2, &[1, 2, 3, 4], Some("n2")));
        let text = std::fs::read_to_string(path).expect("the trace");
        let lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let line = |state: Json, sent: Json| {
            json!({
                "event": "Append", "node": "n1", "args": ["a \"b\""], "message": { "of": [1] },
                "delta": true, "state": state, "sent": sent,
            })
        };
        assert_eq!(
            lines,
            [
                json!({ "event": START, "node": "n1", "state": { "term": 1, "log": [1, 2, 3, 4, 5], "vote": null } }),
                line(
                    json!({ "log": { "@keep": 4, "@then": [6, 7] } }),
                    json!([{ "to": "n2", "message": "taken" }])
                ),
                line(json!({ "term": 2, "log": { "@keep": 4, "@then": [] }, "vote": "n2" }), json!([])),
            ]
        );
    }
}
