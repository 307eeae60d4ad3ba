//! Reads TLC's dumps in DOT.
//!
//! - `lex`       splits text into tokens
//! - `statement` finds nodes and edges; legends, ranks and defaults are left out
//! - `label`     parses the texts of nodes and edges
//! - `import`    makes a [`StateGraph`] of it
//!
//! A dump may be made with or without `actionlabels`, `colorize`, `constrained` and `stuttering`. Steps that TLC did
//! not explore because of a constraint are left out, as they are without `constrained`. Stuttering steps are left out
//! too. Our own DOT ([`crate::export`]) has the names of arguments, ways and the order of names in attributes of its
//! own, which are read too.

mod import;
mod label;
mod lex;
mod statement;

use kilter_value::Store;
use thiserror::Error;

use crate::graph::StateGraph;

/// A graph from a dump, and the numbers of what the graph leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The graph of the dump.
    pub graph: StateGraph,
    /// The number of edges that differ from another one only in ways through the action.
    pub n_repeated: usize,
    /// The number of edges that a constraint excludes.
    pub n_excluded: usize,
    /// The number of stuttering steps.
    pub n_stuttering: usize,
}

/// Why a text is not a dump of TLC.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct ImportError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Reads the graph of a dump. `origin` says what the dump is, such as the file's name. Values are made in `store`,
/// which should be new.
pub fn import(text: &str, origin: &str, store: &Store) -> Result<Imported, ImportError> {
    import::import(text, origin, store)
}
