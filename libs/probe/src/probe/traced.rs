//! A node that nobody controls, and whose actions are written to a file.

use std::sync::{Arc, Mutex};

use crate::action::Action;
use crate::link::held;
use crate::trace::Tracer;
use crate::variables::{Report, Variables};

/// The latest variables of a node whose actions are written to a file.
pub(super) struct Traced {
    pub(super) tracer: Arc<Tracer>,
    pub(super) variables: Mutex<Report>,
}

impl Traced {
    pub(super) fn hold(&self, variables: &impl Variables) {
        variables.variables(&mut held(&self.variables));
    }

    /// Writes an action that is over. The node now holds these variables.
    pub(super) fn done(&self, action: &Action) {
        self.tracer.step(action, &held(&self.variables));
    }
}
