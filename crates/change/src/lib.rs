//! What changed between two versions of a specification and its system, and which steps have to be tested again.
//!
//! - [`canon`]       expressions as text in which only what they mean is left
//! - [`blocks`]      the basic blocks of a specification
//! - [`pairing`]     which block of one version is which of the other
//! - [`spec_change`] two specifications to what changed
//! - [`graphs`]      which states and steps of a new graph were there in the old one
//! - [`pattern`]     the patterns of the paper, [`patterns`] what they match
//! - [`mod@reuse`]     what an earlier run has confirmed and nothing has touched since
//! - [`growth`]      tests grown around edges, as in the paper; `kilter-suite` makes the cheapest ones
//!
//! Nothing is read from files here, and no system is started: specifications, graphs and lists of changes go in, edges come out.

pub mod blocks;
pub mod canon;
pub mod graphs;
pub mod growth;
pub mod pairing;
pub mod pattern;
pub mod patterns;
pub mod reuse;
pub mod spec_change;

pub use graphs::GraphChange;
pub use pattern::Pattern;
pub use patterns::{Affected, Changes, CodeChange, Width, apply};
pub use reuse::{Reuse, reuse};
pub use spec_change::{SpecChange, SpecChanges, Version};
