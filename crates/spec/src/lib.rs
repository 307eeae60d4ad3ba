//! Links TLA+ modules and a configuration into one resolved specification.
//!
//! - [`load()`]     finds and parses all modules; `refs` says which ones a module mentions, `builtin` holds ours
//! - `intern`       strings in TLC's order
//! - `elaborate`    names to ids, instances to copies; `scope` is what names stand for meanwhile
//! - `constants`    what the configuration gives to constants and definitions; `override_scope` says where that holds
//! - `recursion`    which definitions refer to themselves
//! - `level`        constants, state functions, actions, temporal formulas; and SANY's rules about them
//! - `model`        the formulas that the configuration names; `behavior` takes SPECIFICATION apart
//! - [`ir`]         the result
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
mod walk;

pub use ir::Spec;
use kilter_base::suggest;
pub use load::{Modules, load};
pub use resolve::{Resolution, resolve};
