//! The record of a run: JSON lines that are written as things happen, so that a run that was killed can be read and
//! continued.
//!
//! Values of the specification are TLA+ text. People read the record, and no program computes with its values.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::shard::Shard;

/// The name of the format.
pub const FORMAT: &str = "kilter-run";
/// The version that is written, and the newest that can be read.
pub const VERSION: u32 = 4;

/// The command that made a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// `kilter test`. Records of version 1 do not say so.
    #[default]
    Test,
    /// `kilter explore`
    Explore,
    /// `kilter converge`
    Converge,
    /// `kilter follow`
    Follow,
}

impl Verb {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Verb::Test => "test",
            Verb::Explore => "explore",
            Verb::Converge => "converge",
            Verb::Follow => "follow",
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
    /// The command that made the record.
    #[serde(default)]
    pub verb: Verb,
    /// The configuration, as the user named it.
    pub config: String,
    /// What the system is compared with: the specification's file, or the name of a model.
    pub spec: String,
    /// Identifies the run. A run that is continued must have the same. For `kilter test` it is the graph's fingerprint.
    #[serde(alias = "graph")]
    pub run: String,
    /// Identifies the system and its mapping, where `run` does not. A run that is continued must have the same.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system: String,
    /// The number of states of the graph. 0 if there is no graph.
    #[serde(default)]
    pub states: u64,
    /// The number of edges of the graph, by action.
    #[serde(default)]
    pub edges: BTreeMap<String, u64>,
    /// Where the specification defines its actions, by action.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<String, Place>,
    /// Where the code of the system names its actions, by action.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub code: BTreeMap<String, Place>,
    /// Where the table of a Java system says what they are, by action and by variable.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub table: BTreeMap<String, Vec<Place>>,
    /// The changes that the table of a Java system makes to it, one sentence each. It is not tested as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutations: Vec<String>,
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// The number of cases to run.
    pub cases: u64,
    /// Identifies the cases among others that the same run might have, such as another shard. Empty if that is not
    /// known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub chosen: String,
    /// Which part of all cases these are, if others play the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Which cases these are, in words, if the user has chosen them. Nothing is known of the others then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// When the run started, in seconds since 1970.
    pub started_s: u64,
}

/// A line of the specification, of the code or of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The file, as Kilter names it in messages.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The path of the file from the folder of the record, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Any other line of a record.
///
/// An [`Event::Actions`] follows the header, so that the edges that cases confirm can be counted by action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event", deny_unknown_fields)]
pub enum Event {
    /// The action of each edge of the graph.
    Actions {
        /// The names of the actions.
        names: Vec<String>,
        /// For each edge, in the order of its number, the index of its action in `names`.
        of_edges: Vec<u32>,
    },
    /// The code of the system that is tested in the cases from here on. A run that is continued says it again if the code is another.
    Source {
        /// The fingerprint of its files. Empty if it is not known where they are.
        fingerprint: String,
    },
    /// The ids of all cases, if they depend on more than the configuration.
    Planned {
        /// The ids, in order.
        cases: Vec<String>,
    },
    /// Further cases were planned, because findings have kept other cases from their end.
    More {
        /// The cases, in order.
        cases: Vec<Further>,
    },
    /// These edges of the graph can be reached only through edges that failed.
    Behind {
        /// The edges, by number.
        edges: Vec<u32>,
    },
    /// A case has ended.
    Case(Box<Case>),
    /// How far a long case is, so that it need not be begun again after a run was killed.
    Checkpoint {
        /// The id of the case.
        case: String,
        /// Its counters so far.
        counters: Counters,
        /// Where it is, in the method's own terms.
        state: Json,
    },
    /// A case has shown a difference between system and specification.
    Finding(Box<Finding>),
    /// What a log has shown of its specification.
    Shown(Box<Shown>),
    /// All cases have ended, and this is what the findings of one group have in common.
    Group(Box<Group>),
    /// Something about the whole run that makes its verdict worth less than it seems.
    Warning {
        /// The text, in one line.
        text: String,
    },
    /// A remark that is not a finding: a node printed garbage, a case was run again.
    Note {
        /// The id of the case, if the note is about one.
        case: Option<String>,
        /// The text, in one line.
        text: String,
    },
    /// All cases have ended.
    Finished {
        /// How long this run took, without earlier ones that it continues.
        seconds: f64,
    },
    /// The run ended before all cases had.
    Stopped {
        /// The reason, in words.
        why: String,
        /// How long this run took, without earlier ones that it continues.
        seconds: f64,
        /// Whether the reason is an error: the system could not be run, or not as the user wants.
        #[serde(default, skip_serializing_if = "is_false")]
        is_error: bool,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A case that was planned during the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Further {
    /// Its id.
    pub id: String,
    /// The edges of its path, by number.
    pub edges: Vec<u32>,
}

/// A case that has ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its id, which `--case` takes.
    pub id: String,
    /// Whether the system did everything that it should, and nothing else.
    pub passed: bool,
    /// The number of steps that were taken.
    pub steps: u64,
    /// The edges of the graph that were confirmed, by number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<u32>,
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// How much of that was spent waiting for a timeout, in milliseconds.
    pub waited_ms: f64,
    /// Why the system could not be driven along it. `None` if it could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
    /// The folder with its logs, relative to that of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<String>,
    /// Further counters of the method.
    #[serde(default, skip_serializing_if = "Counters::is_empty")]
    pub counters: Counters,
}

/// What a method counts in its cases, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Counters that are added up over cases.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sums: BTreeMap<String, u64>,
    /// Counters of which the largest over all cases is taken.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub peaks: BTreeMap<String, u64>,
    /// Things of which each counts once, in however many cases it was seen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub distinct: BTreeMap<String, BTreeSet<String>>,
}

