//! A node that nobody controls, and whose actions are written to a file.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value as Json};

use crate::action::Action;
use crate::link::held;
use crate::trace::Tracer;
use crate::variables::Variables;

/// The latest variables of a node whose actions are written to a file.
pub(super) struct Traced {
    pub(super) tracer: Arc<Tracer>,
    pub(super) variables: Mutex<Map<String, Json>>,
}

impl Traced {
    pub(super) fn hold(&self, variables: &impl Variables) {
        variables.variables(&mut held(&self.variables));
    }

    /// Writes an action that is over. The node now holds these variables.
    pub(super) fn done(&self, action: &Action) {
        let variables = held(&self.variables).clone();
        self.tracer.step(action, variables);
    }
}
