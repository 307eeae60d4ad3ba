//! Kilter as a library: load a specification, check it, walk its state graph, make a test suite of it; drive a system along it, explore
//! a system, drive replicated stores apart; compare two versions.
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
//! - [`Specification`] a specification that can be checked; [`load`] where it comes from, [`read`] files to text
//! - [`outside`]       what specifications may do with files and programs
//! - [`verdict`]       verdicts as words, sentences and exit codes; [`itf`] traces for other tools
//! - [`diagnostics`]   errors with the lines that they are about
//!
//! Graphs and suites:
//! - [`graphs`]        state graphs in files, and those of specifications, kept from one time to the next
//! - [`predicate`]     TLA+ formulas over the states of a graph; [`borders`] states that a constraint cuts off
//! - [`mod@suite`]     test suites from a state graph
//! - [`diff`]          what changed between two versions, and the tests for that
//!
//! Systems:
//! - [`mod@test`]      guided testing; [`prepare`] a mapping, checked against its specification
//! - [`mod@explore`]   every order of events
//! - [`converge`]      replicated stores
//! - [`run`]           what these three have in common; [`reports`] what they leave behind
//! - [`Host`]          what they need from the program around them; [`Worlds`] systems that are linked in, [`signals`] Ctrl-C
//! - [`Error`]         why they came to no end
//! - `program`         a whole program around a system of one's own (with the feature `program`)
//!
//! The options of test, explore and converge derive `clap::Args` with the feature `clap`. The crates below have the parts:
//! `kilter-check` searches, `kilter-graph` keeps what was found, `kilter-suite` covers it, `kilter-run` plays cases.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod borders;
mod build;
pub mod converge;
pub mod diagnostics;
pub mod diff;
pub mod error;
pub mod explore;
pub mod graphs;
pub mod host;
pub mod itf;
pub mod load;
pub mod outside;
pub mod predicate;
pub mod prepare;
#[cfg(feature = "program")]
pub mod program;
pub mod read;
pub mod reports;
pub mod resources;
pub mod run;
mod setup;
pub mod shell;
pub mod signals;
mod specification;
pub mod suite;
pub mod test;
#[cfg(feature = "clap")]
pub mod units;
pub mod verdict;
pub mod worlds;

pub use error::Error;
pub use host::Host;
pub use kilter_check::{Limits, Options, Outcome, Progress, Verdict};
pub use kilter_graph::StateGraph;
pub use load::{Input, Refusal};
pub use outside::Access;
pub use specification::{Quiet, Specification};
pub use worlds::Worlds;
