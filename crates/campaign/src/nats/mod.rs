//! Campaigns on NATS `JetStream`.
//!
//! - [`access`]  where brokers are, and who we are to them
//! - [`connect`] to brokers, with errors that say what to do
//! - `bucket`    one campaign: two streams, a bucket of papers, and a store of contents

pub mod access;
mod bucket;
mod connect;

pub use access::{Access, AccessError};
pub use bucket::Bucket;
pub use connect::Nats;
