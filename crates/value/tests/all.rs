//! All tests of this crate that need no program of their own: one program is built much faster than many.

mod common;

#[path = "laws.rs"]
mod laws;
#[path = "order.rs"]
mod order;
#[path = "sets.rs"]
mod sets;
#[path = "store.rs"]
mod store;
#[path = "text.rs"]
mod text;
