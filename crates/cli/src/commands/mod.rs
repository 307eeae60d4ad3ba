//! One file a verb; a verb returns its exit code. `test` and `explore` are in `kilter::program`, because programs with a system of
//! their own have them too.
//!
//! - [`check`]       all states
//! - [`simulate`]    random behaviors
//! - [`graph`]       state graphs: what is in them, import, export
//! - [`suite`]       test suites from a state graph
//! - [`diff`]        what a change touches
//! - [`init`]        a first draft of the mapping of a system
//! - [`map`]         the mapping, checked
//! - [`report`]      what a test run has found
//! - [`converge`]    replicated stores, driven apart and back together
//! - [`example`]     `check` on a specification of ours
//! - [`completions`] a script for a shell
//! - [`answer`]      what those that search say at the end
//! - [`shared`]      arguments that several verbs share

pub mod answer;
pub mod check;
pub mod completions;
pub mod converge;
pub mod diff;
pub mod example;
pub mod graph;
pub mod init;
pub mod map;
pub mod report;
pub mod shared;
pub mod simulate;
pub mod suite;
