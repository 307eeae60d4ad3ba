//! Java systems: the table of the agent in `probes/java`, and the classes that it is about.
//!
//! - [`table`]      the table, as it is written and as the agent reads it; [`release`] what of it one release has
//! - [`expression`] paths through objects
//! - [`jars`]       the classes of jars and folders; [`class`] one of them
//! - [`check()`]    whether a table fits the classes; [`doubts()`] where it may mean something else
//! - [`lines`]      the lines on which the table names actions, variables and messages
//! - [`changed()`]  which actions a new release touches; `reach` what an action may run

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod changed;
pub mod check;
pub mod class;
pub mod doubts;
pub mod expression;
pub mod jars;
pub mod lines;
mod reach;
pub mod release;
pub mod table;

pub use changed::{Changed, Touched, changed};
pub use check::{Mistake, check};
pub use doubts::doubts;
pub use jars::Jars;
pub use lines::Lines;
pub use table::Table;

/// The `reset` of a Java system that starts it again in the same JVM, in a class loader of its own.
pub const AGAIN: &str = "kilter.again";
/// What the agent is asked for then: all nodes end before the first begins, so that no message goes from one life to another.
pub const AGAIN_REQUESTS: [&str; 2] = [END, BEGIN];
/// Ends the system in its JVM, and puts its folder back as it was at first.
pub const END: &str = "kilter.end";
/// Begins it again in the same JVM.
pub const BEGIN: &str = "kilter.begin";
/// Ends it in its JVM as if the process were killed; the folder stays as it is.
pub const CRASH: &str = "kilter.crash";
