//! Why a formula is true or false, and why an action is not enabled, as data. `run/explain.rs` finds it out.

use kilter_base::{Name, Span};
use kilter_value::Value;

use crate::node::ActionId;
use crate::origin::CallSite;

/// Why a formula is true or false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The formula.
    pub span: Span,
    /// The definition that it is in, with the place of the call.
    pub within: Option<CallSite>,
    /// Whether it is true.
    pub holds: bool,
    /// The choice of bound names that decides.
    pub choice: Choice,
    /// The values of expressions in it.
    pub values: Vec<Shown>,
    /// Why parts of it are true or false.
    pub below: Vec<Reason>,
}

/// The elements of a quantifier's sets that decide about its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// It is no quantifier.
    None,
    /// These values of its names decide alone.
    One(Vec<(Name, Value)>),
    /// This many choices of values decide together.
    All(u64),
}

/// An expression and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The expression.
    pub span: Span,
    /// The part of it that is meant, such as `[r1].term`. Often empty.
    pub path: String,
    /// The value of that part.
    pub value: Value,
}

/// A way through an action that does not lead to a successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The action, with its arguments by name. `None` if no action was reached yet.
    pub action: Option<(ActionId, Vec<(Name, Value)>)>,
    /// Why the first conjunct is false that is.
    pub reasons: Vec<Reason>,
}
