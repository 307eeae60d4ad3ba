//! The record of a run: JSON lines that are written as things happen, so that a run that was killed can be read and resumed.
//!
//! Values of the specification are printed TLA+ text: people read the record, and no program computes with its values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The name of the format.
pub const FORMAT: &str = "kilter-run";
/// The version that is written, and the newest that can be read.
pub const VERSION: u32 = 1;

/// The first line of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`]
    pub format: String,
    /// [`VERSION`]
    pub version: u32,
    /// The configuration, as the user named it.
    pub config: String,
    /// The specification's file.
    pub spec: String,
    /// The graph's fingerprint.
    pub graph: String,
    /// How many states and edges the graph has.
    pub states: u64,
    /// The edges of the graph by action.
    pub edges: BTreeMap<String, u64>,
    /// The nodes of the system.
    pub nodes: Vec<String>,
    /// How many cases there are to run.
    pub cases: u64,
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
    /// A case has ended.
    Case {
        /// Its id in the suite.
        id: String,
        /// True if it did all that the specification says, and nothing else.
        passed: bool,
        /// How many steps were taken.
        steps: u32,
        /// The edges of the graph that were confirmed.
        edges: Vec<u32>,
        /// How long it took.
        ms: f64,
        /// How much of that was spent waiting for a timeout to pass.
        waited_ms: f64,
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
}

/// Where system and specification part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What kind of difference it is.
    pub kind: FindingKind,
    /// The case's id.
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
    pub offers: Vec<Offered>,
    /// All variables in the state where the path begins, as TLA+.
    #[serde(default)]
    pub initial: Vec<(String, String)>,
    /// The steps that led here, the failing one last. Of the shortest case if there is one; so are summary, differences and offers.
    pub path: Vec<Step>,
    /// True if a second run of the case gave the same finding; `None` if it was not run again.
    pub stable: Option<bool>,
    /// The case with the shortest path to the same edge that gives the same finding, if it is shorter.
    pub shortest: Option<String>,
    /// Findings with the same group have probably one cause.
    pub group: String,
    /// What speaks for a bug in the implementation, in the specification, or in the mapping.
    pub hints: Vec<String>,
    /// The line that repeats it.
    pub repeat: String,
}

/// Findings that have probably one cause, seen together at the end of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The name that its findings give.
    pub group: String,
    /// How many findings it has.
    pub findings: u64,
    /// How many different edges failed.
    pub edges_failed: u64,
    /// How many edges of the same action were confirmed.
    pub edges_passed: u64,
    /// The shortest case that gives such a finding.
    pub shortest: String,
    /// How many steps it has.
    pub steps: u32,
    /// What speaks for a bug in the implementation, in the specification, or in the mapping.
    pub hints: Vec<String>,
    /// The line that repeats it.
    pub repeat: String,
}

/// The four kinds of findings.
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
}

impl FindingKind {
    /// Its name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::InconsistentState => "inconsistent-state",
            FindingKind::MissingAction => "missing-action",
            FindingKind::UnexpectedAction => "unexpected-action",
            FindingKind::Crash => "crash",
        }
    }
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
