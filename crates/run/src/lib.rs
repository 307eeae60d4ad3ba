//! Plays cases, whatever the method: spreads them over jobs, keeps limits, looks at findings again, groups them, and writes a record
//! that a run which was killed goes on from.
//!
//! What a method has to say:
//!
//! - [`method`]  its cases, and how one is played; [`played`] what came of it, [`control`] what can be said meanwhile
//!
//! What it gets for that:
//!
//! - [`runner`]  jobs, limits, order, as [`options`] say: `desk` gives cases out, `job` plays them, `clerk` collects what came of them, [`outcome`]
//! - `groups`    findings that probably have one cause
//! - [`source`]  where cases come from
//! - [`shard`]   which of them are wanted; `durations` shares them out by what they took
//! - [`sink`]    where results go
//! - [`record`]  what is written down; [`journal`] does it on disk, and reads what an earlier sitting has done
//! - [`files`]   files that are replaced as a whole; [`lock`] folders that one run at a time writes to; [`logs`] the logs of cases; [`when`] dates for people

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod clerk;
pub mod control;
mod desk;
mod durations;
pub mod files;
mod groups;
mod job;
pub mod journal;
mod limits;
pub mod lock;
pub mod logs;
pub mod method;
pub mod options;
pub mod outcome;
pub mod played;
pub mod record;
pub mod runner;
pub mod shard;
pub mod sink;
pub mod source;
pub mod when;

pub use control::Control;
pub use durations::Durations;
pub use journal::{Earlier, Journal};
pub use method::{Method, More, Player, Seen, SoFar};
pub use options::Options;
pub use outcome::{Outcome, Stopped, Tally};
pub use played::{Ending, Found, Played, Stop};
pub use record::{
    Branch, Carried, Case, Counters, Detail, Difference, Event, FORMAT, Finding, FindingKind, Further, Group,
    Header, Offered, Place, Shown, Step, VERSION, Verb, hint_of_numbers,
};
pub use runner::run;
pub use shard::Shard;
pub use sink::Sink;
pub use source::{Cases, Next, Source};
