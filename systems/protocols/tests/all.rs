//! All tests of this crate that need no program of their own: one program is built much faster than many.

#[path = "command.rs"]
mod command;
#[path = "ends.rs"]
mod ends;
#[path = "explore.rs"]
mod explore;
#[path = "processes.rs"]
mod processes;
