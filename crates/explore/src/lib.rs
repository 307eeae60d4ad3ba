//! Drives a system along every order of events worth trying, with faults placed where they hurt, and asks whether it is safe and
//! whether it still reaches its goal. After LTMC.
//!
//! - [`subject`]  a system under exploration, as the search sees it
//! - [`peer`]     a node's state machine; [`machines`] makes a system of several
//! - [`processes`] a system of real processes
//! - [`config`]   the configuration file; [`options`]  what to search for, how, and how far
//! - [`search`]   the one search; [`path`] is where it is
//! - [`strategy`] where to go next: the only thing that differs from one way of searching to another
//! - [`method`]   what the runner has to know to explore it; `parts` takes it apart
//! - [`waiting`]  who has waited longest; [`extend`] how a sequence goes on undisturbed
//! - [`finding`]  what is wrong; [`minimise`] makes it shorter, [`lanes`] draws it
//! - [`told`]     a sequence for people and scripts; [`outcome`] all of it without the system's own types
//! - [`progress`] how a search is watched; [`counts`] what is counted in it

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod config;
pub mod counts;
pub mod extend;
pub mod finding;
pub mod lanes;
pub mod machines;
pub mod method;
pub mod minimise;
pub mod options;
pub mod outcome;
mod parts;
pub mod path;
pub mod peer;
pub mod processes;
pub mod progress;
pub mod search;
pub mod strategy;
pub mod subject;
pub mod told;
pub mod waiting;

pub use counts::{Counts, Spent};
pub use finding::{Finding, Wrong};
pub use kilter_testbed::Fault;
pub use machines::{Event, Machines, Properties, Setup, View};
pub use options::{Options, Search};
pub use peer::{Peer, swap};
pub use processes::Processes;
pub use progress::{Progress, Unwatched};
pub use search::{Explored, Explorer, Part};
pub use subject::{Kind, Likeness, Subject, searched_faults};
