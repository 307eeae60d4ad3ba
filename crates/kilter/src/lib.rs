//! Kilter as a library. It loads and checks specifications, walks their state graphs, and makes test suites of them. It
//! drives a system along its specification, explores a system, and drives replicated stores apart. It compares two
//! versions.
//!
//! ```no_run
//! use kilter::{Options, Specification};
//!
//! let specification = Specification::open("Spec.tla")?;
//! let outcome = specification.check(&Options::default());
//! println!("{} distinct states", outcome.counts.distinct);
//! # Ok::<(), Box<kilter::Refusal>>(())
//! ```
//!
//! Specifications:
//! - [`Specification`] a specification that can be checked; [`load`] reads it from files; [`read`] reads files as text
//! - [`models`]        checks many configurations, and reuses the results of those that have not changed
//! - [`disk`]          the folder of a search on disk
//! - [`outside`]       decides what specifications may do with files and programs
//! - [`verdict`]       verdicts as words, sentences and exit codes; [`itf`] traces for other tools
//! - [`remarks`]       warnings about a search, and what each action did
//! - [`why`]           why an action is not enabled in a state of a trace
//! - [`diagnostics`]   errors with the lines that they are about
//! - [`show`]          the result of a search as text and as JSON
//!
//! Graphs and suites:
//! - [`graphs`]        state graphs in files, and a cache of those of specifications
//! - [`predicate`]     TLA+ formulas about the states of a graph; [`borders`] states at which a constraint cuts the
//!   graph off
//! - [`mod@suite`]     test suites from a state graph
//! - [`diff`]          what changed between two versions, and the tests for that
//!
//! Systems:
//! - [`mod@test`]      guided testing; [`prepare`] checks a mapping against its specification
//! - [`mod@explore`]   every order of events
//! - [`converge`]      replicated stores, and replicated data types in process ([`datatype`])
//! - [`follow`]        logs against the specification
//! - [`coverage`]      which threads of a Java system do what no action covers
//! - [`run`]           the common part of these three; [`reports`] the files that they write
//! - `heard`           what nodes offer and note, for warnings
//! - [`part`]          which part of a run is done here; [`campaign`] runs on many machines
//! - [`Host`]          what they need from the program around them; [`Worlds`] linked-in systems; [`signals`] Ctrl-C
//! - [`Error`]         why a job did not come to an end
//! - `program`         a whole program around the user's own system (with the feature `program`)
//!
//! With the feature `clap`, the options of test, explore and converge derive `clap::Args`. The crates below have the
//! parts: `kilter-check` searches, `kilter-graph` keeps what was found, `kilter-suite` covers it, `kilter-run` plays
//! cases.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod borders;
mod build;
pub mod campaign;
pub mod converge;
pub mod coverage;
pub mod diagnostics;
pub mod diff;
pub mod disk;
pub mod error;
pub mod explore;
pub mod follow;
mod formulas;
pub mod graphs;
mod heard;
pub mod host;
pub mod hosts;
pub mod itf;
mod java;
pub mod load;
pub mod models;
pub mod outside;
pub mod part;
pub mod predicate;
pub mod prepare;
#[cfg(feature = "program")]
pub mod program;
pub mod read;
pub mod remarks;
pub mod reports;
pub mod resources;
pub mod run;
mod setup;
pub mod shell;
pub mod show;
pub mod signals;
mod specification;
pub mod suite;
pub mod test;
#[cfg(feature = "clap")]
pub mod units;
pub mod verdict;
pub mod why;
pub mod worlds;

pub use error::Error;
pub use host::Host;
pub use java::Compared;
pub use kilter_check::{Limits, Options, Outcome, Progress, Verdict};
pub use kilter_converge::datatype;
pub use kilter_graph::StateGraph;
pub use load::{Input, Refusal};
pub use outside::Access;
pub use specification::{Quiet, Specification};
pub use worlds::Worlds;
