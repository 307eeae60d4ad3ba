//! Test suites over a state graph: what to cover, in how few tests and steps, and the proof that fewer will not do.
//!
//! A test is a path from an initial state. Running one costs a restart of the system under test and a round trip for each step.
//!
//! - [`goal`]       what a suite is asked for
//! - [`mod@cover`]  a goal to a [`Suite`]
//! - [`suite`]      suites, and what is known about them
//! - [`net`]        the part of a graph that can be reached, as flat arrays
//! - [`targets`]    what has to be covered: arcs or nodes of a net
//! - [`tests`]      walks on a net
//! - [`relax`]      covers as circulations; [`flow`] the cheapest circulation, with proof
//! - [`euler`]      circulations to tests; [`islands`] what no test passes by
//! - [`fewest`]     the least number of tests
//! - [`limit`]      tests cut into shorter ones; [`prune`] tests without what nothing needs
//! - [`greedy`]     one pass, for large graphs; [`dfs`] Mocket's traversal
//! - [`kinds`]      every action, every pair of actions; [`kind_cover`] covers of them, [`cheapest`] the least cost of few of them
//! - [`choice`]     one of several walks, again and again; [`longest`] paths with the most to gain
//! - [`mod@order`]  tests in the order in which they tell the most
//! - [`por`]        one order of steps that can be taken in either; [`effect`] what steps change
//! - [`symmetry`]   edges up to renaming of model values; [`group`] the renamings
//! - [`union_find`] sets that can be joined
//! - [`concrete`]   tests with values
//! - [`mod@file`]   suites as JSON lines; [`mod@read`] and back

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
