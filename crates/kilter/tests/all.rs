//! All tests of this crate that need no program of their own: one program is built much faster than many.

#[path = "datatypes.rs"]
mod datatypes;
#[path = "library.rs"]
mod library;
#[path = "stores.rs"]
mod stores;
