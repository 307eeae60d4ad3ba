//! What `kilter diff` and `kilter test --since` are made of.
//!
//! - [`side`]     one version: its specification, its graph, its sources
//! - [`code`]     what changed in the system's code
//! - [`record`]   what an earlier run has confirmed
//! - [`round`]    two versions to what changed, which steps that touches, and the tests for them
//! - [`since`]    the same for a git revision and what there is now
//! - [`view`]     what nodes see of a specification
//! - [`words`]    changes and patterns as sentences
//! - [`tell`]     all of it for people, for scripts, and as Markdown for pull requests
//! - [`markdown`] the last of these

pub mod code;
pub mod markdown;
pub mod record;
pub mod round;
pub mod side;
pub mod since;
pub mod tell;
pub mod view;
pub mod words;
