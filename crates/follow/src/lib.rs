//! Asks whether a log is a behavior of a specification. A log is lines of JSON; the mapping says what they mean.
//!
//! - [`mod@line`] a line of JSON, with everything in it at the place where the mapping says it is
//! - `date`       times as most programs log them
//! - [`demand`]   what a line demands of a behavior, in the specification's words
//! - [`demander`] turns the lines of a log into demands
//! - `line_reader` reads what one line says
//! - [`lines`]    files of lines, read only as far as the search needs them
//! - [`moment`]   a state of a behavior, and how it was reached
//! - [`step`]     steps from a state that meet a demand
//! - [`question`] asks what the expressions of `[follow]` are for a line
//! - [`search`]   looks for one behavior that meets all demands
//! - [`why`]      what is in the way of a line that no behavior explains
//! - [`coverage`] which actions, and which branches of them, logs have shown

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod coverage;
mod date;
pub mod demand;
pub mod demander;
pub mod line;
mod line_reader;
pub mod lines;
pub mod moment;
pub mod question;
pub mod search;
pub mod step;
pub mod why;

pub use coverage::Coverage;
pub use lines::{Lines, Problem, Reader};
pub use search::{Options, Outcome, Progress, Verdict, follow};
