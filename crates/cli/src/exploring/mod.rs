//! What `kilter explore` is made of.
//!
//! - [`config`] the configuration file
//! - [`processes`] a system of processes; [`properties`] what must hold of it

pub mod config;
pub mod processes;
pub mod properties;
