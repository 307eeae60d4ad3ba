//! All tests of this crate that need no program of their own: one program is built much faster than many.

mod common;

#[path = "bugs.rs"]
mod bugs;
#[path = "clean.rs"]
mod clean;
#[path = "clients.rs"]
mod clients;
#[path = "samples.rs"]
mod samples;
