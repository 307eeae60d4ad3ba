//! Evaluates a model by the definitions, slowly.
//!
//! - `env`        the bound names around an expression
//! - [`eval`]     the value of an expression
//! - [`operators`] prefix and infix operators
//! - [`library`]  operators of the standard modules
//! - [`step`]     initial states and successors, in TLC's order
//! - [`checks`]   the checks on states and steps
//! - [`graph`]    the states and steps that a search has found
//! - [`search`]   breadth-first search with TLC's counts and checks
//! - [`temporal`] temporal properties, on the graph that the search has found

pub mod checks;
pub mod env;
pub mod eval;
pub mod graph;
pub mod library;
pub mod operators;
pub mod search;
pub mod step;
pub mod temporal;

pub use search::{Answer, Verdict, check, check_within};
