//! Successor states, and how each came about.

use kilter_value::Value;

use crate::node::ActionId;

/// The successors of a state, or the initial states.
#[derive(Debug, Default)]
pub struct Successors {
    /// The states, one after the other.
    rows: Vec<Value>,
    /// How each came about.
    labels: Vec<Label>,
    /// States between the two steps of a composed action.
    n_between: u64,
}

/// How a successor came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The action, if Next names it.
    pub action: Option<ActionId>,
    /// The action's arguments as a tuple; the empty tuple when labels are not recorded.
    pub args: Value,
    /// The basic blocks taken, as a tuple of their numbers.
    pub blocks: Value,
}

impl Successors {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// How many states were passed through inside of composed actions.
    pub fn n_between(&self) -> u64 {
        self.n_between
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Each with its label; `n_vars` is the number of variables.
    pub fn iter(&self, n_vars: usize) -> impl Iterator<Item = (&[Value], &Label)> {
        // A specification without variables has rows of no length.
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

    /// Counts states between the two steps of a composed action.
    pub(super) fn pass_through(&mut self, n_states: u64) {
        self.n_between += n_states;
    }

    /// Adds a state that differs from `now` in some variables.
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

    /// Keeps the first ones only.
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
