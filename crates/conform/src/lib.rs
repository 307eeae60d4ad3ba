//! Drives a testbed along a suite, and compares its states with those of the specification.
//!
//! For one case:
//!
//! - [`plan`]       prepares the graph: what to do for each step
//! - [`drive`]      plays a case on a [`kilter_testbed::World`]
//! - [`reading`]    translates offers into the specification's words
//! - [`unexpected`] finds offers that the specification forbids; `known` remembers those that are allowed
//! - [`observe`]    translates the state of the system into the specification's words; [`flights`] its messages
//! - [`traffic`]    tells what happened to messages in each step, and what the specification says beside it
//! - [`difference`] finds where two values differ
//! - [`discovery`]  describes what a case has shown, in a sentence; `hints` tells what its messages speak for
//!
//! For many cases:
//!
//! - [`method`]     the interface to the runner
//! - [`cases`]      cases from suites, and by id
//! - [`follow`]     what follows a finding
//! - [`replan`]     plans what findings have hidden again
//! - [`record`]     writes findings into the record

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod cases;
pub mod difference;
pub mod discovery;
pub mod drive;
pub mod flights;
pub mod follow;
mod hints;
mod known;
pub mod method;
pub mod observe;
pub mod plan;
pub mod reading;
pub mod record;
pub mod replan;
pub mod traffic;
pub mod unexpected;

pub use cases::Case;
pub use drive::{Driver, Ending, Played};
pub use method::{Conformance, MakeWorld};
pub use plan::{Plan, PlanError};
pub use replan::Replan;
