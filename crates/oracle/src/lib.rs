//! Random models, and a naive evaluator that gives the right answer for each.
//!
//! The evaluator is the oracle for the checker. It is slow and small, and shares no code with the fast path. It follows
//! TLC's rules for which states are generated, counted and checked, and in which order.
//!
//! - [`model`]    a module and its configuration as a small tree
//! - [`generate`] makes a random model from a seed
//! - [`mod@print`] prints a model as the text of its modules and of its `.cfg`
//! - [`value`]    values as plain data, sets as sorted vectors
//! - [`naive`]    evaluates a model: initial states, successors, properties, the search
//! - [`shrink`]   finds a smaller model on which two checkers still differ

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod generate;
pub mod model;
pub mod naive;
pub mod print;
pub mod shrink;
mod value;
