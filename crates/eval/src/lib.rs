//! Compiles a specification to a program that computes initial states, successors and predicates fast.
//!
//! - [`compile`] a resolved specification to a [`Program`]. An expression that cannot be evaluated becomes a node that
//!   says so
//! - [`node`]    the expressions and actions of a program
//! - [`program`] the program as a whole
//! - [`origin`]  where in the specification each node comes from
//! - [`outside`] access to files and programs, as far as the caller allows it
//! - [`temporal`] temporal formulas, compiled and expanded
//! - [`reason`]  why a formula is true or false
//! - [`run`]     a [`Worker`] evaluates expressions, actions and native operators; an [`Evaluator`] also owns the
//!   program
//! - [`error`]   errors of an evaluation

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod compile;
mod error;
pub mod node;
pub mod origin;
pub mod outside;
mod program;
pub mod reason;
mod run;
pub mod temporal;

pub use compile::compile;
pub use error::{ErrorKind, EvalError};
pub use program::{Predicate, Program};
pub use run::{Evaluator, Label, Part, Successors, Wanted, Worker};
