//! What `kilter diff` and `kilter test --since` are made of.
//!
//! - [`side`]     one version: its specification, its graph, its sources
//! - [`round`]    two versions to what changed, which steps that touches, and the tests for them
//! - [`words`]    changes and patterns as sentences
//! - [`tell`]     all of it for people, for scripts, and as Markdown for pull requests
//! - [`markdown`] the last of these

pub mod markdown;
pub mod round;
pub mod side;
pub mod tell;
pub mod words;
