//! Reads what an earlier run has confirmed.

use std::io::BufReader;
use std::path::Path;

use kilter_graph::{StateGraph, fingerprint};

/// The edges of each case that passed. `None` if there is no record of a run of this graph.
pub fn passed(path: &Path, graph: &StateGraph) -> Option<Vec<Vec<u32>>> {
    let record = kilter_report::read(BufReader::new(crate::read::open(path).ok()?)).ok()?;
    if record.header.run != format!("{:016x}", fingerprint(graph)) {
        return None;
    }
    Some(record.cases.into_iter().filter(|case| case.passed).map(|case| case.edges).collect())
}
