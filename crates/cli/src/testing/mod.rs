//! What `kilter test`, `kilter map` and `kilter init` are made of.
//!
//! - [`prepare`]  `kilter.toml` and its specification, checked against each other
//! - [`build`]    the system under test, built
//! - [`stages`]   the specification to a graph, the graph to cases
//! - [`borders`]  states whose steps a CONSTRAINT has cut off

pub mod borders;
pub mod build;
pub mod prepare;
pub mod stages;
