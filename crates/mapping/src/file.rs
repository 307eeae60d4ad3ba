//! The content of `kilter.toml`, with the place of everything that can be wrong.

use std::collections::BTreeMap;
use std::ops::Range;

pub use kilter_system::Fault;
use kilter_system::System;
use kilter_system::keys::{self, BadText, Part};
use serde::Deserialize;
use toml::Spanned;

pub use crate::follow::FollowSection;

/// All of `kilter.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct File {
    /// The files of the specification.
    pub spec: SpecSection,
    /// The test cases that are made from the specification.
    pub suite: Option<Spanned<Part<SuiteSection>>>,
    /// What `kilter diff` can't see for itself.
    pub diff: Option<Spanned<Part<DiffSection>>>,
    /// How lines of a log are read.
    pub follow: Option<FollowSection>,
    /// How the system under test is run.
    pub system: Spanned<System>,
    /// The implementation's names for values of the specification.
    #[serde(default)]
    pub constants: BTreeMap<Spanned<String>, Spanned<toml::Value>>,
    /// What each variable is in the implementation.
    #[serde(default)]
    pub variables: BTreeMap<Spanned<String>, Spanned<Part<VariableEntry>>>,
    /// What each action is in the implementation.
    #[serde(default)]
    pub actions: BTreeMap<Spanned<String>, Spanned<Part<ActionEntry>>>,
}

impl File {
    /// Whether the system is only followed: somebody else starts it. What such a mapping leaves out is not compared.
    pub fn is_only_followed(&self) -> bool {
        let system = self.system.get_ref();
        self.follow.is_some() && system.command.is_none() && system.world.is_none()
    }
}

/// `[spec]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SpecSection {
    /// The root module, relative to `kilter.toml`.
    pub file: String,
    /// The configuration, relative to `kilter.toml`.
    pub config: Option<String>,
    /// Further folders with modules, relative to `kilter.toml`.
    #[serde(default)]
    pub library: Vec<String>,
}

/// `[suite]`: the options of `kilter suite`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SuiteSection {
    /// `edges`, `states`, `actions` or `pairs`
    pub cover: Option<String>,
    /// `optimal`, `greedy` or `dfs`
    pub algorithm: Option<String>,
    /// Only targets of these actions are covered. Empty means all.
    pub actions: Vec<String>,
    /// Only targets for which this formula holds are covered.
    pub only_when: Option<String>,
    /// Cases end after one of these actions.
    pub end_actions: Vec<String>,
    /// Cases end in a state in which this formula holds.
    pub end_when: Option<String>,
    /// The most steps in a case.
    pub max_steps: Option<u32>,
    /// The cost of a case, in steps.
    pub restart_cost: Option<u32>,
    /// Whether only one order of commuting steps is covered.
    pub por: bool,
    /// Whether only the orders that `por` leaves out are covered.
    pub por_rest: bool,
    /// Sets of interchangeable model values, such as `n1,n2,n3`.
    pub symmetry: Vec<String>,
    /// The seed. Another seed decides ties differently.
    pub seed: Option<u64>,
}

/// `[diff]`: what `kilter diff` cannot see for itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DiffSection {
    /// The folders of the system's source code, relative to `kilter.toml`.
    pub source: Vec<Spanned<String>>,
    /// Enumerations in that code whose variants decide which action is taken, such as the kinds of messages.
    pub events: Vec<String>,
    /// Whether nodes share more than messages, such as a file or memory.
    pub shared: bool,
    /// Sequences of actions that have become possible.
    pub allow: Vec<Vec<String>>,
    /// Sequences of actions that have become impossible.
    pub forbid: Vec<Vec<String>>,
}

/// An entry of `[variables]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VariableEntry {
    /// The kind of the variable.
    pub kind: Spanned<VariableKind>,
    /// The name under which nodes report it.
    pub from: Option<Spanned<String>>,
    /// The shape of its values.
    pub shape: Option<Spanned<String>>,
    /// How the specification stores messages.
    pub form: Option<Spanned<Form>>,
    /// The node that reports a global variable.
    pub node: Option<Spanned<String>>,
    /// The nodes that have a part of it. Otherwise all nodes do for which the specification has one.
    pub nodes: Option<Spanned<Vec<Spanned<String>>>>,
}

/// The kinds of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VariableKind {
    /// A function of nodes. Each node reports its part.
    Node,
    /// One value, which one or several nodes report as a whole.
    Global,
    /// The messages in flight.
    Messages,
    /// A variable that bounds the model. It is not compared.
    Counter,
    /// A variable that helps the model. It is not compared.
    Auxiliary,
}

/// How the specification stores messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// As a function from messages to the number of their copies.
    Bag,
    /// As a set.
    Set,
    /// As a set of all messages that were ever sent.
    Monotone,
}

/// An entry of `[actions]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ActionEntry {
    /// The kind of the action.
    pub kind: Spanned<ActionKind>,
    /// The node at which it happens: a parameter, or a part of one such as `m.dest`.
    pub node: Option<Spanned<String>>,
    /// The other node, for `cut` and `mend`.
    pub other: Option<Spanned<String>>,
    /// The parameter that is the message.
    pub message: Option<Spanned<String>>,
    /// The name under which nodes offer the action, if it differs from the specification's.
    pub offer: Option<Spanned<String>>,
    /// For offers, the parameters that their arguments stand for, in order. For requests, the arguments to send.
    pub args: Option<Spanned<Vec<toml::Value>>>,
    /// The name of the request, if it differs from the action's.
    pub request: Option<Spanned<String>>,
    /// A program that makes the request, in place of the testbed.
    pub command: Option<Spanned<Vec<String>>>,
    /// The fault that the testbed brings about.
    pub fault: Option<Spanned<Fault>>,
    /// The shapes of parameters, where `any` is not enough.
    #[serde(default)]
    pub shapes: BTreeMap<Spanned<String>, Spanned<String>>,
    /// Whether only the model limits how often it happens. Then it may be offered where the specification has no such
    /// step.
    #[serde(default)]
    pub bounded: bool,
    /// `false` if states are not compared after it.
    pub compare: Option<bool>,
}

/// The kinds of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    /// A node offers it by itself.
    Node,
    /// A node offers it when a message has arrived.
    Message,
    /// The testbed brings it about as a fault.
    Fault,
    /// The testbed asks a node for it.
    Request,
    /// Nothing happens in the system: it is a step of the specification alone.
    Internal,
}

/// Parses `kilter.toml`.
pub fn read(text: &str) -> Result<File, BadText> {
    keys::read(text)
}

/// Where the value of a key of `[suite]` is in the text of a mapping.
pub fn place_in_suite(text: &str, key: &str) -> Option<Range<usize>> {
    #[derive(Deserialize)]
    struct Places {
        suite: BTreeMap<String, Spanned<toml::Value>>,
    }
    let places: Places = toml::from_str(text).ok()?;
    places.suite.get(key).map(Spanned::span)
}
