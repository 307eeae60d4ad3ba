//! Plain data that all crates of Kilter use, such as names, places in source text and diagnostics, and small tools.
//!
//! - [`name`]       identifiers that are cheap to clone
//! - [`source`]     source files and the [`Span`]s that point into them
//! - [`diagnostic`] what is wrong, where, and what to do about it
//! - [`suggest`]    "did you mean"
//! - [`ids`]        typed small integers and the vectors they index
//! - [`components`] strongly connected components
//! - [`xml`]        escaping text for XML
//! - [`rng`]        random numbers from a seed
//! - [`memory`]     how much memory can be reserved, and threads with deep stacks
//! - [`pages`]      large pages for large arrays
//! - [`mod@apart`]  vectors that share no cache line with each other

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod apart;
pub mod components;
pub mod diagnostic;
mod ids;
pub mod memory;
mod name;
pub mod pages;
pub mod rng;
mod source;
pub mod suggest;
pub mod xml;

pub use apart::apart;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use ids::{Id, IdVec};
pub use name::Name;
pub use rng::Rng;
pub use source::{FileId, Position, SourceFile, Sources, Span};
