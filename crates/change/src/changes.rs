//! What has changed besides the graphs.

use kilter_graph::EdgeId;

use crate::spec_change::SpecChanges;

/// What has changed besides the graphs.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Changes of the specification. `None` if only the graphs are known.
    pub spec: Option<SpecChanges>,
    /// Changes in the code of actions.
    pub code: Vec<CodeChange>,
    /// Changes in how the state of the system is read. After one of them, every step has to be compared again.
    pub compared: Vec<String>,
    /// Changes of code that belongs to no known action.
    pub unattributed: Vec<String>,
    /// Changes of what a node does when it starts. Each test begins with that, so the first steps show it.
    pub start: Vec<String>,
    /// Changes of code that no action and no start of a node runs. They need no test.
    pub unused: Vec<String>,
    /// Whether changed code may decide what a node offers. `None` if that is not known.
    pub offers: Option<bool>,
    /// Pairs of actions: now the second may follow the first.
    pub allowed: Vec<(String, String)>,
    /// Pairs of actions: now the second may no longer follow the first.
    pub forbidden: Vec<(String, String)>,
}

/// A change in the code of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeChange {
    /// The name of the action.
    pub action: String,
    /// The variables that the changed code assigns. `None` if that is not known.
    pub variables: Option<Vec<String>>,
    /// The actions that read what the changed code stores.
    pub shows_in: Vec<String>,
    /// Steps of the action in the new graph that are known not to run changed code.
    pub spared: Vec<EdgeId>,
    /// What was changed, in words.
    pub why: String,
}
