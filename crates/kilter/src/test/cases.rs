//! Makes cases from the graph.

use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context;
use kilter_conform::{Case, cases};
use kilter_graph::{EdgeId, StateGraph, StateId};
use kilter_mapping::file::SuiteSection;
use kilter_suite::file::TestLine;
use kilter_suite::read;
use kilter_value::Store;

use crate::suite::Request;

/// The cases of the suite that `[suite]` describes.
pub(super) fn make_cases(
    graph: &StateGraph,
    section: &SuiteSection,
    seed: Option<u64>,
) -> anyhow::Result<Vec<Case>> {
    let made = Request::of_section(section, seed)?.make(graph).context("[suite]")?;
    Ok(cases::of_suite(graph, &made.suite, &Store::new())?)
}

/// The cases of a suite in a file.
pub(super) fn read_cases(graph: &StateGraph, path: &Path) -> anyhow::Result<Vec<Case>> {
    let text = |path: &Path| -> anyhow::Result<Vec<String>> {
        let file = crate::read::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let lines: Result<Vec<String>, _> = BufReader::new(file).lines().collect();
        lines.with_context(|| format!("{} cannot be read", path.display()))
    };
    let lines = text(path)?;
    read::check(graph, lines.iter().cloned()).with_context(|| path.display().to_string())?;
    let case = |line: &String| -> anyhow::Result<Case> {
        let test: TestLine = serde_json::from_str(line)?;
        let edges = test.steps.iter().map(|step| EdgeId(step.edge)).collect();
        Ok(Case { id: test.id, start: StateId(test.start), edges })
    };
    lines.iter().skip(1).map(case).collect()
}
