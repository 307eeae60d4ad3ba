//! What is wrong, and how it came about.

use kilter_testbed::Trouble;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// A safety property is violated.
    Unsafe {
        /// Its name.
        property: String,
    },
    /// Nothing can happen any more, and the goal is not reached.
    Stuck,
    /// The goal is not reached.
    Unmet {
        /// In how many steps since the start, or since the last fault.
        steps: u32,
    },
    /// A node has failed.
    Broken {
        /// How.
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

/// A sequence that violates something.
#[derive(Clone, Debug)]
pub struct Finding<E> {
    /// What is wrong.
    pub wrong: Wrong,
    /// What happened, faults included.
    pub events: Vec<E>,
    /// How many of the events must be given; the others follow by themselves.
    pub n_given: usize,
}

/// Whether a system that made trouble has failed; otherwise it could not be run.
pub fn is_finding(trouble: &Trouble) -> bool {
    matches!(trouble, Trouble::Exited { .. } | Trouble::Silent { .. } | Trouble::Protocol { .. })
}