impl Counters {
    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty() && self.peaks.is_empty() && self.distinct.is_empty()
    }

    /// The number of different things of each kind.
    pub fn n_distinct(&self) -> impl Iterator<Item = (&str, u64)> {
        self.distinct.iter().map(|(name, things)| (name.as_str(), things.len() as u64))
    }

    /// Adds the counters of another case.
    pub fn join(&mut self, other: &Counters) {
        for (name, n) in &other.sums {
            let sum = self.sums.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*n);
        }
        for (name, n) in &other.peaks {
            let peak = self.peaks.entry(name.clone()).or_default();
            *peak = (*peak).max(*n);
        }
        for (name, things) in &other.distinct {
            self.distinct.entry(name.clone()).or_default().extend(things.iter().cloned());
        }
    }
}

/// What a log has shown of its specification.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The id of the case, which is the log.
    pub case: String,
    /// The number of steps of each action. An action that the log does not show has 0.
    pub actions: BTreeMap<String, u64>,
    /// All branches of actions, in the order of the text.
    pub branches: Vec<Branch>,
    /// The number of steps that are no edges of the graph. `None` if there is no graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<u64>,
    /// All variables in the state in which the path begins, as TLA+.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub initial: Vec<(String, String)>,
    /// The last steps of a behavior that explains the log. Empty if there is a finding, which has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Step>,
}

/// A branch of an action, such as an arm of IF.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// The file of the specification.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
    /// How its text begins.
    pub text: String,
    /// The number of steps through it.
    pub steps: u64,
}

/// A difference between what the system does and what it should do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The kind of difference.
    pub kind: FindingKind,
    /// What repeats it and identifies it: the case's id, or for `kilter explore` the choices that lead there.
    pub case: String,
    /// The number of the step that failed, from 1. 0 is the initial state.
    pub step: u32,
    /// The edge of that step, by number, if there is a graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<u32>,
    /// The action of that step, or the unexpected action.
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
    /// Further texts, such as a drawing or what nodes have logged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<Detail>,
    /// All variables in the state in which the path begins, as TLA+.
    #[serde(default)]
    pub initial: Vec<(String, String)>,
    /// The steps that led here. The failing step comes last. If a shorter case is known, these are its steps; the same
    /// holds for summary, differences and offers.
    pub path: Vec<Step>,
    /// The number of these steps that must be given. `None` if all must be; otherwise the rest follows by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<u64>,
    /// Whether a second run of the case gave the same finding. `None` if it was not run again.
    pub stable: Option<bool>,
    /// The case with the shortest path to the same edge that gives the same finding, if that is shorter.
    pub shortest: Option<String>,
    /// The case of a longer path to the same finding, which was reported before. This finding replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<String>,
    /// The name of its group. Findings of one group probably have one cause.
    pub group: String,
    /// Reasons to suspect the implementation, the specification, or the mapping.
    pub hints: Vec<String>,
    /// The command line that repeats it.
    pub repeat: String,
    /// The folder with the logs of the case that is shown, relative to that of the record: what nodes printed, and what
    /// they said to the testbed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logs: Option<String>,
    /// Further fields of its method, for scripts.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub more: Map<String, Json>,
}

