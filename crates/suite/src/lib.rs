//! Makes test suites over a state graph: covers a goal with few tests and steps, and proves how many are needed.
//!
//! A test is a path from an initial state. Each test costs a restart of the system under test, and each step costs a
//! round trip.
//!
//! - [`goal`]       what a suite has to cover
//! - [`mod@cover`]  makes a [`Suite`] for a goal
//! - [`suite`]      suites, their costs and lower bounds
//! - [`net`]        the reachable part of a graph, as flat arrays
//! - [`targets`]    what has to be covered: arcs or nodes of a net
//! - [`tests`]      walks on a net
//! - [`relax`]      turns a cover into a circulation; [`flow`] finds the cheapest circulation and proves it
//! - [`euler`]      takes a circulation apart into tests; [`islands`] connects parts that no test visits
//! - [`fewest`]     finds the least number of tests
//! - [`limit`]      cuts tests into shorter ones; [`prune`] removes parts that are not needed
//! - [`greedy`]     covers large graphs in one pass; [`dfs`] is Mocket's traversal
//! - [`kinds`]      every action, or every pair of actions; [`kind_cover`] covers them, [`cheapest`] at the least cost
//!   if they are few
//! - [`choice`]     takes one walk of each set of walks; [`longest`] finds paths with the largest gain
//! - [`mod@order`]  sorts tests so that the best come first
//! - [`por`]        keeps one of two orders of independent steps; [`effect`] finds what steps change
//! - [`symmetry`]   covers edges up to renaming of model values; [`group`] has the renamings
//! - [`union_find`] sets that can be joined
//! - [`concrete`]   gives values to the steps of tests
//! - [`mod@file`]   writes suites as JSON lines; [`mod@read`] reads and checks them

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod cheapest;
pub mod choice;
pub mod concrete;
pub mod cover;
mod dfs;
mod effect;
mod euler;
pub mod fewest;
pub mod file;
pub mod flow;
mod goal;
mod greedy;
mod group;
mod islands;
mod kind_cover;
mod kinds;
mod limit;
mod longest;
pub mod net;
mod order;
pub mod por;
mod prune;
pub mod read;
pub mod relax;
pub mod suite;
pub mod symmetry;
pub mod targets;
pub mod tests;
mod union_find;

pub use cover::{Baseline, baseline, cover};
pub use goal::{Algorithm, Cover, Goal, GoalError};
pub use suite::{Bound, Suite};
