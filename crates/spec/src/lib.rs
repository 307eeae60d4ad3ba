//! Links TLA+ modules and a configuration into one resolved specification.
//!
//! - [`load()`]     finds and parses all modules; `refs` lists the modules that a module mentions; `builtin` has the
//!   modules that come with Kilter
//! - `intern`       interns strings in TLC's order
//! - `elaborate`    turns names into ids and instances into copies; `scope` has the meaning of names meanwhile
//! - `constants`    gives constants their values and replaces definitions; `override_scope` decides where a replacement
//!   holds
//! - `recursion`    finds the definitions that refer to themselves
//! - `level`        tells constants, state functions, actions and temporal formulas apart, and checks SANY's rules
//!   about them
//! - `model`        finds the formulas that the configuration names; `behavior` splits SPECIFICATION
//! - [`ir`]         the resolved specification
//! - [`uses`]       which variables limit an action, and which ones go into others
//! - [`native`]     operators that the evaluator implements itself
//! - `errors`       the wording of all diagnostics

#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

mod behavior;
mod builtin;
mod constants;
mod elaborate;
mod errors;
mod intern;
pub mod ir;
mod level;
mod load;
mod model;
pub mod native;
mod override_scope;
mod recursion;
mod refs;
mod report;
mod resolve;
mod scope;
mod substitute;
pub mod uses;
mod walk;

pub use ir::Spec;
use kilter_base::suggest;
pub use load::{Modules, load};
pub use resolve::{Resolution, resolve};
