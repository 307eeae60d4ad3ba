//! A cluster that stands still until it is told what to do next. It knows nothing of TLA+.
//!
//! - [`world`]     the [`World`] trait, which drives a system: offers, commands, trouble
//! - [`machine`]   a node as a pure state machine
//! - [`simulator`] runs such machines and the messages between them; [`inprocess`] makes a world of them
//! - [`cluster`]   a world of real processes; [`notes`] words of what nodes note there

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod cluster;
pub mod inprocess;
pub mod machine;
pub mod notes;
pub mod remains;
pub mod simulator;
pub mod world;

pub use cluster::{Agent, Cluster, Control, Interrupt, Lives, Setup};
pub use inprocess::InProcess;
pub use kilter_system::Fault;
pub use machine::{Addressee, Call, Machine, Outbox};
pub use simulator::Simulator;
pub use world::{Command, Flight, NodeName, Offer, OfferId, Target, Trouble, Until, Waited, World};
