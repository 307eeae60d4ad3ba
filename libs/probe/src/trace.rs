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
use serde_json::{Map, Value as Json, json};

use crate::action::Action;
use crate::link::held;

/// The variable with the path of the file.
const TRACE: &str = "KILTER_TRACE";
/// The event with which a node starts.
const START: &str = "kilter.start";
/// The event with which a node begins a step. If no line of the step follows, the node was killed in it.
const BEGIN: &str = "kilter.begin";
/// Shorter sequences are written whole.
const KEPT_MIN: usize = 4;

/// Writes lines to a file.
pub(crate) struct Tracer {
    node: String,
    state: Mutex<State>,
}

struct State {
    /// `None` after it could not be written: a trace with a gap would be a wrong one.
    file: Option<File>,
    /// The variables as the lines before say them. `None` before the first line.
    known: Option<Map<String, Json>>,
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
            state: Mutex::new(State { file: Some(file), known: None, sent: Vec::new(), clock: None }),
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
    pub(crate) fn start(&self, variables: &Map<String, Json>) {
        let mut state = held(&self.state);
        if state.known.is_none() {
            let line = json!({ "event": START, "node": self.node, "state": variables });
            state.known = Some(variables.clone());
            state.write(&line);
        }
    }

    /// Writes that an event begins.
    pub(crate) fn begin(&self, action: &Action) {
        let mut line = json!({ "event": BEGIN, "node": self.node, "of": action.name });
        describe(action, &mut line);
        let mut state = held(&self.state);
        if let Some(time) = state.clock.as_mut().and_then(|clock| clock.get_mut(&self.node)) {
            *time += 1;
        }
        state.write(&line);
    }

    /// Writes an event that is over.
    pub(crate) fn step(&self, action: &Action, variables: Map<String, Json>) {
        let mut state = held(&self.state);
        let changed = changes(state.known.as_ref(), &variables);
        let mut line = json!({
            "event": action.name,
            "node": self.node,
            "delta": true,
            "state": changed,
            "sent": std::mem::take(&mut state.sent),
        });
        describe(action, &mut line);
        if let Some(clock) = &state.clock {
            line["clock"] = json!(clock);
        }
        state.known = Some(variables);
        state.write(&line);
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

    fn write(&mut self, line: &Json) {
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
            self.file = None;
            complain(&format!("the trace cannot be written: {error}"));
        }
    }
}

/// Adds the arguments and the message of an action to a line.
fn describe(action: &Action, line: &mut Json) {
    if !action.args.is_empty() {
        line["args"] = action.args.as_slice().into();
    }
    if let Some(message) = &action.message {
        line["message"] = message.clone();
    }
}

/// The variables that have changed. Of a sequence that has only changed at its end, the end.
fn changes(known: Option<&Map<String, Json>>, variables: &Map<String, Json>) -> Map<String, Json> {
    let known_as = |name: &String| known.and_then(|known| known.get(name));
    let changed = variables.iter().filter(|(name, value)| known_as(name) != Some(value));
    changed.map(|(name, value)| (name.clone(), change(known_as(name), value))).collect()
}

fn change(old: Option<&Json>, new: &Json) -> Json {
    let (Some(Json::Array(old)), Json::Array(elems)) = (old, new) else { return new.clone() };
    let n_kept = old.iter().zip(elems).take_while(|(old, new)| old == new).count();
    if n_kept < KEPT_MIN { new.clone() } else { json!({ "@keep": n_kept, "@then": elems[n_kept..] }) }
}

/// Says what is wrong. The program goes on: its trace is less important than what it does.
#[expect(clippy::print_stderr, reason = "a library has no other way to say it without being asked")]
fn complain(text: &str) {
    eprintln!("kilter-probe: {text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: Json) -> Map<String, Json> {
        match json {
            Json::Object(object) => object,
            _ => Map::new(),
        }
    }

    #[test]
    fn clocks_order_the_lines_of_two_nodes() {
        let folder = tempfile::tempdir().expect("a folder");
        let tracer = |node: &str| Tracer::open(&folder.path().join(node), node.to_owned()).expect("a file");
        let (sender, receiver) = (tracer("n1"), tracer("n2"));
        let (send, take) = (Action::new("Send"), Action::new("Take"));
        sender.begin(&send);
        let clock = sender.clock();
        sender.step(&send, Map::new());
        sender.begin(&send);
        sender.step(&send, Map::new());
        receiver.begin(&take);
        receiver.heard(&clock);
        receiver.step(&take, Map::new());
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
        let old = object(json!({ "term": 1, "log": [1, 2, 3, 4, 5], "votes": ["a"] }));
        let new = object(json!({ "term": 2, "log": [1, 2, 3, 4, 6, 7], "votes": ["a"] }));
        let expected = object(json!({ "term": 2, "log": { "@keep": 4, "@then": [6, 7] } }));
        assert_eq!(changes(Some(&old), &new), expected);
        assert_eq!(changes(None, &new), new);
        let shorter = object(json!({ "term": 2, "log": [1, 2, 3, 4], "votes": [] }));
        let expected = object(json!({ "log": { "@keep": 4, "@then": [] }, "votes": [] }));
        assert_eq!(changes(Some(&new), &shorter), expected);
    }
}
