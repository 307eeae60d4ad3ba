//! `kilter.toml` as it is written, with the place of everything that can be wrong.

use std::collections::BTreeMap;
use std::ops::Range;

pub use kilter_system::Fault;
use kilter_system::{System, keys};
use serde::Deserialize;
use toml::Spanned;

/// All of `kilter.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct File {
    /// Where the specification is.
    pub spec: SpecSection,
    /// Which test cases are made from it.
    #[serde(default)]
    pub suite: SuiteSection,
    /// What is known about changes.
    #[serde(default)]
    pub diff: DiffSection,
    /// How the system under test is run.
    pub system: Spanned<System>,
    /// What the implementation calls values of the specification.
    #[serde(default)]
    pub constants: BTreeMap<Spanned<String>, Spanned<toml::Value>>,
    /// What the variables are.
    #[serde(default)]
    pub variables: BTreeMap<Spanned<String>, Spanned<VariableEntry>>,
    /// What the actions are.
    #[serde(default)]
    pub actions: BTreeMap<Spanned<String>, Spanned<ActionEntry>>,
}

/// `[spec]`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SpecSection {
    /// The root module, relative to `kilter.toml`.
    pub file: String,
    /// The configuration, relative to `kilter.toml`.
    pub config: Option<String>,
    /// Where else to look for modules, relative to `kilter.toml`.
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
    /// Only targets of these actions.
    pub actions: Vec<String>,
    /// Only targets for which this formula holds.
    pub only_when: Option<String>,
    /// Cases end after one of these actions.
    pub end_actions: Vec<String>,
    /// Cases end where this formula holds.
    pub end_when: Option<String>,
    /// No case has more steps.
    pub max_steps: Option<u32>,
    /// What a case costs, compared with a step.
    pub restart_cost: Option<u32>,
    /// One order of steps that commute.
    pub por: bool,
    /// What `por` leaves out.
    pub por_rest: bool,
    /// Up to renaming of these model values: each entry such as `n1,n2,n3`.
    pub symmetry: Vec<String>,
    /// Another seed decides ties differently.
    pub seed: Option<u64>,
}

/// `[diff]`: what `kilter diff` cannot see for itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DiffSection {
    /// Where the system's source code is, relative to `kilter.toml`.
    pub source: Vec<String>,
    /// Enumerations in that code whose variants decide which action it is, such as the kinds of messages.
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
    /// What it is.
    pub kind: Spanned<VariableKind>,
    /// What nodes call it.
    pub from: Option<Spanned<String>>,
    /// How its values are spelled.
    pub shape: Option<Spanned<String>>,
    /// What the specification makes of messages.
    pub form: Option<Spanned<Form>>,
    /// The node that knows a global variable.
    pub node: Option<Spanned<String>>,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VariableKind {
    /// A function of nodes; each node reports its part.
    Node,
    /// One value that a node, or several, report as a whole.
    Global,
    /// The messages under way.
    Messages,
    /// Bounds the model; not compared.
    Counter,
    /// Helps the model; not compared.
    Auxiliary,
}

/// What the specification makes of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// A function from messages to how many copies there are.
    Bag,
    /// A set.
    Set,
    /// A set of all messages that were ever sent.
    Monotone,
}

/// An entry of `[actions]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ActionEntry {
    /// What it is.
    pub kind: Spanned<ActionKind>,
    /// The node where it happens: a parameter, or a part of one such as `m.dest`.
    pub node: Option<Spanned<String>>,
    /// The other node, for `cut` and `mend`.
    pub other: Option<Spanned<String>>,
    /// The parameter that is the message.
    pub message: Option<Spanned<String>>,
    /// What nodes call the action when they offer it, if not as the specification does.
    pub offer: Option<Spanned<String>>,
    /// For offers: the parameters that their arguments are, in order. For requests: the arguments to send.
    pub args: Option<Spanned<Vec<toml::Value>>>,
    /// What a request is called, if not as the action.
    pub request: Option<Spanned<String>>,
    /// A program that makes the request, instead of the testbed.
    pub command: Option<Spanned<Vec<String>>>,
    /// Which fault it is.
    pub fault: Option<Spanned<Fault>>,
    /// How parameters are spelled, where `any` does not do.
    #[serde(default)]
    pub shapes: BTreeMap<Spanned<String>, Spanned<String>>,
    /// Only the model limits how often it happens, so it may be offered where the specification has no such step.
    #[serde(default)]
    pub bounded: bool,
    /// False if states are not compared after it.
    pub compare: Option<bool>,
}

/// What an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionKind {
    /// A node offers it.
    Node,
    /// A node offers it when a message has arrived.
    Message,
    /// The testbed does it to the system.
    Fault,
    /// The testbed asks a node for it.
    Request,
    /// Nobody does anything: a step of the specification alone.
    Internal,
}

/// A text that is no `kilter.toml`.
#[derive(Clone, Debug)]
pub struct FileError {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub range: Option<Range<usize>>,
}

/// Reads `kilter.toml`.
pub fn read(text: &str) -> Result<File, FileError> {
    toml::from_str(text).map_err(|error: toml::de::Error| FileError {
        message: keys::explain(error.message()),
        range: error.span(),
    })
}