impl Finding {
    /// The length of the path to it, for comparisons. A shorter path is easier to understand.
    pub fn length(&self) -> (u64, usize) {
        (self.given.unwrap_or(self.path.len() as u64), self.path.len())
    }
}

/// Findings that probably have one cause, summarized at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The name of the group, as in its findings.
    pub group: String,
    /// The number of its findings.
    pub findings: u64,
    /// The number of different edges that failed, if there is a graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_failed: Option<u64>,
    /// The number of edges of the same action that were confirmed, if there is a graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_passed: Option<u64>,
    /// The id of the shortest case that gives such a finding.
    pub shortest: String,
    /// The number of its steps.
    pub steps: u64,
    /// Reasons to suspect the implementation, the specification, or the mapping.
    pub hints: Vec<String>,
    /// The command line that repeats it.
    pub repeat: String,
}

impl Group {
    /// Makes a group from its only known finding.
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

/// What the numbers of edges of an action that failed and that passed speak for.
pub fn hint_of_numbers(action: &str, failed: u64, passed: u64) -> Option<String> {
    match (failed, passed) {
        (_, 0) if failed > 1 => Some(format!(
            "specification or mapping: all {failed} edges of `{action}` that were tried fail, none passes"
        )),
        (_, 0) => None,
        (_, 1) => Some(format!(
            "implementation: another edge of `{action}` passes, so the mapping of it is not all wrong"
        )),
        _ => Some(format!(
            "implementation: {passed} other edges of `{action}` pass, so the mapping of it is not all wrong"
        )),
    }
}

/// The kinds of findings of all methods.
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
    /// A client has read what the store promises that it does not read.
    WrongRead,
    /// Replicas that are all up do not come to serve again.
    Stuck,
}

impl FindingKind {
    /// All kinds, in order.
    pub const ALL: [FindingKind; 11] = [
        FindingKind::InconsistentState,
        FindingKind::MissingAction,
        FindingKind::UnexpectedAction,
        FindingKind::Crash,
        FindingKind::Safety,
        FindingKind::Deadlock,
        FindingKind::Liveness,
        FindingKind::Differ,
        FindingKind::Lost,
        FindingKind::WrongRead,
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
            FindingKind::WrongRead => "wrong-read",
            FindingKind::Stuck => "stuck",
        }
    }

    /// Its name in texts for people.
    pub fn words(self) -> &'static str {
        match self {
            FindingKind::InconsistentState => "inconsistent state",
            FindingKind::MissingAction => "missing action",
            FindingKind::UnexpectedAction => "unexpected action",
            FindingKind::WrongRead => "wrong read",
            other => other.name(),
        }
    }
}

/// A text with a heading, which is shown as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detail {
    /// The heading.
    pub title: String,
    /// One or more lines.
    pub text: String,
}

/// One place where a variable differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The name of the variable.
    pub variable: String,
    /// The place in it, such as `[n1].votes` or `[2]`. Empty for the whole variable.
    pub place: String,
    /// What the specification says, as TLA+. Empty if nothing should be there.
    pub expected: String,
    /// What the system has, as TLA+. Empty if there is nothing.
    pub observed: String,
}

/// An action that a node offered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offered {
    /// The name of the node.
    pub node: String,
    /// The action with its arguments, in the specification's words if there are any.
    pub action: String,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The name of the action.
    pub action: String,
    /// Its arguments, as pairs of parameter and TLA+ text.
    pub args: Vec<(String, String)>,
    /// The node at which it happened. `None` if it happened at several or none.
    pub node: Option<String>,
    /// The messages that it took in, sent, or lost, as the nodes said. Up to version 2, the record of `kilter test` has
    /// here what the specification says.
    pub messages: Vec<Carried>,
    /// What the specification says about messages, where something else happened, or nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<Carried>,
    /// The variables that it changed, with the values that the specification expects after it, as TLA+.
    pub changes: Vec<(String, String)>,
}

/// What happened to a message in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// `sent`, `taken`, `dropped` or `duplicated`.
    pub fate: String,
    /// The sender, if it is known.
    pub from: Option<String>,
    /// The receiver.
    pub to: String,
    /// The content of the message.
    pub text: String,
    /// Whether the specification does not say so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unexpected: bool,
}
