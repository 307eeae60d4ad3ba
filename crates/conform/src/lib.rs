//! Drives a testbed along a suite and compares states with those of the specification.
//!
//! A case is driven along:
//!
//! - [`plan`]       the graph made ready: what to do for each step
//! - [`drive`]      one case over a [`kilter_testbed::World`]
//! - [`reading`]    offers in the specification's words
//! - [`unexpected`] offers that the specification forbids; `known` those that were found to be allowed
//! - [`observe`]    the state of the system in the specification's words; [`flights`] its messages
//! - [`difference`] where two values differ
//! - [`discovery`]  what a case has shown, in a sentence
//!
//! And many of them:
//!
//! - [`method`]     what the runner has to know to play them
//! - [`cases`]      cases from suites, and by id
//! - [`follow`]     what is done after a finding
//! - [`record`]     what is written down

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod cases;
pub mod difference;
pub mod discovery;
pub mod drive;
pub mod flights;
pub mod follow;
mod known;
pub mod method;
pub mod observe;
pub mod plan;
pub mod reading;
pub mod record;
pub mod unexpected;

pub use cases::Case;
pub use drive::{Driver, Ending, Played};
pub use method::{Conformance, MakeWorld};
pub use plan::{Plan, PlanError};
