//! The record of a run: JSON lines that are written as things happen, so that a run that was killed can be read and resumed.
//!
//! Values of the specification are printed TLA+ text: people read the record, and no program computes with its values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The name of the format.
pub const FORMAT: &str = "kilter-run";
/// The version that is written, and the newest that can be read.
pub const VERSION: u32 = 2;

/// The command that made a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// `kilter test`; records of the first version do not say so.
    #[default]
    Test,
    /// `kilter explore`
    Explore,
    /// `kilter converge`
    Converge,
}

impl Verb {
    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Test => "test",
            Verb::Explore => "explore",
            Verb::Converge => "converge",
        }
    }
}

/// The first line of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`]
    pub format: String,
    /// [`VERSION`]
    pub version: u32,
    /// The command.
    #[serde(default)]
    pub verb: Verb,
    /// The configuration, as the user named it.
    pub config: String,
    /// What the system is held against: the specification's file, or the name of a model.
    pub spec: String,
    /// What tells this run from others: a run that goes on must have the same. For `kilter test` the graph's fingerprint.
    #[serde(alias = "graph")]
    pub run: String,
    /// What tells the system and its mapping from others, where `run` does not: a run that goes on must have the same.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system: String,
    /// How many states the graph has, if there is one.
    #[serde(default)]
    pub states: u64,
    /// The edges of the graph by action.
    #[serde(default)]
    pub edges: BTreeMap<String, u64>,
    /// The nodes of the system.
    pub nodes: Vec<String>,
    /// How many cases there are to run.
    pub cases: u64,
    /// What tells these cases from others that the same run might have, such as another part of them; empty if that is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub chosen: String,
    /// When the run started, in seconds since 1970.
    pub started_s: u64,
}

/// Any other line.
///
/// An [`Event::Actions`] follows the header, so that what cases confirm can be counted by action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event", deny_unknown_fields)]
pub enum Event {
    /// Which action each edge of the graph carries.
    Actions {
        /// The actions.
        names: Vec<String>,
        /// For each edge, in the order of its number, its action's place in `names`.
        of_edges: Vec<u32>,
    },
    /// The ids of all cases, where they depend on more than the configuration.
    Planned {
        /// In their order.
        cases: Vec<String>,
    },
    /// A case has ended.
    Case(Box<Case>),
    /// How far a long case is, so that a run that was killed need not begin it again.
    Checkpoint {
        /// The case.
        case: String,
        /// What was counted in it.
        counters: Counters,
        /// Where it is, in the words of the method.
        state: Json,
    },
    /// A case has shown that system and specification have come apart.
    Finding(Box<Finding>),
    /// All cases have ended, and this is what findings of one group have in common.
    Group(Box<Group>),
    /// Something for the log that is no finding: a node printed garbage, a case was run again.
    Note {
        /// The case, if it is about one.
        case: Option<String>,
        /// One line.
        text: String,
    },
    /// All cases have ended.
    Finished {
        /// How long the run took, this sitting.
        seconds: f64,
    },
    /// The run ends before all cases have.
    Stopped {
        /// Why, in words.
        why: String,
        /// How long the run took, this sitting.
        seconds: f64,
    },
}

/// A case that has ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What tells it apart; `--case` takes it.
    pub id: String,
    /// True if the system did all that it should, and nothing else.
    pub passed: bool,
    /// How many steps were taken.
    pub steps: u64,
    /// The edges of the graph that were confirmed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<u32>,
    /// How long it took.
    pub ms: f64,
    /// How much of that was spent waiting for a timeout to pass.
    pub waited_ms: f64,
    /// Why the system could not be driven along it, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
    /// What else was counted.
    #[serde(default, skip_serializing_if = "Counters::is_empty")]
    pub counters: Counters,
}

/// What a method counts in its cases, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Those of several cases are added.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sums: BTreeMap<String, u64>,
    /// Of several cases the largest counts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub peaks: BTreeMap<String, u64>,
}

impl Counters {
    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty() && self.peaks.is_empty()
    }

    /// Together with those of another case.
    pub fn join(&mut self, other: &Counters) {
        for (name, n) in &other.sums {
            let sum = self.sums.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*n);
        }
        for (name, n) in &other.peaks {
            let peak = self.peaks.entry(name.clone()).or_default();
            *peak = (*peak).max(*n);
        }
    }
}

/// Where the system does not do what it should.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What kind of difference it is.
    pub kind: FindingKind,
    /// What repeats it, and tells it apart: the case's id; for `kilter explore` the choices that lead there.
    pub case: String,
    /// The step that failed, from 1; 0 is the initial state.
    pub step: u32,
    /// The action of that step, or the unexpected one.
    pub action: String,
    /// The variables that differ.
    pub variables: Vec<String>,
    /// One sentence for people.
    pub summary: String,
    /// What differs, element by element.
    pub differences: Vec<Difference>,
    /// What the nodes were offering then.
    #[serde(default)]
    pub offers: Vec<Offered>,
    /// What else there is to see, such as a drawing or what nodes have logged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
    /// All variables in the state where the path begins, as TLA+.
    #[serde(default)]
    pub initial: Vec<(String, String)>,
    /// The steps that led here, the failing one last. Of the shortest case if there is one; so are summary, differences and offers.
    pub path: Vec<Step>,
    /// How many of these steps must be given, if the others follow by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<u64>,
    /// True if a second run of the case gave the same finding; `None` if it was not run again.
    pub stable: Option<bool>,
    /// The case with the shortest path to the same edge that gives the same finding, if it is shorter.
    pub shortest: Option<String>,
    /// The case of a longer way to the same, which was told before. This finding takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<String>,
    /// Findings with the same group have probably one cause.
    pub group: String,
    /// What speaks for a bug in the implementation, in the specification, or in the mapping.
    pub hints: Vec<String>,
    /// The line that repeats it.
    pub repeat: String,
    /// What only its method says of it, for scripts.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub more: Map<String, Json>,
}

