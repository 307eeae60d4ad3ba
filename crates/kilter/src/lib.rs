//! Kilter as a library: load a specification, check it, walk its state graph, make a test suite of it.
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
//! - [`Specification`] a specification that can be checked; [`load`] where it comes from, [`read`] files to text
//! - [`outside`]       what specifications may do with files and programs
//! - [`predicate`]     TLA+ formulas over the states of a graph
//! - [`mod@suite`]     test suites from a state graph
//!
//! The crates below have the parts: `kilter-check` searches, `kilter-graph` keeps what was found, `kilter-suite` covers it.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod load;
pub mod outside;
pub mod predicate;
pub mod read;
mod specification;
pub mod suite;

pub use kilter_check::{Limits, Options, Outcome, Progress, Verdict};
pub use kilter_graph::StateGraph;
pub use load::{Input, Refusal};
pub use outside::Access;
pub use specification::{Quiet, Specification};
