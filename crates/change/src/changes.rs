//! What has changed besides the graphs.

use crate::spec_change::SpecChanges;

/// All that has changed besides the graphs.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// In the specification; `None` if only graphs are known.
    pub spec: Option<SpecChanges>,
    /// In the code of actions.
    pub code: Vec<CodeChange>,
    /// In how the state of the system is read: everything has to be compared again.
    pub compared: Vec<String>,
    /// In code that belongs to no action that could be found.
    pub unattributed: Vec<String>,
    /// Pairs of actions that may now follow each other.
    pub allowed: Vec<(String, String)>,
    /// Pairs of actions that may no longer follow each other.
    pub forbidden: Vec<(String, String)>,
}

/// A change in the code of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeChange {
    /// The action.
    pub action: String,
    /// The variables that the changed code assigns; `None` if that cannot be told.
    pub variables: Option<Vec<String>>,
    /// Actions that read what it stores.
    pub shows_in: Vec<String>,
    /// What was changed.
    pub why: String,
}
