//! Finds what changed between two versions of a specification and its system, and which steps have to be tested again.
//!
//! - [`canon`]       writes expressions as text that depends only on their meaning
//! - [`blocks`]      the basic blocks of a specification
//! - [`pairing`]     pairs the blocks of two versions
//! - [`spec_change`] compares two specifications
//! - [`graphs`]      finds the states and steps of a new graph that the old one has too
//! - [`view`]        what nodes see of states and steps
//! - `sight`         reads a graph as its nodes see it
//! - [`alike`]       finds steps that are alike to the node that takes them
//! - `changes`       what has changed besides the graphs
//! - [`pattern`]     the patterns of the paper
//! - [`patterns`]    applies the patterns
//! - `code`          applies the pattern for changed code
//! - `matcher`       finds edges for both of them
//! - `affected`      the edges that were found
//! - [`wants`]       what tests have to do
//! - [`mod@reuse`]     finds the cases of an earlier run that still count
//! - [`growth`]      grows tests around edges, as in the paper; `kilter-suite` makes the cheapest tests
//!
//! This crate reads no files and starts no system. It takes specifications, graphs and lists of changes, and returns
//! edges.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod affected;
mod alike;
pub mod blocks;
mod canon;
mod changes;
mod code;
pub mod graphs;
pub mod growth;
mod matcher;
mod pairing;
mod pattern;
pub mod patterns;
pub mod reuse;
mod sight;
pub mod spec_change;
pub mod view;
mod wants;

pub use alike::Alike;
pub use changes::{Changes, CodeChange};
pub use graphs::GraphChange;
pub use pattern::Pattern;
pub use patterns::{Affected, Match, Versions, Width, apply};
pub use reuse::{Reuse, reuse};
pub use spec_change::{SpecChange, SpecChanges, Version};
pub use view::View;
