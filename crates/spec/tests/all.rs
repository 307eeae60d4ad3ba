//! All tests of this crate that need no program of their own: one program is built much faster than many.

mod common;

#[path = "configuration.rs"]
mod configuration;
#[path = "instances.rs"]
mod instances;
#[path = "levels.rs"]
mod levels;
#[path = "loading.rs"]
mod loading;
#[path = "names.rs"]
mod names;
