//! Circulations: flows that begin and end nowhere and respect a lower bound on each arc, at the least cost.
//!
//! - [`network`]     nodes and arcs with costs and lower bounds
//! - `solve`         the cheapest circulation, with potentials
//! - [`certificate`] whether potentials prove that a circulation is the cheapest

pub mod certificate;
pub mod network;
mod solve;

pub use certificate::{CertificateError, certify};
pub use network::Network;
pub use solve::{Circulation, solve};
