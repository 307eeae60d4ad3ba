//! Writes `GraphML`.

use std::io::{self, Write};

use kilter_base::xml::escape;
use rustc_hash::FxHashSet;

use super::Shown;
use crate::graph::{BlockId, EdgeId};

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="initial" for="node" attr.name="initial" attr.type="boolean"><default>false</default></key>
<key id="action" for="edge" attr.name="action" attr.type="string"/>
<key id="args" for="edge" attr.name="args" attr.type="string"/>
<key id="ways" for="edge" attr.name="ways" attr.type="string"/>"#;

pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let graph = shown.graph;
    writeln!(out, "{HEAD}")?;
    for (index, name) in graph.variables().iter().enumerate() {
        let name = escape(name);
        writeln!(out, "<key id=\"v{index}\" for=\"node\" attr.name=\"{name}\" attr.type=\"string\"/>")?;
    }
    writeln!(out, "<graph id=\"{}\" edgedefault=\"directed\">", escape(graph.origin()))?;
    let initial: FxHashSet<_> = graph.initial().collect();
    for state in graph.states() {
        write!(out, "<node id=\"s{}\">", state.0)?;
        if initial.contains(&state) {
            write_data(out, "initial", "true")?;
        }
        for (index, value) in graph.state(state).enumerate() {
            write_data(out, &format!("v{index}"), &shown.text(value))?;
        }
        writeln!(out, "</node>")?;
    }
    for edge in graph.edges() {
        write_edge(shown, edge, out)?;
    }
    writeln!(out, "</graph>\n</graphml>")
}

fn write_edge(shown: &Shown<'_>, edge: EdgeId, out: &mut dyn Write) -> io::Result<()> {
    let graph = shown.graph;
    let (source, target) = (graph.source(edge).0, graph.target(edge).0);
    write!(out, "<edge id=\"e{}\" source=\"s{source}\" target=\"s{target}\">", edge.0)?;
    write_data(out, "action", &graph.action_of(edge).name)?;
    let args: Vec<String> =
        shown.args(edge).map(|(name, value)| format!("{name} = {}", shown.text(value))).collect();
    if !args.is_empty() {
        write_data(out, "args", &args.join(", "))?;
    }
    if !shown.is_plain(edge) {
        let place = |block: BlockId| shown.place(block);
        let way = |blocks: Vec<BlockId>| blocks.into_iter().map(place).collect::<Vec<String>>().join(" ");
        let ways: Vec<String> = shown.ways(edge).map(way).collect();
        write_data(out, "ways", &ways.join(" | "))?;
    }
    writeln!(out, "</edge>")
}

fn write_data(out: &mut dyn Write, key: &str, text: &str) -> io::Result<()> {
    write!(out, "<data key=\"{key}\">{}</data>", escape(text))
}
