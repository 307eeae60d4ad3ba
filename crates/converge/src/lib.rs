//! Drives the replicas of a store apart and back together, and checks whether they agree again.
//!
//! - [`step`]    the steps of a schedule: what is done to the store, and the text of that
//! - [`words`]   `[actions]`: what an action of a model is on the store
//! - [`models`]  the models that come with Kilter, as texts
//! - [`store`]   what Kilter has to know about a system
//! - [`targets`] the systems that Kilter can drive
//! - [`nodes`]   the processes of one cluster; `kin` finds those that have left a node's process group
//! - [`relay`]   relays between nodes, so that nodes can be cut off
//! - [`watch`]   waits, and measures waits without result
//! - [`drive`]   plays a schedule on a system, to the verdict
//! - [`datatype`] the same for replicated data types in process, without a system of processes
//! - [`shrink`]  finds shorter schedules with the same finding
//! - [`cause`]   what findings probably have in common
//! - [`cover`]   what schedules have shown of resynchronisations; [`guided`] chooses further schedules by that
//! - [`method`]  the interface to the runner, which plays many schedules
//! - [`config`]  the configuration file

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod cause;
pub mod config;
pub mod cover;
pub mod datatype;
pub mod drive;
pub mod guided;
mod kin;
pub mod method;
pub mod models;
pub mod nodes;
pub mod relay;
pub mod shrink;
pub mod step;
pub mod store;
pub mod targets;
pub mod trouble;
pub mod watch;
pub mod words;

pub use method::{Case, Convergence};
pub use trouble::Trouble;
