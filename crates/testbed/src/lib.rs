//! A cluster that stands still until told what to do next. Knows nothing of TLA+.
//!
//! - [`world`] what drives a system: the [`World`] trait, offers, commands, trouble

pub mod world;

pub use world::{Command, Flight, NodeName, Offer, OfferId, Trouble, Waited, World};
