//! Drives a testbed along a suite and compares states with those of the specification.
//!
//! The mapping, `kilter.toml`, says what the parts of a specification are in an implementation:
//!
//! - [`mod@file`]   `kilter.toml` as it is written
//! - [`summary`]    the names of a specification that it is about
//! - [`mod@check`]  the one against the other, all that is wrong at once; `rules` does actions, `errors` has the wording
//! - [`mapping`]    the result; [`draft`] a first one, guessed
//! - [`changed`]    what of it changed between two versions
//! - [`shape`]      how values are spelled, [`words`] what constants and nodes are called, [`translate`] both in use
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
//! - [`mod@run`]    cases spread over several worlds, results in order: `desk` gives out, `job` runs, `clerk` collects
//! - [`cases`]      cases from suites, and by id
//! - [`follow`]     what is done after a finding; [`groups`] findings with one cause
//! - [`record`]     what is written down

pub mod cases;
pub mod changed;
pub mod check;
mod clerk;
mod desk;
pub mod difference;
pub mod discovery;
pub mod draft;
pub mod drive;
mod errors;
pub mod file;
pub mod flights;
pub mod follow;
pub mod groups;
mod job;
mod known;
pub mod mapping;
pub mod observe;
pub mod plan;
pub mod reading;
pub mod record;
mod rules;
pub mod run;
pub mod shape;
pub mod summary;
pub mod translate;
pub mod unexpected;
pub mod words;

pub use check::check;
pub use drive::{Case, Driver, Ending, Played};
pub use mapping::Mapping;
pub use plan::{Plan, PlanError};
pub use run::run;
pub use summary::{ActionSummary, Summary};
