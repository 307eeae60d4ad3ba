//! What `kilter explore` is made of.
//!
//! - [`config`] the configuration file
//! - [`processes`] a system of processes; [`properties`] what must hold of it
//! - [`watch`]  how far the search is, limits of time, Ctrl-C
//! - [`tell`]   what was found, for people and scripts

pub mod config;
pub mod processes;
pub mod properties;
pub mod tell;
pub mod watch;
