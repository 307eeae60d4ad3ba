//! All tests of this crate that need no program of their own: one program is built much faster than many.

mod common;

#[path = "browser.rs"]
mod browser;
#[path = "counts.rs"]
mod counts;
#[path = "forms.rs"]
mod forms;
#[path = "laws.rs"]
mod laws;
#[path = "merge.rs"]
mod merge;
#[path = "read.rs"]
mod read;
