//! Finds cheapest circulations. A circulation is a flow that has no source and no sink, and respects a lower bound on
//! each arc.
//!
//! - [`network`]     nodes and arcs with costs and lower bounds
//! - `solve`         finds the cheapest circulation, and potentials that prove it
//! - [`certificate`] checks whether potentials prove that a circulation is the cheapest

pub mod certificate;
pub mod network;
mod solve;

pub use certificate::{CertificateError, certify};
pub use network::Network;
pub use solve::{Circulation, solve};
