//! Successor states with their labels.

use kilter_value::Value;

use crate::node::ActionId;

/// The successors of a state, or the initial states. A caller reuses the memory from one state to the next.
#[derive(Debug, Default)]
pub struct Successors {
    /// The values of all states, one state after the other.
    rows: Vec<Value>,
    /// One label for each state.
    labels: Vec<Label>,
    /// The number of states in between the two steps of composed actions.
    n_between: u64,
}

/// The action that leads to a successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The named action. `None` if the step does not belong to one.
    pub action: Option<ActionId>,
    /// The action's arguments as a tuple. It is empty unless labels are recorded.
    pub args: Value,
    /// The basic blocks taken, as a tuple of their numbers. It is empty unless labels are recorded.
    pub blocks: Value,
}

impl Successors {
    /// The number of states.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// The number of states in between the two steps of composed actions.
    pub fn n_between(&self) -> u64 {
        self.n_between
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The states with their labels. `n_vars` is the number of variables.
    pub fn iter(&self, n_vars: usize) -> impl Iterator<Item = (&[Value], &Label)> {
        // A specification without variables has rows of length 0.
        self.labels
            .iter()
            .enumerate()
            .map(move |(i, label)| (&self.rows[i * n_vars..(i + 1) * n_vars], label))
    }

    /// Adds a state.
    #[inline]
    pub(super) fn push(&mut self, row: &[Value], label: Label) {
        self.rows.extend_from_slice(row);
        self.labels.push(label);
    }

    /// Counts states in between the two steps of a composed action.
    pub(super) fn pass_through(&mut self, n_states: u64) {
        self.n_between += n_states;
    }

    /// Adds a state that differs from `now` in the variables of `changes`. `empty` is the empty tuple.
    pub(super) fn push_changed(
        &mut self,
        now: &[Value],
        changes: impl Iterator<Item = (u32, Value)>,
        action: Option<ActionId>,
        empty: Value,
    ) {
        let start = self.rows.len();
        self.rows.extend_from_slice(now);
        for (var, value) in changes {
            self.rows[start + var as usize] = value;
        }
        self.labels.push(Label { action, args: empty, blocks: empty });
    }

    /// Keeps only the first `length` states.
    pub(super) fn truncate(&mut self, length: usize, n_vars: usize) {
        self.rows.truncate(length * n_vars);
        self.labels.truncate(length);
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.labels.clear();
        self.n_between = 0;
    }
}
