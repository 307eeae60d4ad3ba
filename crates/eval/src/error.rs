//! What can go wrong in an evaluation.

use kilter_base::{Name, Span};

use crate::origin::{CallSite, OriginId};

/// An evaluation that could not be finished.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EvalError {
    /// What kind of error.
    pub kind: ErrorKind,
    /// What was wrong, in words.
    pub message: String,
    /// The expression at fault.
    pub span: Option<Span>,
    /// The operators that were being evaluated, innermost first.
    pub chain: Vec<CallSite>,
}

/// Kinds of evaluation errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The expression has no value.
    Evaluation,
    /// `Assert(FALSE, …)`.
    Assertion,
    /// The evaluation was told to stop: see [`crate::Worker::set_stop`].
    Stopped,
    /// There was no memory left for the values that it makes.
    OutOfMemory,
    /// `TLCSet("exit", TRUE)`: the specification asked to stop.
    Exit,
}

/// An error that has been raised; the worker holds what it says. Kept empty so that results stay small.
#[derive(Clone, Copy, Debug)]
pub struct Raised;

/// The result of evaluating something.
pub(crate) type Eval<T> = Result<T, Raised>;

/// An error as it is raised, before its place is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub kind: ErrorKind,
    pub message: String,
    pub origin: Option<OriginId>,
    /// Functions that were being called, innermost first, with the place of the call.
    pub calls: Vec<(Name, OriginId)>,
}
