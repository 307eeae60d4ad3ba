//! Reads suites and checks that they belong to a graph.

use kilter_base::diagnostic::in_one_line;
use kilter_graph::{EdgeId, StateGraph, StateId, fingerprint};
use kilter_value::Store;
use serde_json::Value as Json;
use thiserror::Error;

use crate::concrete::Concrete;
use crate::file::{FORMAT, Header, Ids, SameId, Teller, TestLine, VERSION};

/// Why a suite cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    /// The file is no suite.
    #[error("not a suite of Kilter; make one with `kilter suite --out`")]
    NotASuite,
    /// A later version of Kilter wrote the suite.
    #[error(
        "the suite has version {found} of the format, and this Kilter reads up to {VERSION}; update Kilter"
    )]
    Newer {
        /// The file's version.
        found: u64,
    },
    /// A line is wrong.
    #[error("line {line}: {message}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The number of tests is not the one in the header.
    #[error("the suite is cut off: it has {found} tests of {expected}; make it again")]
    Truncated {
        /// The number of tests in the header.
        expected: u64,
        /// The number of tests in the file.
        found: u64,
    },
    /// The suite was made from another graph.
    #[error("the suite does not belong to this graph: it was made from graph {suite}, and this is {graph}")]
    OtherGraph {
        /// The fingerprint of the suite's graph.
        suite: String,
        /// The fingerprint of the graph that the suite was read for.
        graph: String,
    },
    /// The graph's values cannot be restored.
    #[error("{0}")]
    Values(String),
}

/// What a suite covers of its graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The number of tests.
    pub tests: u64,
    /// How many steps all tests have.
    pub steps: u64,
    /// For each edge, whether a test takes it.
    pub edges: Vec<bool>,
    /// For each state, whether a test visits it.
    pub states: Vec<bool>,
}

/// Reads the header of a suite from its first line.
pub fn read_header(line: &str) -> Result<Header, ReadError> {
    let json: Json = serde_json::from_str(line).map_err(|_| ReadError::NotASuite)?;
    if json["format"] != FORMAT {
        return Err(ReadError::NotASuite);
    }
    match json["version"].as_u64() {
        Some(version) if version == u64::from(VERSION) => {}
        Some(found) if found > u64::from(VERSION) => return Err(ReadError::Newer { found }),
        _ => return Err(ReadError::NotASuite),
    }
    serde_json::from_value(json).map_err(|error| ReadError::Line { line: 1, message: error.to_string() })
}

/// Checks that a suite belongs to a graph. Every test must start in an initial state, follow edges, and have their
/// actions and states.
pub fn check(
    graph: &StateGraph,
    lines: impl Iterator<Item = String>,
) -> Result<(Header, Checked), ReadError> {
    let mut lines = lines.enumerate();
    let header = read_header(&lines.next().ok_or(ReadError::NotASuite)?.1)?;
    let graph_text = format!("{:016x}", fingerprint(graph));
    if header.graph != graph_text {
        return Err(ReadError::OtherGraph { suite: header.graph, graph: graph_text });
    }
    let store = Store::new();
    let concrete = Concrete::new(graph, &store).map_err(|error| ReadError::Values(error.to_string()))?;
    let mut teller = Teller::new(concrete);
    let mut ids = Ids::default();
    let mut checked = Checked {
        tests: 0,
        steps: 0,
        edges: vec![false; graph.n_edges()],
        states: vec![false; graph.n_states()],
    };
    for (index, line) in lines {
        check_line(graph, &line, &mut teller, &mut ids, &mut checked)
            .map_err(|message| ReadError::Line { line: index + 1, message })?;
    }
    if checked.tests != header.tests {
        return Err(ReadError::Truncated { expected: header.tests, found: checked.tests });
    }
    Ok((header, checked))
}

fn check_line(
    graph: &StateGraph,
    line: &str,
    teller: &mut Teller<'_>,
    ids: &mut Ids,
    checked: &mut Checked,
) -> Result<(), String> {
    let test: TestLine = serde_json::from_str(line).map_err(|error| in_one_line(&error.to_string()))?;
    let start = StateId(test.start);
    if !graph.initial().any(|state| state == start) {
        return Err(format!("test {} does not start in an initial state", test.id));
    }
    let mut edges = Vec::with_capacity(test.steps.len());
    let mut state = start;
    checked.states[state.0 as usize] = true;
    for (index, step) in test.steps.iter().enumerate() {
        let edge = EdgeId(step.edge);
        if step.edge as usize >= graph.n_edges() || graph.source(edge) != state {
            return Err(format!("step {} of test {} is no edge of the graph", index + 1, test.id));
        }
        state = graph.target(edge);
        checked.edges[step.edge as usize] = true;
        checked.states[state.0 as usize] = true;
        edges.push(edge);
    }
    checked.tests += 1;
    checked.steps += edges.len() as u64;
    let (id, line) = teller.test(start, &edges);
    let told: TestLine = serde_json::from_str(&line).map_err(|error| error.to_string())?;
    if told != test {
        return Err(format!("test {} does not say what its edges say", test.id));
    }
    // The header is the first line, so the first test is in the second.
    let in_line = |same: SameId| format!("test {} is in line {} already", test.id, same.first + 1);
    ids.add(id).map_err(in_line)
}
