//! What changed between two versions of a specification and its system, and which steps have to be tested again.
//!
//! - [`canon`]       expressions as text in which only what they mean is left
//! - [`blocks`]      the basic blocks of a specification
//! - [`pairing`]     which block of one version is which of the other
//! - [`spec_change`] two specifications to what changed
//! - [`graphs`]      which states and steps of a new graph were there in the old one
//! - [`view`]        what nodes see of states and steps; `sight` a graph as they see it, [`alike`] steps that are alike to them
//! - `changes`       what has changed besides the graphs
//! - [`pattern`]     the patterns of the paper, [`patterns`] what they match, `code` after changes of code; `matcher` is what both
//!   look for edges with, `affected` what they find
//! - [`wants`]       what tests have to do about it
//! - [`mod@reuse`]     what an earlier run has confirmed and nothing has touched since
//! - [`growth`]      tests grown around edges, as in the paper; `kilter-suite` makes the cheapest ones
//!
//! Nothing is read from files here, and no system is started: specifications, graphs and lists of changes go in, edges come out.

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
