//! `[follow]`: how lines of a log are read, and which steps of the specification they stand for. `events` checks it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;
use toml::Spanned;

/// `[follow]`, as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FollowSection {
    /// The configuration, relative to `kilter.toml`, if it is another than that of `[spec]`: most often one whose constants
    /// don't bound the model.
    pub config: Option<String>,
    /// Where a line has the name of the event.
    pub event: Option<String>,
    /// Where it has the name of the node.
    pub node: Option<String>,
    /// Where it has the arguments: a list, or an object by name.
    pub args: Option<String>,
    /// Where it has the message that was taken in.
    pub message: Option<String>,
    /// Where it has the sender of that message.
    pub from: Option<String>,
    /// Where it has parts of the state before the step.
    pub before: Option<String>,
    /// Where it has parts of the state after the step.
    pub state: Option<String>,
    /// Where it has the messages that were sent: objects with `to` and `message`.
    pub sent: Option<String>,
    /// Where it has a vector clock: an object from nodes to numbers.
    pub clock: Option<String>,
    /// Where it has the time: a number. If there is `end` too, it is the time at which the step began.
    pub start: Option<String>,
    /// Where it has the time at which the step had ended.
    pub end: Option<String>,
    /// Only lines that have these values in these fields count.
    pub only: BTreeMap<String, Spanned<toml::Value>>,
    /// Events that are no steps.
    pub skip: Vec<String>,
    /// Actions that leave no line.
    pub silent: Vec<Spanned<String>>,
    /// The most silent actions in a row.
    pub silent_max: Option<u32>,
    /// What is known of the order of lines in several files.
    pub order: Order,
    /// The steps of each event. Others are named like the action, or as nodes offer it.
    pub events: BTreeMap<Spanned<String>, Spanned<EventEntry>>,
    /// Further parts of the state: TLA+ expressions, and where a line has their values. `node` is the line's node in them.
    pub values: BTreeMap<String, String>,
}

/// What is known of the order of lines in several files. In each file they are in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Nothing but what the specification says, such as that a message is sent before it is taken in.
    #[default]
    Any,
    /// Vector clocks.
    Clock,
    /// All times are of one clock: a step that had ended before another began comes before it.
    Time,
}

/// An entry of `[follow.events]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum EventEntry {
    /// One step.
    Step(String),
    /// Several steps in a row.
    Steps(Vec<String>),
    /// More than that.
    Full(Box<FullEvent>),
}

/// An event that needs more than the names of its steps.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FullEvent {
    /// The steps. `A?` may be left out, and `A|B` is one of two.
    pub steps: Vec<String>,
    /// Where a line has arguments, by the names of the actions' parameters.
    pub args: BTreeMap<String, String>,
    /// The event is only the beginning of one with this name at the same node: the two lines are read as one.
    pub part_of: Option<String>,
    /// Whether it is no step: it only says what the state is.
    pub observes: bool,
}

/// Fields that lead to a value, from the outermost to the innermost.
pub type Path = Vec<String>;

/// How lines are read.
#[derive(Clone, Debug, Default)]
pub struct Follow {
    /// Where lines have what.
    pub fields: Fields,
    /// What lines must have to count.
    pub only: Vec<(Path, Json)>,
    /// Events that are no steps.
    pub skip: Vec<String>,
    /// The rules of actions that leave no line.
    pub silent: Vec<usize>,
    /// The most of them in a row.
    pub silent_max: u32,
    /// What is known of the order of lines in several files.
    pub order: Order,
    /// What each event stands for.
    pub events: BTreeMap<String, Event>,
    /// TLA+ expressions, and where lines have their values.
    pub values: Vec<(String, Path)>,
}

/// Where lines have what.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "they are those of `FollowSection`")]
pub struct Fields {
    pub event: Path,
    pub node: Path,
    pub args: Path,
    pub message: Path,
    pub from: Path,
    pub before: Path,
    pub state: Path,
    pub sent: Path,
    pub clock: Path,
    pub start: Path,
    pub end: Path,
}

impl Default for Fields {
    fn default() -> Fields {
        let or = |name: &str| path(name);
        Fields {
            event: or("event"),
            node: or("node"),
            args: or("args"),
            message: or("message"),
            from: or("from"),
            before: or("before"),
            state: or("state"),
            sent: or("sent"),
            clock: or("clock"),
            start: or("start"),
            end: or("end"),
        }
    }
}

/// What an event stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// These steps, one after the other. `args` says where the line has arguments, by parameter.
    Steps {
        /// The steps.
        steps: Vec<EventStep>,
        /// Where the line has arguments, by the names of parameters.
        args: Vec<(String, Path)>,
    },
    /// The beginning of an event with this name.
    PartOf(String),
    /// No step.
    Observation,
}

/// One of an event's steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventStep {
    /// The rules of the actions that it may be.
    pub rules: Vec<usize>,
    /// Whether it may be left out.
    pub is_optional: bool,
}

impl Follow {
    /// The names of all events that stand for something.
    pub fn event_names(&self) -> impl Iterator<Item = &str> {
        self.events.keys().map(String::as_str)
    }
}

/// Splits `event.msg.term` into its fields.
pub(crate) fn path(text: &str) -> Path {
    text.split('.').map(str::to_owned).collect()
}
