//! The current state, and the next one under construction.

use kilter_base::apart;
use kilter_value::Value;

/// A pair of states. A variable without a value is UNSET.
pub(super) struct States {
    /// The current state. It has no values during the search for initial states.
    pub(super) now: Vec<Value>,
    /// The next state, or the initial state under construction.
    pub(super) next: Vec<Value>,
    /// The number of variables of the next state that have no value yet.
    pub(super) n_unassigned: usize,
}

impl States {
    pub(super) fn new(n_vars: usize) -> Self {
        States { now: apart(Value::UNSET, n_vars), next: apart(Value::UNSET, n_vars), n_unassigned: n_vars }
    }

    /// Replaces both states. A missing one has no values.
    pub(super) fn enter(&mut self, now: &[Value], next: Option<&[Value]>, n_vars: usize) {
        self.now.truncate(0);
        self.now.extend_from_slice(now);
        self.now.resize(n_vars, Value::UNSET);
        self.next.truncate(0);
        if let Some(next) = next {
            self.next.extend_from_slice(next);
            self.n_unassigned = 0;
        } else {
            self.n_unassigned = n_vars;
        }
        self.next.resize(n_vars, Value::UNSET);
    }

    /// Begins a new next state with `n_vars` variables. Returns the one before, for [`States::put_back`].
    pub(super) fn begin_next(&mut self, n_vars: usize) -> (Vec<Value>, usize) {
        let next = std::mem::replace(&mut self.next, vec![Value::UNSET; n_vars]);
        (next, std::mem::replace(&mut self.n_unassigned, n_vars))
    }

    pub(super) fn put_back(&mut self, (next, n_unassigned): (Vec<Value>, usize)) {
        (self.next, self.n_unassigned) = (next, n_unassigned);
    }

    /// Whether there is no current state, because initial states are searched for.
    pub(super) fn is_initial(&self) -> bool {
        self.now.first().is_none_or(|value| *value == Value::UNSET)
    }
}
