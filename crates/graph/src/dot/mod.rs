//! TLC's dumps in DOT into a graph.
//!
//! - `lex`       characters to tokens
//! - `statement` tokens to nodes and edges; legends, ranks and defaults are left out
//! - `label`     the texts of nodes and edges to variables with values, actions with arguments
//! - `import`    all of it to a [`StateGraph`]
//!
//! The dumps may be made with or without `actionlabels`, `colorize`, `constrained` and `stuttering`. What TLC did not
//! explore because of a constraint is left out, as it is without `constrained`, and so are stuttering steps. Our own DOT
//! ([`crate::export`]) has arguments' names, ways and the order of names in attributes of their own, which are read too.

mod import;
mod label;
mod lex;
mod statement;

use kilter_value::Store;
use thiserror::Error;

use crate::graph::StateGraph;

/// A graph from a dump, and what the dump has that the graph leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The graph.
    pub graph: StateGraph,
    /// Edges that agree with another one in everything but ways through the action.
    pub n_repeated: usize,
    /// Edges that a constraint excludes.
    pub n_excluded: usize,
    /// Stuttering steps.
    pub n_stuttering: usize,
}

/// Why a text is not a dump of TLC's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct ImportError {
    /// Where, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// The graph that a dump shows. `origin` says what it is, such as the file's name; values are made in `store`, best a
/// fresh one.
pub fn import(text: &str, origin: &str, store: &Store) -> Result<Imported, ImportError> {
    import::import(text, origin, store)
}
