//! Brings parcels between the processes of one search, on timely dataflow.
//!
//! - [`addresses`] the file that says where the processes are
//! - [`mod@meet`]  the connections between all of them, once they agree on what they search
//! - [`link`]      a connection that says when the other side is gone
//! - [`rounds`]    the dataflow: in each round, a parcel from each process to each process

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod addresses;
mod link;
pub mod meet;
pub mod rounds;

pub use addresses::Addresses;
pub use meet::{Meeting, Unmet, meet};
pub use rounds::Rounds;
