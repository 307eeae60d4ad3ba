//! The state graph: stored compactly, saved, loaded, imported from TLC's DOT, exported.
//!
//! - [`graph`]    the [`StateGraph`]: states, edges in both directions, labels, all by small ids
//! - [`build`]    a [`Builder`] that makes one, state by state and edge by edge
//! - [`values`]   the values of a graph, each stored once; back into a [`kilter_value::Store`] by [`Values::restore`]
//! - [`intake`]   values of a store into a graph, numbered by first use
//! - [`mod@file`] bytes and back: a versioned, compressed, checksummed format
//! - `ways`       which ways through an action lead along an edge: sets, each stored once
//! - `second`     files of the second version
//! - `check`      what must hold of a graph that comes from a file
//! - [`summary`]  sizes, depth, components, sinks, actions with counts
//! - [`walk`]     breadth-first levels, shortest paths, strongly connected components
//! - [`text`]     printed TLA+ values back into values
//! - [`dot`]      TLC's dumps, and our own DOT, into a graph
//! - [`export`]   DOT, JSON, `GraphML`, and ITF for single paths
//!
//! A graph needs no other crate's tables to be understood, knows nothing of specifications or of the checker, and reads and
//! writes no files: it takes and gives bytes.

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod build;
mod check;
pub mod dot;
pub mod export;
pub mod file;
mod graph;
pub mod intake;
mod lists;
mod second;
mod summary;
pub mod text;
pub mod values;
pub mod walk;
mod ways;

pub use build::{Builder, OneWayId};
pub use dot::{ImportError, Imported};
pub use file::{FileError, decode, encode, fingerprint};
pub use graph::{Action, ActionId, Block, BlockId, EdgeId, Label, LabelId, StateGraph, StateId, WaysId};
pub use summary::{Summary, summarize};
pub use values::{RestoreError, ValueId, Values};
