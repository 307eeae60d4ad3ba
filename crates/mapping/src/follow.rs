//! `[follow]`: how lines of a log are read, and which steps of the specification they stand for.

use std::collections::BTreeMap;

use kilter_base::suggest::closest;
use serde::Deserialize;
use serde_json::Value as Json;
use toml::Spanned;

use crate::checker::{Checker, json_of};
use crate::errors;
use crate::mapping::{Deed, Mapping, Rule};

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

/// The default of `silent-max`.
const SILENT_MAX: u32 = 1;

impl Follow {
    /// How lines are read that are as Kilter's probes write them.
    pub fn plain(rules: &[Rule]) -> Follow {
        Follow { silent_max: SILENT_MAX, events: events_by_name(rules), ..Follow::default() }
    }

    /// The names of all events that stand for something.
    pub fn event_names(&self) -> impl Iterator<Item = &str> {
        self.events.keys().map(String::as_str)
    }
}

impl Mapping {
    /// The names of the actions that an event's step may be.
    pub fn names_of(&self, step: &EventStep) -> Vec<&str> {
        step.rules.iter().map(|rule| self.rules[*rule].action.as_str()).collect()
    }
}

/// The events that mean an action without being mapped: its own name, and those under which nodes know it.
fn events_by_name(rules: &[Rule]) -> BTreeMap<String, Event> {
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, rule) in rules.iter().enumerate() {
        let known_as = match &rule.deed {
            Deed::Offer { name, .. } | Deed::Request { name, .. } => Some(name),
            _ => None,
        };
        let names = known_as.into_iter().chain([&rule.action]);
        for name in names {
            let known = found.entry(name.clone()).or_default();
            if !known.contains(&index) {
                known.push(index);
            }
        }
    }
    let event =
        |rules| Event::Steps { steps: vec![EventStep { rules, is_optional: false }], args: Vec::new() };
    found.into_iter().map(|(name, rules)| (name, event(rules))).collect()
}

/// Checks the section.
pub(crate) fn check(checker: &mut Checker<'_>, section: &FollowSection, rules: &[Rule]) -> Follow {
    let mut follow = Follow::plain(rules);
    follow.fields = fields(section);
    for (field, value) in &section.only {
        match json_of(value.get_ref()) {
            Some(json) => follow.only.push((path(field), json)),
            None => checker.push(errors::constant_value(checker.span(value.span()))),
        }
    }
    follow.skip.clone_from(&section.skip);
    follow.order = section.order;
    follow.silent_max = section.silent_max.unwrap_or(SILENT_MAX);
    for name in &section.silent {
        follow.silent.extend(rules_named(checker, name.get_ref(), name.span(), rules));
    }
    follow.values = section.values.iter().map(|(text, field)| (text.clone(), path(field))).collect();
    for (name, entry) in &section.events {
        let full = match entry.get_ref() {
            EventEntry::Step(step) => FullEvent { steps: vec![step.clone()], ..FullEvent::default() },
            EventEntry::Steps(steps) => FullEvent { steps: steps.clone(), ..FullEvent::default() },
            EventEntry::Full(full) => (**full).clone(),
        };
        let event = event(checker, &full, name.get_ref(), entry.span(), rules, &follow);
        follow.events.insert(name.get_ref().clone(), event);
    }
    for (name, entry) in &section.events {
        if let Some(Event::PartOf(whole)) = follow.events.get(name.get_ref())
            && !matches!(follow.events.get(whole), Some(Event::Steps { .. }))
        {
            let similar = closest(whole, follow.event_names());
            checker.push(errors::unknown_event(checker.span(entry.span()), whole, similar));
        }
    }
    follow
}

fn event(
    checker: &mut Checker<'_>,
    full: &FullEvent,
    name: &str,
    range: std::ops::Range<usize>,
    rules: &[Rule],
    follow: &Follow,
) -> Event {
    if full.observes {
        return Event::Observation;
    }
    if let Some(whole) = &full.part_of {
        return Event::PartOf(whole.clone());
    }
    let args: Vec<(String, Path)> =
        full.args.iter().map(|(param, field)| (param.clone(), path(field))).collect();
    let mut steps = Vec::new();
    for step in &full.steps {
        let (names, is_optional) = match step.strip_suffix('?') {
            Some(names) => (names, true),
            None => (step.as_str(), false),
        };
        let rules = names
            .split('|')
            .flat_map(|name| rules_named(checker, name.trim(), range.clone(), rules))
            .collect();
        steps.push(EventStep { rules, is_optional });
    }
    // Arguments alone are said of the action that has the name of the event.
    if steps.is_empty() {
        match follow.events.get(name) {
            Some(Event::Steps { steps: own, .. }) => steps.clone_from(own),
            _ => checker.push(errors::event_without_steps(checker.span(range.clone()), name)),
        }
    }
    for (param, _) in &args {
        let known: Vec<&str> = steps
            .iter()
            .flat_map(|step| &step.rules)
            .flat_map(|rule| &rules[*rule].params)
            .map(String::as_str)
            .collect();
        if !known.contains(&param.as_str()) {
            let similar = closest(param, known.iter().copied());
            checker.push(errors::unknown_event_param(checker.span(range.clone()), name, param, similar));
        }
    }
    Event::Steps { steps, args }
}

/// The rules of an action. Reports an error if there are none.
fn rules_named(
    checker: &mut Checker<'_>,
    name: &str,
    range: std::ops::Range<usize>,
    rules: &[Rule],
) -> Vec<usize> {
    let found: Vec<usize> =
        rules.iter().enumerate().filter(|(_, rule)| rule.action == name).map(|(index, _)| index).collect();
    if found.is_empty() {
        let similar = closest(name, rules.iter().map(|rule| rule.action.as_str()));
        checker.push(errors::unknown_action(checker.span(range), name, similar));
    }
    found
}

fn fields(section: &FollowSection) -> Fields {
    let plain = Fields::default();
    let or = |named: &Option<String>, plain: Path| named.as_deref().map_or(plain, path);
    Fields {
        event: or(&section.event, plain.event),
        node: or(&section.node, plain.node),
        args: or(&section.args, plain.args),
        message: or(&section.message, plain.message),
        from: or(&section.from, plain.from),
        before: or(&section.before, plain.before),
        state: or(&section.state, plain.state),
        sent: or(&section.sent, plain.sent),
        clock: or(&section.clock, plain.clock),
        start: or(&section.start, plain.start),
        end: or(&section.end, plain.end),
    }
}

/// Splits `event.msg.term` into its fields.
fn path(text: &str) -> Path {
    text.split('.').map(str::to_owned).collect()
}
