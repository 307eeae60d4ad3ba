//! What changed between two versions of a system's source code, and which mapped actions that touches.
//!
//! - [`tree`]       the files of a version: a directory, or a git revision
//! - [`language`]   Rust, Python, Java, Go: which file is which, and its syntax tree
//! - `items`        a syntax tree's functions, types, constants and imports, by language
//! - `write`        an item as pieces of code, in a form that comments and layout do not change
//! - `branch`       where an item falls into pieces: arms for an event, the loop that takes events from a gate
//! - `scan`         what a piece names: the conservative call graph's edges before they are resolved
//! - `program`      all pieces of a version, and who names whom
//! - `walk`         from piece to piece, along what they name
//! - `dispatch`     which variants of an event belong to which action
//! - `reach`        the code of each action, of the start, and of threads in the background
//! - `assigned`     the mapped variables that changed statements assign
//! - `files`        files that are no source: what code may read, what is documentation, what is a test
//! - `attribute`    changed pieces to changed actions
//!
//! The call graph goes by names: a method call reaches every method of that name, whatever its receiver; constants, types, fields and
//! macros that are named count as well. So it shows too much rather than too little. What no action reaches is listed as
//! [`SourceChange::unattributed`], and then everything has to be tested.
//!
//! Some things are taken on trust:
//!
//! - code under `if event.action == "Timeout"` runs for that action only, and an arm of a `match` that the program itself maps to an action
//!   (`Step::Timeout => Action::new("Timeout")`) for that one;
//! - so does an arm for a variant of the enumerations in [`Mapping::events`], for the actions that it leads to;
//! - a Rust type that a node reads back when it starts says so by `Deserialize`, if any does: only code that comes to name such a type has a part in
//!   what is stored. In other languages, all code may have.
//!
//! What changed code does to state that is no variable shows, if at all, in steps that come after those of its action. Of such state only
//! what is stored is looked at here: [`ChangedAction::stores`].

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod assigned;
mod attribute;
mod branch;
mod dispatch;
mod files;
mod items;
mod language;
mod piece;
mod program;
mod reach;
mod scan;
mod tree;
mod walk;
mod write;

use std::collections::{BTreeMap, BTreeSet};

pub use attribute::compare;
pub use tree::{Tree, TreeError};

/// The part of the mapping between specification and code that matters here.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// The actions of the specification, and what of the system runs for them.
    pub actions: BTreeMap<String, Runs>,
    /// Variables: the name under which nodes report it, and its name in the specification.
    pub variables: BTreeMap<String, String>,
    /// Enumerations whose variants decide which action it is, beside those that the code itself maps to actions: the kinds of
    /// messages, say. An arm for one of their variants runs only for actions that the variant leads to.
    pub events: BTreeSet<String>,
}

/// What runs for an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Code of the system that is marked with the action's name.
    Code,
    /// The code that starts a node.
    Start,
    /// Nothing: the testbed does it.
    Nothing,
}

/// What changed between two versions of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceChange {
    /// The actions whose code changed, by name.
    pub actions: Vec<ChangedAction>,
    /// What could not be attributed, each with its place. Unless this is empty, everything has to be tested.
    pub unattributed: Vec<String>,
    /// What changed and is no part of the system, each with its place: tests, documentation.
    pub ignored: Vec<String>,
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
    /// The specification's variables that the change can touch.
    pub variables: Affected,
    /// Whether the changed code may have a part in what the node finds again when it starts.
    pub stores: bool,
    /// What changed, where, and how the action comes to it.
    pub why: String,
}

/// Variables that a change can touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Affected {
    /// Any of them.
    All,
    /// Only these: every statement that changed assigns one of them and does nothing else.
    Only(BTreeSet<String>),
}
