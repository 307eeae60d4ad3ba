//! One file for each verb. A verb returns its exit code. `test` and `explore` are in `kilter::program`, because
//! programs around a user's own system have them too.
//!
//! - [`check`]       checks all states
//! - [`models`]      checks all states of many configurations
//! - [`disk`]        arguments of a search on disk
//! - [`simulate`]    checks random behaviors
//! - [`graph`]       shows, imports and exports state graphs
//! - [`suite`]       makes test suites from a state graph
//! - [`diff`]        finds what a change affects
//! - [`init`]        writes a first draft of a mapping
//! - [`map`]         checks a mapping
//! - [`report`]      shows what a run has found
//! - [`follow`]      asks whether a log is a behavior of its specification
//! - [`probe_check`] checks a probe against the protocol
//! - [`demo`]        writes a system with a bug, and its specification
//! - [`example`]     runs `check` on a specification of ours
//! - [`campaign`]    plays the cases of one run on many machines
//! - [`completions`] prints a script for a shell
//! - [`man`]         writes manual pages
//! - [`answer`]      the answer of the verbs that search
//! - [`shared`]      arguments that several verbs share

pub mod answer;
pub mod campaign;
pub mod check;
pub mod completions;
pub mod demo;
pub mod diff;
pub mod disk;
pub mod example;
pub mod follow;
pub mod graph;
pub mod hosts;
pub mod init;
pub mod man;
pub mod map;
pub mod models;
pub mod probe_check;
pub mod report;
pub mod shared;
pub mod simulate;
pub mod suite;

/// An error of a verb as one of the library, which knows the exit codes.
pub(crate) fn ours(error: anyhow::Error) -> kilter::Error {
    kilter::Error::from(error.reallocate_into_boxed_dyn_error_without_backtrace())
}
