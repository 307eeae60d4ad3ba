//! All tests of this crate that need no program of their own: one program is built much faster than many.

mod support;

#[path = "paper.rs"]
mod paper;
#[path = "processes.rs"]
mod processes;
#[path = "reduction.rs"]
mod reduction;
#[path = "replay.rs"]
mod replay;
