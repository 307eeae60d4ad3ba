//! The graph that a search has found.

use super::eval::Partial;

/// The graph that a search has found.
pub struct Graph {
    /// The states, in the order in which they were found.
    pub states: Vec<Partial>,
    /// For each state, where its steps lead; a step that leaves everything as it is is among them.
    pub steps: Vec<Vec<usize>>,
    /// The initial states.
    pub initial: Vec<usize>,
}
