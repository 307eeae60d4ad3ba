//! `[follow]`: how lines of a log are read, and which steps of the specification they stand for. `events` checks it.

use std::collections::{BTreeMap, BTreeSet};

use kilter_system::keys::Part;
use serde::Deserialize;
use serde_json::Value as Json;
use toml::Spanned;

use crate::shape::Shape;

/// `[follow]`, as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FollowSection {
    /// The configuration, relative to `kilter.toml`, if it is another than that of `[spec]`: most often one whose constants
    /// don't bound the model.
    pub config: Option<String>,
    /// Where a line has the name of the event. If there are several places, the name is what they have, with spaces between.
    pub event: OneOrMore,
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
    /// Events with which the lines of a node begin. Those are no steps; the last of them says what the node began with.
    pub beginning: Vec<String>,
    /// Actions that leave no line.
    pub silent: Vec<Spanned<String>>,
    /// The most silent actions in a row.
    pub silent_max: Option<u32>,
    /// What is known of the order of lines in several files.
    pub order: Order,
    /// The steps of each event. Others are named like the action, or as nodes offer it.
    pub events: BTreeMap<Spanned<String>, Spanned<Part<EventEntry>>>,
    /// Further parts of the state: TLA+ expressions, and where a line has their values. `node` is the line's node in them, and
    /// `line` the line.
    pub values: BTreeMap<Spanned<String>, Spanned<Part<ValueEntry>>>,
    /// Definitions for expressions of this section, in TLA+.
    pub definitions: Option<String>,
}

/// One text, or several.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    /// None.
    #[default]
    None,
    /// One.
    One(String),
    /// Several.
    More(Vec<String>),
}

impl OneOrMore {
    /// All of them.
    pub fn as_slice(&self) -> &[String] {
        match self {
            OneOrMore::None => &[],
            OneOrMore::One(text) => std::slice::from_ref(text),
            OneOrMore::More(texts) => texts,
        }
    }
}

/// An entry of `[follow.values]`: where a line has the value, or that with the shape of the value.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "toml::Value")]
pub struct ValueEntry(pub FullValue);

/// A value that may have a shape.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FullValue {
    /// Where a line has it.
    pub from: String,
    /// What JSON means there.
    pub shape: Option<String>,
}

impl TryFrom<toml::Value> for ValueEntry {
    type Error = toml::de::Error;

    fn try_from(entry: toml::Value) -> Result<ValueEntry, toml::de::Error> {
        Ok(ValueEntry(match entry {
            toml::Value::String(from) => FullValue { from, shape: None },
            other => other.try_into()?,
        }))
    }
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

/// An entry of `[follow.events]`: one step, several in a row, or more than that.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "toml::Value")]
pub struct EventEntry(pub FullEvent);

impl TryFrom<toml::Value> for EventEntry {
    type Error = toml::de::Error;

    fn try_from(entry: toml::Value) -> Result<EventEntry, toml::de::Error> {
        let of = |steps| FullEvent { steps, ..FullEvent::default() };
        Ok(EventEntry(match entry {
            toml::Value::String(step) => of(vec![step]),
            toml::Value::Array(_) => of(entry.try_into()?),
            other => other.try_into()?,
        }))
    }
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
    /// Formulas of TLA+ that are true for each of its steps. They can name the parameters of the action, variables before and
    /// after the step, `node` and `line`.
    #[serde(rename = "where")]
    pub holds: OneOrMore,
    /// The last step is taken again and again until this formula is true of it.
    pub until: Option<String>,
    /// If this formula is true before the line, it is no step.
    pub unless: Option<String>,
    /// Which state the line tells.
    pub state_is: Moment,
    /// What of that state counts: names of variables, and expressions of `[follow.values]`. Without it, everything.
    pub compares: Option<Vec<String>>,
}

/// Which state a line tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Moment {
    /// That before the first of its steps.
    Before,
    /// That after the last of its steps.
    #[default]
    After,
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
    /// Events with which the lines of a node begin.
    pub beginning: Vec<String>,
    /// The rules of actions that leave no line.
    pub silent: Vec<usize>,
    /// The most of them in a row.
    pub silent_max: u32,
    /// What is known of the order of lines in several files.
    pub order: Order,
    /// What each event stands for.
    pub events: BTreeMap<String, Event>,
    /// TLA+ expressions, and where lines have their values.
    pub values: Vec<ReadValue>,
    /// Formulas that steps of some events make true.
    pub formulas: Vec<Formula>,
    /// Definitions for all of them, in TLA+.
    pub definitions: String,
}

