//! Makes cases from the graph.

use std::io::{BufRead, BufReader};
use std::path::Path;

use kilter_conform::{Case, Plan, cases};
use kilter_graph::{EdgeId, StateGraph, StateId, fingerprint};
use kilter_mapping::file::SuiteSection;
use kilter_suite::file::TestLine;
use kilter_suite::read;
use kilter_value::Store;

use crate::error::{Context as _, InFile as _, Tried};
use crate::reports;
use crate::suite::Request;

/// The cases of the suite that `[suite]` describes.
pub(super) fn make_cases(graph: &StateGraph, section: &SuiteSection, seed: Option<u64>) -> Tried<Vec<Case>> {
    let made = Request::of_section(section, seed)?.make(graph).context("[suite]")?;
    Ok(cases::of_suite(graph, &made.suite, &Store::new())?)
}

/// The cases of a suite in a file.
pub(super) fn read_cases(graph: &StateGraph, path: &Path) -> Tried<Vec<Case>> {
    let text = |path: &Path| -> Tried<Vec<String>> {
        let file = crate::read::open(path).unread(path)?;
        let lines: Result<Vec<String>, _> = BufReader::new(file).lines().collect();
        lines.unread(path)
    };
    let lines = text(path)?;
    read::check(graph, lines.iter().cloned()).in_file(path)?;
    let case = |line: &String| -> Tried<Case> {
        let test: TestLine = serde_json::from_str(line)?;
        let edges = test.steps.iter().map(|step| EdgeId(step.edge)).collect();
        Ok(Case { id: test.id, start: StateId(test.start), edges })
    };
    lines.iter().skip(1).map(case).collect()
}

/// The cases that the last run in this folder has planned because of its findings.
pub(super) fn of_record(plan: &Plan<'_>, folder: &Path) -> Vec<Case> {
    let Ok(record) = reports::load(folder) else { return Vec::new() };
    let is_ours = record.header.run == format!("{:016x}", fingerprint(plan.graph));
    let further = record.further.iter().filter(|_| is_ours);
    further.filter_map(|further| cases::of_further(plan.graph, further)).collect()
}
