//! All tests of this crate that need no program of their own: one program is built much faster than many.

mod common;

#[path = "choices.rs"]
mod choices;
#[path = "covers.rs"]
mod covers;
#[path = "file.rs"]
mod file;
#[path = "por.rs"]
mod por;
