//! What the parts of a specification are in an implementation.
//!
//! - [`mod@file`]   `kilter.toml` as it is written
//! - [`summary`]    the names of a specification that it is about
//! - [`mod@check`]  the one against the other, all that is wrong at once: `rules` checks actions, `errors` has the wording
//! - [`mapping`]    the result; [`draft`] a first one, guessed
//! - [`changed`]    what of it changed between two versions
//! - [`shape`]      how values are spelled, [`words`] what constants and nodes are called
//! - [`translate`]  values to JSON and back, by shapes and words
//!
//! Nothing here knows how a system is run: a mapping is checked before anything starts.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod changed;
pub mod check;
mod checker;
pub mod draft;
mod errors;
pub mod file;
pub mod mapping;
mod rules;
pub mod shape;
pub mod summary;
pub mod translate;
pub mod words;

pub use check::check;
pub use mapping::Mapping;
pub use rules::{COUNT, PLACES};
pub use summary::{ActionSummary, Summary};
