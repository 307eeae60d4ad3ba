//! The words for a system under test, the same for `kilter test`, `explore` and `converge`.
//!
//! - [`fault`] what can be done to a system, and to which part of it

pub mod fault;

pub use fault::{Fault, Struck};
