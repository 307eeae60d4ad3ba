//! A specification as a program that yields initial states, successors and predicates, fast.
//!
//! - [`compile`] a resolved specification to a [`Program`]; what cannot be evaluated becomes a node that says so
//! - [`node`]    what programs are made of
//! - [`program`] the program as a whole
//! - [`origin`]  where nodes come from
//! - [`outside`] files and programs, as far as whoever evaluates allows them
//! - [`temporal`] temporal formulas, compiled and expanded
//! - [`run`]     a [`Worker`] evaluates a program: expressions, actions, native operators; an [`Evaluator`] owns it too
//! - [`error`]   what can go wrong in an evaluation

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod compile;
mod error;
pub mod node;
pub mod origin;
pub mod outside;
mod program;
mod run;
pub mod temporal;

pub use compile::compile;
pub use error::{ErrorKind, EvalError};
pub use program::Program;
pub use run::{Evaluator, Label, Part, Successors, Worker};
