//! Plain data that every other crate of Kilter speaks: names, places in source text, diagnostics; and small tools.
//!
//! - [`name`]       identifiers as cheap clones
//! - [`source`]     source files and the [`Span`]s that point into them
//! - [`diagnostic`] what is wrong, where, and what to do about it
//! - [`suggest`]    "did you mean"
//! - [`ids`]        typed small integers and the vectors they index
//! - [`components`] strongly connected components
//! - [`xml`]        text in XML
//! - [`rng`]        random numbers from a seed
//! - [`memory`]     how much memory may be asked for; threads with deep stacks
//! - [`pages`]      large pages for large arrays
//! - [`mod@apart`]  vectors that threads can write without getting in each other's way

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
