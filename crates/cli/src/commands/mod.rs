//! One file a verb; a verb returns its exit code.
//!
//! - [`check`]       all states
//! - [`simulate`]    random behaviors
//! - [`graph`]       state graphs: what is in them, import, export
//! - [`suite`]       test suites from a state graph
//! - [`mod@test`]        a system driven along its specification
//! - [`diff`]        what a change touches
//! - [`init`]        a first draft of the mapping of a system
//! - [`map`]         the mapping, checked
//! - [`report`]      what a test run has found
//! - [`explore`]     a system under every order of its events
//! - [`converge`]    replicated stores, driven apart and back together
//! - [`example`]     `check` on a specification of ours
//! - [`completions`] a script for a shell
//! - [`answer`]      what those that search say at the end
//! - [`repeat`]      the line that does it again

pub mod answer;
pub mod check;
pub mod completions;
pub mod converge;
pub mod diff;
pub mod example;
pub mod explore;
pub mod graph;
pub mod init;
pub mod map;
pub mod repeat;
pub mod report;
pub mod simulate;
pub mod suite;
pub mod test;
