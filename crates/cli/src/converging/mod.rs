//! What `kilter converge` is made of, besides its command.
//!
//! - [`record`]  what became of each schedule, on disk
//! - [`verdict`] what all of it comes to

pub mod record;
pub mod verdict;
