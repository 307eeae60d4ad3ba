//! The state graph: stored compactly, saved and loaded, imported from TLC's DOT, exported.
//!
//! - [`graph`]    the [`StateGraph`]: states, edges in both directions, labels, all by small ids
//! - [`build`]    a [`Builder`] makes a graph, state by state and edge by edge
//! - [`values`]   the values of a graph, each stored once; [`Values::restore`] puts them into a [`kilter_value::Store`]
//! - [`intake`]   takes values from a store into a graph, numbered by first use
//! - [`mod@file`] encodes graphs as bytes and decodes them: a versioned, compressed, checksummed format
//! - `ways`       the ways through an action that lead along an edge: sets, each stored once
//! - `second`     reads files of version 2
//! - `check`      checks a graph that comes from a file
//! - [`summary`]  sizes, depth, components, sinks, actions with counts
//! - [`walk`]     breadth-first levels, shortest paths, strongly connected components
//! - [`text`]     parses printed TLA+ values
//! - [`dot`]      reads TLC's dumps, and our own DOT
//! - [`export`]   writes DOT, JSON, `GraphML`, and ITF for single paths
//!
//! A graph can be understood without tables of other crates. This crate knows nothing of specifications or of the
//! checker, and reads and writes no files: it takes and returns bytes.

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
