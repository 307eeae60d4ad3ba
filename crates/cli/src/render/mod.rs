//! Everything as text for people. Styles are always in the text; whoever writes it takes them out where they do not
//! belong.
//!
//! - [`diagnostics`] errors and warnings with the lines they are about
//! - [`failure`]     evaluation errors: the expression and the chain of operators around it
//! - [`trace`]       a behavior, step by step
//! - [`lasso`]       how a behavior goes on forever
//! - [`difference`]  what changed between two values
//! - [`summary`]     counts, coverage, warnings
//! - [`suite`]       a test suite in numbers

pub mod diagnostics;
pub mod difference;
pub mod failure;
pub mod lasso;
pub mod suite;
pub mod summary;
pub mod trace;

pub use kilter_report::style::count;
pub(crate) use kilter_report::style::{BAD, DOUBT, FAINT, GOOD, NEW, STRONG, paint, plural};

/// What an error line begins with.
pub fn error_word() -> String {
    paint(BAD, "error")
}

/// How many columns the terminal has, or a page.
pub fn width() -> usize {
    const PAGE: usize = 100;
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.unwrap_or(PAGE).clamp(60, 160)
}
