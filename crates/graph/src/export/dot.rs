//! Writes DOT, as TLC dumps it.

use std::io::{self, Write};

use rustc_hash::FxHashSet;
use serde_json::json;

use super::Shown;
use crate::graph::{BlockId, EdgeId};

pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let graph = shown.graph;
    writeln!(out, "digraph DiskGraph {{\nnode [shape=box,style=rounded]\nnodesep=0.35;")?;
    if !graph.is_complete() {
        writeln!(out, "kilter_complete=false;")?;
    }
    if !graph.config().is_empty() {
        writeln!(out, "kilter_config=\"{}\";", escape(graph.config()))?;
    }
    // The order of names decides the order of sets. Nothing else in the text gives it reliably.
    writeln!(out, "kilter_names=\"{}\";", escape(&json!(graph.values().names()).to_string()))?;
    writeln!(out, "subgraph cluster_graph {{\ncolor=\"white\";")?;
    let initial: FxHashSet<_> = graph.initial().collect();
    for state in graph.states() {
        let label = escape(&shown.state(state));
        let style = if initial.contains(&state) { ",style = filled" } else { "" };
        writeln!(out, "{} [label=\"{label}\"{style}];", state.0)?;
    }
    for edge in graph.edges() {
        write_edge(shown, edge, out)?;
    }
    writeln!(out, "}}\n}}")
}

/// Writes an edge. Numbers tell basic blocks at the same place apart.
fn write_edge(shown: &Shown<'_>, edge: EdgeId, out: &mut dyn Write) -> io::Result<()> {
    let graph = shown.graph;
    let (source, target) = (graph.source(edge).0, graph.target(edge).0);
    let action = graph.label(graph.label_id(edge)).action();
    write!(out, "{source} -> {target} [label=\"{}\"", escape(&shown.action(edge)))?;
    let params = graph.action(action).params.join(",");
    if !params.is_empty() {
        write!(out, ",params=\"{params}\"")?;
    }
    if !shown.is_plain(edge) {
        let block = |block: BlockId| format!("{}@{}", block.0, shown.place(block));
        let way = |blocks: Vec<BlockId>| blocks.into_iter().map(block).collect::<Vec<String>>().join(";");
        let ways: Vec<String> = shown.ways(edge).map(way).collect();
        write!(out, ",ways=\"{}\"", escape(&ways.join("|")))?;
    }
    if let Some(exchange) = graph.exchanges().get(graph.exchange(edge) as usize) {
        let pairs: Vec<String> = exchange.iter().map(|(from, to)| format!("{from}:{to}")).collect();
        write!(out, ",exchange=\"{}\"", escape(&pairs.join(";")))?;
    }
    writeln!(out, "];")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
