//! How a search ends.

use kilter_value::Value;

use super::fresh::At;
use crate::outcome::Limit;

/// How a search ends.
pub(crate) enum End {
    /// There are no more states.
    Complete,
    /// A limit is reached.
    Limit(Limit),
    /// There is a violation. The process that has found the first one knows which.
    Violation(Option<Found>),
}

/// What a process has found.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// A new state that violates something, and the state that leads to it.
    State { row: Vec<Value>, from: Option<At> },
    /// A state of this process whose successors violate something, by its number.
    Step(u32),
    /// A part of the initial states.
    Initial(u32),
}
