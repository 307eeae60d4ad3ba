//! Errors of an evaluation.

use kilter_base::{Name, Span};

use crate::origin::{CallSite, OriginId};

/// An error that ended an evaluation, with the place in the specification at which it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EvalError {
    /// The kind decides what the checker does with the error.
    pub kind: ErrorKind,
    /// The text for the user.
    pub message: String,
    /// The expression that failed. `None` where no single expression is at fault, as when memory runs out.
    pub span: Option<Span>,
    /// The operators that were being evaluated, innermost first, with the places of their calls.
    pub chain: Vec<CallSite>,
}

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The expression has no value, such as `1 + TRUE`.
    Evaluation,
    /// `Assert(FALSE, …)` was evaluated.
    Assertion,
    /// The caller stopped the evaluation: see [`crate::Worker::set_stop`].
    Stopped,
    /// The store has no room for another value.
    OutOfMemory,
    /// `TLCSet("exit", TRUE)`: the specification asked to stop.
    Exit,
}

/// The error is on its way out to the caller. Its text is in the worker, so that a `Result` stays small.
#[derive(Clone, Copy, Debug)]
pub struct Raised;

/// The result of an evaluation inside of a worker.
pub(crate) type Eval<T> = Result<T, Raised>;

/// An error when it is raised. Spans and names are looked up later, when the worker returns it as an `EvalError`.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub kind: ErrorKind,
    pub message: String,
    pub origin: Option<OriginId>,
    /// Functions that were being called, innermost first, with the place of the call.
    pub calls: Vec<(Name, OriginId)>,
}
