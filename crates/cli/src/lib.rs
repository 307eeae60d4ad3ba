//! The `kilter` command, as a library so that tests can use its parts.
//!
//! - [`args`]     the command line; `units` reads durations and sizes
//! - [`rim`]      where the process begins and ends: panics, signals, standard streams
//! - [`read`]     files to text, with errors that a person can act on
//! - [`load`]     texts to a resolved specification, or all that is wrong with it
//! - [`commands`] one file a verb
//! - [`state_graph`] what a search found, as a graph that can be saved
//! - [`predicate`] TLA+ formulas over the states of a graph
//! - [`progress`] how far a search is, on a terminal
//! - [`verdict`]  verdicts as words, sentences and exit codes
//! - [`render`]   everything as text for people
//! - [`json`], [`itf`] everything for scripts and other tools

pub mod args;
pub mod commands;
pub mod itf;
pub mod json;
pub mod load;
pub mod predicate;
pub mod progress;
pub mod read;
pub mod render;
pub mod rim;
pub mod state_graph;
mod units;
pub mod verdict;
