//! All tests of this crate that need no program of their own: one program is built much faster than many.

#[path = "local.rs"]
mod local;
#[path = "safety.rs"]
mod safety;
#[path = "spec_changes.rs"]
mod spec_changes;
