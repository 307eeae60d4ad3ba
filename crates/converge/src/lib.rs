//! Drives replicated stores apart and back together, and asks whether they agree again.
//!
//! - [`step`]    the steps of a schedule, and their text
//! - [`model`]   which steps may follow each other: all schedules of a model
//! - [`store`]   what has to be known of a system
//! - [`targets`] the systems that are known
//! - [`nodes`]   the processes of one cluster
//! - [`watch`]   waiting, and what it costs
//! - [`drive`]   a schedule on a system, to the verdict
//! - [`shrink`]  shorter schedules that show the same
//! - [`method`]  what the runner has to know to play many of them
//! - [`config`]  the configuration file

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod config;
pub mod drive;
pub mod method;
pub mod model;
pub mod nodes;
pub mod shrink;
pub mod step;
pub mod store;
pub mod targets;
pub mod trouble;
pub mod watch;

pub use method::{Case, Convergence};
pub use trouble::Trouble;