impl Finding {
    /// How long the way to it is: the shorter, the more it says.
    pub fn length(&self) -> (u64, usize) {
        (self.given.unwrap_or(self.path.len() as u64), self.path.len())
    }
}

/// Findings that have probably one cause, seen together at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The name that its findings give.
    pub group: String,
    /// How many findings it has.
    pub findings: u64,
    /// How many different edges failed, if there is a graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_failed: Option<u64>,
    /// How many edges of the same action were confirmed, if there is a graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_passed: Option<u64>,
    /// The shortest case that gives such a finding.
    pub shortest: String,
    /// How many steps it has.
    pub steps: u64,
    /// What speaks for a bug in the implementation, in the specification, or in the mapping.
    pub hints: Vec<String>,
    /// The line that repeats it.
    pub repeat: String,
}

impl Group {
    /// A group of which only one finding is known.
    pub fn of(finding: &Finding) -> Group {
        Group {
            group: finding.group.clone(),
            findings: 1,
            edges_failed: None,
            edges_passed: None,
            shortest: finding.shortest.clone().unwrap_or_else(|| finding.case.clone()),
            steps: finding.path.len() as u64,
            hints: finding.hints.clone(),
            repeat: finding.repeat.clone(),
        }
    }
}

/// The kinds of findings, of all methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// A variable has another value than the specification says.
    InconsistentState,
    /// The system does not offer what the specification says can happen.
    MissingAction,
    /// The system offers what the specification forbids.
    UnexpectedAction,
    /// A node ended, hung, or broke the protocol.
    Crash,
    /// A property that must hold in every state is violated.
    Safety,
    /// Nothing can happen any more, and the goal is not reached.
    Deadlock,
    /// The goal is not reached in time.
    Liveness,
    /// Replicas do not hold the same in the end.
    Differ,
    /// A write that was acknowledged is gone.
    Lost,
    /// Replicas that are all up do not come to serve again.
    Stuck,
}

impl FindingKind {
    /// All of them, in their order.
    pub const ALL: [FindingKind; 10] = [
        FindingKind::InconsistentState,
        FindingKind::MissingAction,
        FindingKind::UnexpectedAction,
        FindingKind::Crash,
        FindingKind::Safety,
        FindingKind::Deadlock,
        FindingKind::Liveness,
        FindingKind::Differ,
        FindingKind::Lost,
        FindingKind::Stuck,
    ];

    /// Its name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::InconsistentState => "inconsistent-state",
            FindingKind::MissingAction => "missing-action",
            FindingKind::UnexpectedAction => "unexpected-action",
            FindingKind::Crash => "crash",
            FindingKind::Safety => "safety",
            FindingKind::Deadlock => "deadlock",
            FindingKind::Liveness => "liveness",
            FindingKind::Differ => "differ",
            FindingKind::Lost => "lost",
            FindingKind::Stuck => "stuck",
        }
    }

    /// Its name for people.
    pub fn words(self) -> &'static str {
        match self {
            FindingKind::InconsistentState => "inconsistent state",
            FindingKind::MissingAction => "missing action",
            FindingKind::UnexpectedAction => "unexpected action",
            other => other.name(),
        }
    }
}

/// A text with a heading, which stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detail {
    /// What it is.
    pub title: String,
    /// One or more lines.
    pub text: String,
}

/// One place where a variable differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The variable.
    pub variable: String,
    /// The place in it, such as `[n1].votes` or `[2]`; empty for the whole.
    pub place: String,
    /// What the specification says, as TLA+; empty if it says that nothing should be there.
    pub expected: String,
    /// What the system has, as TLA+; empty if there is nothing.
    pub observed: String,
}

/// An action that a node was about to take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offered {
    /// Which node.
    pub node: String,
    /// The action with its arguments, in the specification's words where it has them.
    pub action: String,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The action's name.
    pub action: String,
    /// Its arguments by parameter, as TLA+.
    pub args: Vec<(String, String)>,
    /// The node where it happened, if it happened at one.
    pub node: Option<String>,
    /// The messages that it took in, sent, or lost.
    pub messages: Vec<Carried>,
    /// The variables that it changed, as TLA+: what the specification expects after it.
    pub changes: Vec<(String, String)>,
}

/// What became of a message in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// `sent`, `taken`, `dropped` or `duplicated`.
    pub fate: String,
    /// Who sent it, if that is known.
    pub from: Option<String>,
    /// Who it is for.
    pub to: String,
    /// What it says.
    pub text: String,
}
