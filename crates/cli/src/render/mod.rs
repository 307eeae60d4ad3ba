//! Writes text for people. Styles are always in the text; whoever prints it removes them where they do not belong.
//!
//! - [`failure`]     evaluation errors: the expression and the chain of operators around it
//! - [`trace`]       a behavior, step by step
//! - [`lasso`]       how a behavior goes on forever
//! - [`difference`]  what changed between two values
//! - [`reason`]      why a formula is false, and why an action is not enabled
//! - [`summary`]     counts, coverage, warnings
//! - [`suite`]       a test suite in numbers

pub mod difference;
pub mod failure;
pub mod lasso;
pub mod reason;
pub mod suite;
pub mod summary;
pub mod trace;

pub use kilter_report::style::count;
pub(crate) use kilter_report::style::{BAD, DOUBT, FAINT, GOOD, NEW, STRONG, paint, plural};
