//! A campaign: the cases of one run, played by many machines. A queue gives each case to one worker at a time, and again to another if
//! that one is lost; a result counts once.
//!
//! What a campaign is:
//!
//! - [`manifest`] what it is about: the files, and the versions that all workers must have
//! - [`parcel`]   a case on its way to a worker, and what came of it
//! - [`state`]    how far it is
//!
//! Who takes part:
//!
//! - [`broker`]   what keeps the campaign: cases, results, files. It is a trait
//! - [`patient`]  a broker that is asked again while nobody answers
//! - [`toy`]      a broker in memory, which can lose, double and delay
//! - `nats`       a broker on NATS `JetStream` (with the feature `nats`)
//! - [`worker`]   takes cases, keeps them while they are played, and stores results: one turn after the other, without threads or clocks
//! - [`post`]     the thread in which a worker does that: a source and a sink for the runner
//! - [`results`]  all results, each counted once

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod broker;
pub mod manifest;
#[cfg(feature = "nats")]
pub mod nats;
pub mod parcel;
mod patient;
pub mod post;
pub mod results;
pub mod state;
pub mod toy;
pub mod worker;

pub use broker::{Broker, BrokerError, Delivery, Kept, Paper, Settings, Ticket};
pub use manifest::{Manifest, Packed};
pub use parcel::{Parcel, Played};
pub use patient::{Patience, Patient};
pub use post::{Post, Told};
pub use state::{Phase, State};
pub use worker::Worker;
