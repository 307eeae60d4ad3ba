//! Maps the parts of a specification to an implementation.
//!
//! - [`mod@file`]   the content of `kilter.toml`
//! - [`summary`]    the names of a specification that a mapping refers to
//! - [`mod@check`]  checks the one against the other, and reports all mistakes at once: `rules` checks actions,
//!   `errors` has the wording
//! - [`mapping`]    the checked mapping; [`draft`] guesses a first one
//! - [`mod@owners`] finds out which nodes have a part of a variable
//! - [`changed`]    finds what changed between two versions
//! - [`follow`]     how lines of a log are read; `events` checks that
//! - [`shape`]      shapes of values; [`words`] names of constants and nodes
//! - [`translate`]  translates values to JSON and back, by shapes and words
//!
//! Nothing here knows how a system is run. A mapping is checked before anything starts.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod changed;
pub mod check;
mod checker;
pub mod draft;
mod errors;
mod events;
pub mod file;
pub mod follow;
pub mod mapping;
pub mod owners;
mod rules;
pub mod shape;
pub mod summary;
pub mod translate;
pub mod words;

pub use check::check;
pub use mapping::Mapping;
pub use rules::COUNT;
pub use summary::{ActionSummary, Summary};
