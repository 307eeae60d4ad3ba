//! The words for a system under test, the same for `kilter test`, `explore` and `converge`.
//!
//! - [`fault`] what can be done to a system, and to which part of it
//! - [`section`] `[system]` of a configuration; [`java`] its table for Java systems
//! - [`keys`]  how the keys of configurations are spelled
//! - [`mod@places`] the words in braces of a command

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod fault;
pub mod java;
pub mod keys;
pub mod places;
pub mod section;

pub use fault::{Crash, Fault, Struck};
pub use places::PLACES;
pub use section::System;
