//! All tests of this crate that need no program of their own: one program is built much faster than many.

#[path = "alone.rs"]
mod alone;
#[path = "guided.rs"]
mod guided;
#[path = "since.rs"]
mod since;
