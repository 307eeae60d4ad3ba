//! Writes text for people. Styles are always in the text; whoever prints it removes them where they do not belong.
//! `kilter::show` has traces and explanations.
//!
//! - [`summary`]  counts, coverage, warnings
//! - [`suite`]    a test suite in numbers

pub mod suite;
pub mod summary;

pub use kilter_report::style::count;
pub(crate) use kilter_report::style::{BAD, DOUBT, FAINT, GOOD, paint, plural};
