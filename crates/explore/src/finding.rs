//! Findings: what is wrong, and the events that led to it.

use kilter_testbed::Trouble;

/// What is wrong with a sequence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// A safety property is violated.
    Unsafe {
        /// The name of the property.
        property: String,
    },
    /// Nothing more can happen, and the goal is not reached.
    Stuck,
    /// The goal is not reached.
    Unmet {
        /// The number of steps since the start or the last fault.
        steps: u32,
    },
    /// A node has failed.
    Broken {
        /// How it failed.
        reason: String,
    },
}

impl Wrong {
    /// Whether it is about the goal.
    pub fn is_about_goal(&self) -> bool {
        matches!(self, Wrong::Stuck | Wrong::Unmet { .. })
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wrong::Unsafe { property } => write!(f, "{property} is violated"),
            Wrong::Stuck => write!(f, "nothing can happen any more, and the goal is not reached"),
            Wrong::Unmet { steps } => write!(f, "the goal is not reached in {steps} steps"),
            Wrong::Broken { reason } => write!(f, "{reason}"),
        }
    }
}

/// A sequence in which something is wrong.
#[derive(Clone, Debug)]
pub struct Finding<E> {
    /// What is wrong with it.
    pub wrong: Wrong,
    /// The events, with faults.
    pub events: Vec<E>,
    /// The number of events that must be given. The others follow by themselves.
    pub n_given: usize,
}

/// Whether a trouble is a failure of the system under test. Otherwise the system could not be run.
pub fn is_finding(trouble: &Trouble) -> bool {
    matches!(
        trouble,
        Trouble::Exited { .. } | Trouble::Silent { .. } | Trouble::Protocol { .. } | Trouble::Restless { .. }
    )
}
