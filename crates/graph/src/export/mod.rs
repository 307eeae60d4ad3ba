//! Writes graphs for other tools.
//!
//! - `dot`     as TLC dumps them, with arguments and ways through actions; [`crate::dot`] reads it again
//! - `json`    one object, with values in ITF, so that nothing is lost
//! - `graphml` for graph editors and libraries, with values as TLC prints them
//! - `itf`     one path, for Apalache, Quint and trace viewers

mod dot;
mod graphml;
mod itf;
mod json;

use std::io::{self, Write};

use kilter_value::{Store, Value};
use thiserror::Error;

use crate::graph::{BlockId, EdgeId, StateGraph, StateId};
use crate::values::{RestoreError, Restored, ValueId};

pub use itf::to_itf;

/// The format of a written graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `GraphViz`, as TLC dumps it.
    Dot,
    /// JSON.
    Json,
    /// `GraphML`.
    GraphMl,
}

/// Why a graph could not be written.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The values are not valid.
    #[error(transparent)]
    Values(#[from] RestoreError),
    /// The output can't be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a graph. `out` should be buffered.
pub fn write(graph: &StateGraph, format: Format, out: &mut dyn Write) -> Result<(), ExportError> {
    let store = Store::new();
    let shown = Shown::new(graph, &store)?;
    match format {
        Format::Dot => dot::write(&shown, out)?,
        Format::Json => json::write(&shown, out)?,
        Format::GraphMl => graphml::write(&shown, out)?,
    }
    out.flush()?;
    Ok(())
}

/// A graph whose values can be printed.
struct Shown<'g> {
    graph: &'g StateGraph,
    store: &'g Store,
    values: Restored,
}

impl<'g> Shown<'g> {
    fn new(graph: &'g StateGraph, store: &'g Store) -> Result<Self, RestoreError> {
        Ok(Shown { graph, store, values: graph.values().restore(store)? })
    }

    fn text(&self, value: ValueId) -> String {
        self.store.show(self.values[value])
    }

    fn itf(&self, value: ValueId) -> serde_json::Value {
        self.store.to_itf(self.value(value))
    }

    fn value(&self, value: ValueId) -> Value {
        self.values[value]
    }

    /// The state, as TLC prints it.
    fn state(&self, state: StateId) -> String {
        let graph = self.graph;
        let pairs = graph.variables().iter().zip(graph.state(state));
        let lines: Vec<String> =
            pairs.map(|(name, value)| format!("{name} = {}", self.text(value))).collect();
        match lines.as_slice() {
            [only] => only.clone(),
            lines => lines.iter().map(|line| format!("/\\ {line}")).collect::<Vec<String>>().join("\n"),
        }
    }

    /// The action with its arguments, as TLC prints it.
    fn action(&self, edge: EdgeId) -> String {
        let args: Vec<String> = self.args(edge).map(|(_, value)| self.text(value)).collect();
        let name = &self.graph.action_of(edge).name;
        if args.is_empty() { name.clone() } else { format!("{name}({})", args.join(",")) }
    }

    fn args(&self, edge: EdgeId) -> impl Iterator<Item = (&'g str, ValueId)> {
        let graph = self.graph;
        let label = graph.label(graph.label_id(edge));
        graph.action(label.action()).params.iter().map(String::as_str).zip(graph.args(label))
    }

    /// The ways of an edge, each as its basic blocks.
    fn ways(&self, edge: EdgeId) -> impl Iterator<Item = Vec<BlockId>> {
        self.graph.ways_of(edge).map(Iterator::collect)
    }

    /// Whether an edge has only ways without blocks, about which there is nothing to say.
    fn is_plain(&self, edge: EdgeId) -> bool {
        self.graph.ways_of(edge).all(|blocks| blocks.len() == 0)
    }

    /// The place of a basic block: `Raft.tla:12:5`.
    fn place(&self, block: BlockId) -> String {
        let block = self.graph.block(block);
        format!("{}:{}:{}", self.graph.file(block), block.line, block.column)
    }
}
