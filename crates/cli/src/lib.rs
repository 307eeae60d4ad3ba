//! The `kilter` command, as a library so that tests can use its parts.

pub mod load;
pub mod read;
pub mod verdict;
