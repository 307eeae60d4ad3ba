//! Finds what changed between two versions of a system's source code, and which mapped actions run the changed code.
//!
//! - [`tree`]       the files of a version, from a directory or a git revision
//! - [`language`]   Rust, Python, Java and Go: detects the language of a file, and parses it
//! - `items`        the functions, types, constants and imports in a syntax tree
//! - `write`        cuts an item into pieces, in a form that comments and layout do not change
//! - `branch`       finds where to cut: arms for an event, and the loop that takes events from a gate
//! - `scan`         finds the names in a piece, which are the edges of the call graph before names are resolved
//! - `program`      all pieces of a version, and which piece names which
//! - `walk`         goes from piece to piece along these names
//! - `dispatch`     finds the variants of events that belong to each action
//! - `reach`        finds the code of each action, of the start, and of background threads
//! - `assigned`     finds the mapped variables that changed statements assign
//! - `files`        sorts other files into build files, data, documentation and tests
//! - `changed`      the pieces that differ between two versions
//! - `attribute`    attributes changed pieces to actions
//! - `points`       finds the lines at which a change begins to matter
//! - `ran`          attributes changes by what is known to have run
//!
//! The call graph is based on names. In Rust, a method call reaches every method with this name whose receiver the
//! caller may have; in other languages, every method with this name. Constants, types, fields and macros that are named
//! are reached as well. So the graph has too many edges rather than too few. Changed code that no action reaches is
//! listed in [`SourceChange::unattributed`], and then everything has to be tested.
//!
//! Some assumptions are not checked:
//!
//! - Code under `if event.action == "Timeout"` runs for that action only. So does an arm of a `match` that the program
//!   itself maps to an action (`Step::Timeout => Action::new("Timeout")`).
//! - An arm for a variant of the enumerations in [`Mapping::events`] runs only for the actions that the variant leads
//!   to.
//! - A Rust type that a node reads back when it starts names `Deserialize`, if any type does. Only code that comes to
//!   name such a type takes part in what is stored. In other languages, any code may.
//!
//! Changed code may also change state that is no variable. This shows only in later steps, if at all. Of such state,
//! only what is stored is considered here: [`ChangedAction::stores`].

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod assigned;
mod attribute;
mod branch;
mod changed;
mod dispatch;
mod files;
mod items;
mod language;
mod piece;
mod points;
mod program;
mod ran;
mod reach;
mod scan;
mod tree;
mod walk;
mod write;

use std::collections::{BTreeMap, BTreeSet};

pub use attribute::compare;
use language::Language;
pub use tree::{Tree, TreeError};

/// The part of the mapping between specification and code that matters here.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// The actions of the specification, and what runs for each of them.
    pub actions: BTreeMap<String, Runs>,
    /// Variables. The key is the name that nodes report, the value is the name in the specification.
    pub variables: BTreeMap<String, String>,
    /// Enumerations whose variants decide which action runs, such as the kinds of messages. Enumerations that the code
    /// itself maps to actions need not be listed. An arm for a variant runs only for actions that the variant leads to.
    pub events: BTreeSet<String>,
    /// What ran in the old version, if that is known.
    pub ran: Option<Ran>,
}

/// The lines that ran in the old version, while tests took every step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// The folders whose lines were noted. What ran elsewhere is not known.
    pub folders: BTreeSet<String>,
    /// What ran for each action that has code.
    pub actions: BTreeMap<String, Lines>,
    /// What ran when a node started.
    pub start: Lines,
    /// What ran between actions, where a node decides what it offers.
    pub offers: Lines,
}

/// Files and lines.
pub type Lines = BTreeMap<String, BTreeSet<usize>>;

/// Lines of a file, from the first to the last of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// The file.
    pub file: String,
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

impl Range {
    /// Whether one of these lines is in the range.
    pub fn has_any(&self, lines: &Lines) -> bool {
        lines.get(&self.file).is_some_and(|lines| lines.range(self.first..=self.last).next().is_some())
    }
}

/// What runs for an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Code of the system that mentions the action's name.
    Code,
    /// The code that starts a node.
    Start,
    /// No code of the system, because the testbed performs the action.
    Nothing,
}

/// What changed between two versions of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceChange {
    /// The actions whose code changed, sorted by name.
    pub actions: Vec<ChangedAction>,
    /// Changes that belong to no known action, each with its place. If there are any, everything has to be tested.
    pub unattributed: Vec<String>,
    /// Changes outside of the system, each with its place: tests and documentation.
    pub ignored: Vec<String>,
    /// Changes of code that did not run, each with its place.
    pub unused: Vec<String>,
    /// Changes of code that ran when a node started, each with its place. Known only if it is known what ran.
    pub start: Vec<String>,
    /// Whether changed code may decide what a node offers. `None` if that is not known.
    pub offers: Option<bool>,
}

impl SourceChange {
    /// Whether nothing of the system changed.
    pub fn is_none(&self) -> bool {
        self.actions.is_empty() && self.unattributed.is_empty()
    }
}

/// An action whose code changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedAction {
    /// Its name.
    pub action: String,
    /// The specification's variables that the change can affect.
    pub variables: Affected,
    /// Whether the changed code may take part in what the node stores and reads back when it starts.
    pub stores: bool,
    /// Lines of the old code. A step of the action that runs none of them does what it did before. `None` if that is not
    /// known.
    pub at: Option<Vec<Range>>,
    /// What changed, where, and how the action reaches the changed code.
    pub why: String,
}

/// Variables that a change can affect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Affected {
    /// Any variable.
    All,
    /// Only these. Every changed statement assigns one of them and does nothing else.
    Only(BTreeSet<String>),
}
