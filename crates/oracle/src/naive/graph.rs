//! The states and steps that a search has found.

use super::eval::Partial;

/// The states and steps that a search has found.
pub struct Graph {
    /// The states, in the order in which they were found.
    pub states: Vec<Partial>,
    /// For each state, the states to which its steps lead. The stuttering step is among them.
    pub steps: Vec<Vec<usize>>,
    /// The indices of the initial states.
    pub initial: Vec<usize>,
}