/// An expression of TLA+ whose value lines have.
#[derive(Clone, Debug)]
pub struct ReadValue {
    /// The expression.
    pub text: String,
    /// Where lines have the value.
    pub path: Path,
    /// What JSON means there.
    pub shape: Shape,
}

impl ReadValue {
    /// Whether the expression names something.
    pub fn names(&self, name: &str) -> bool {
        has_word(&self.text, name)
    }
}

/// Whether a text of TLA+ has this name in it.
fn has_word(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_letter(c)).any(|word| word == name)
}

/// A formula that a step makes true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// Its text.
    pub text: String,
    /// The parameters of actions that it may name.
    pub params: Vec<String>,
}

/// Where lines have what.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "they are those of `FollowSection`")]
pub struct Fields {
    pub event: Vec<Path>,
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
            event: vec![or("event")],
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
    /// These steps, one after the other. If there are none, it only says what the state is.
    Steps(Steps),
    /// The beginning of an event with this name.
    PartOf(String),
}

impl Event {
    /// An event that is no step.
    pub fn observation(compares: Option<Vec<String>>) -> Event {
        Event::Steps(Steps { compares, ..Steps::default() })
    }
}

/// The steps of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// The steps, one after the other.
    pub steps: Vec<EventStep>,
    /// Where the line has arguments, by the names of parameters.
    pub args: Vec<(String, Path)>,
    /// What each step makes true: indices of formulas.
    pub holds: Vec<usize>,
    /// What ends the repetition of the last step: the index of a formula.
    pub until: Option<usize>,
    /// What makes the line no step: the index of a formula.
    pub unless: Option<usize>,
    /// Which state the line tells.
    pub state_is: Moment,
    /// What of that state counts. `None` for everything.
    pub compares: Option<Vec<String>>,
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
    /// The places for parts of lines that the user has named, each once.
    pub fn own_paths(&self) -> Vec<Path> {
        let Fields { event: _, node, args, message, from, before, state, sent, clock, start, end } =
            &self.fields;
        let usual = Fields::default();
        let fields = [
            (node, usual.node),
            (args, usual.args),
            (message, usual.message),
            (from, usual.from),
            (before, usual.before),
            (state, usual.state),
            (sent, usual.sent),
            (clock, usual.clock),
            (start, usual.start),
            (end, usual.end),
        ];
        let fields = fields.into_iter().filter(|(own, usual)| *own != usual).map(|(own, _)| own.clone());
        let args = self.events.values().flat_map(|event| match event {
            Event::Steps(steps) => steps.args.iter().map(|(_, path)| path.clone()).collect::<Vec<_>>(),
            Event::PartOf(_) => Vec::new(),
        });
        let all: BTreeSet<Path> = fields.chain(args).collect();
        all.into_iter().collect()
    }

    /// Whether some expression or formula names something.
    pub fn names(&self, name: &str) -> bool {
        self.values.iter().any(|value| value.names(name))
            || self.formulas.iter().any(|formula| has_word(&formula.text, name))
            || has_word(&self.definitions, name)
    }

    /// Whether some value of the state depends on the line, by itself or through a definition.
    pub fn values_name_line(&self) -> bool {
        let in_definitions = has_word(&self.definitions, "line");
        self.values.iter().any(|value| in_definitions || value.names("line"))
    }

    /// The names of all events that stand for something.
    pub fn event_names(&self) -> impl Iterator<Item = &str> {
        self.events.keys().map(String::as_str)
    }
}

/// Splits `event.msg.term` into its fields.
pub(crate) fn path(text: &str) -> Path {
    text.split('.').map(str::to_owned).collect()
}
