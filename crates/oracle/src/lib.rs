//! Random modules, and a naive evaluator that says what each must give.
//!
//! The evaluator is the checker's oracle: slow, small, and without a line in common with the fast path. It follows TLC's rules for
//! what is generated, counted and checked, and in which order.
//!
//! - [`model`]    a module and its configuration as a small tree
//! - [`generate`] a random model from a seed
//! - [`mod@print`] a model as the text of its modules and of its `.cfg`
//! - [`value`]    values as plain data, sets as sorted vectors
//! - [`naive`]    evaluates a model: initial states, successors, properties, the search
//! - [`shrink`]   a smaller model on which two checkers still differ

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod generate;
pub mod model;
pub mod naive;
pub mod print;
pub mod shrink;
mod value;
