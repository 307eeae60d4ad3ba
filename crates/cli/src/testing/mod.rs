//! What `kilter test`, `kilter map` and `kilter init` are made of.
//!
//! - [`prepare`]  `kilter.toml` and its specification, checked against each other
//! - [`build`]    the system under test, built
//! - [`stages`]   the specification to a graph, the graph to cases
//! - [`borders`]  states whose steps a CONSTRAINT has cut off
//! - [`record`]   the record of a run on disk: written as things happen, resumed
//! - [`live`]     how far a run is, on a terminal
//! - [`tell`]     what came of it, for people and for scripts

pub mod borders;
pub mod build;
pub mod live;
pub mod prepare;
pub mod record;
pub mod stages;
pub mod tell;
