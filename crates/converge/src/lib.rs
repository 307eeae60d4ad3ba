//! Drives replicated stores apart and back together, and asks whether they agree again.
//!
//! - [`step`]  the steps of a schedule, and their text
//! - [`model`] which steps may follow each other: all schedules of a model

pub mod model;
pub mod step;
