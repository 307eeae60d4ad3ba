//! Writes JSON: one object, with one state or edge on a line.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use super::Shown;
use crate::graph::{BlockId, EdgeId, StateId};

/// The version of this format.
const VERSION: u32 = 2;

pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let graph = shown.graph;
    let initial: Vec<u32> = graph.initial().map(|state| state.0).collect();
    writeln!(
        out,
        "{{\"format\": \"kilter-graph\", \"version\": {VERSION}, \"origin\": {},",
        json!(graph.origin())
    )?;
    writeln!(out, "\"complete\": {}, \"variables\": {},", graph.is_complete(), json!(graph.variables()))?;
    writeln!(out, "\"actions\": {},", json!(graph.actions()))?;
    writeln!(out, "\"initial\": {},\n\"states\": [", json!(initial))?;
    write_lines(graph.states().map(|state| to_json(shown, state)), out)?;
    writeln!(out, "],\n\"edges\": [")?;
    write_lines(graph.edges().map(|edge| edge_to_json(shown, edge)), out)?;
    writeln!(out, "]}}")
}

fn write_lines(lines: impl Iterator<Item = Json>, out: &mut dyn Write) -> io::Result<()> {
    let mut separator = "";
    for line in lines {
        write!(out, "{separator}{line}")?;
        separator = ",\n";
    }
    writeln!(out)
}

/// The variables of a state with their values in ITF.
pub(super) fn to_json(shown: &Shown<'_>, state: StateId) -> Json {
    let pairs = shown.graph.variables().iter().zip(shown.graph.state(state));
    Json::Object(pairs.map(|(name, value)| (name.clone(), shown.itf(value))).collect())
}

/// The arguments of an edge by name, in ITF.
pub(super) fn args_to_json(shown: &Shown<'_>, edge: EdgeId) -> Map<String, Json> {
    shown.args(edge).map(|(name, value)| (name.to_owned(), shown.itf(value))).collect()
}

fn edge_to_json(shown: &Shown<'_>, edge: EdgeId) -> Json {
    let graph = shown.graph;
    let way = |blocks: Vec<BlockId>| blocks.into_iter().map(|block| shown.place(block)).collect();
    let ways: Vec<Vec<String>> = shown.ways(edge).map(way).collect();
    let mut json = json!({
        "source": graph.source(edge).0, "target": graph.target(edge).0, "action": graph.action_of(edge).name,
        "args": args_to_json(shown, edge), "ways": ways,
    });
    if let Some(exchange) = graph.exchanges().get(graph.exchange(edge) as usize) {
        json["exchange"] =
            exchange.iter().cloned().collect::<BTreeMap<String, String>>().into_iter().collect();
    }
    json
}
