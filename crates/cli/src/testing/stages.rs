//! The specification to a graph, the graph to cases.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail};
use kilter::load::{Input, Loaded};
use kilter::suite::Request;
use kilter_check::{Limit, Options, Verdict};
use kilter_conform::{Case, cases};
use kilter_eval::Program;
use kilter_graph::{EdgeId, StateGraph, StateId};
use kilter_mapping::file::SuiteSection;
use kilter_suite::file::TestLine;
use kilter_suite::read;
use kilter_value::Store;
use xxhash_rust::xxh3::Xxh3;

use super::prepare::Prepared;
use crate::commands::graph::{load, save};
use crate::progress::Line;
use crate::rim::Interrupted;
use crate::verdict;
use kilter_check::state_graph::from_search;

/// How many graphs are kept: of one specification and the versions that it is compared with.
const GRAPHS_MAX: usize = 8;

/// The graph of a specification: from the last time if nothing has changed, or by checking it.
pub fn graph(
    prepared: &mut Prepared,
    store: &Store,
    cache: &Path,
    workers: usize,
    line: &mut Line,
) -> anyhow::Result<StateGraph> {
    let Prepared { program, loaded, input, .. } = prepared;
    graph_of(program, loaded, input, store, cache, workers, line)
}

/// The same for a specification without a mapping.
pub fn graph_of(
    program: &mut Program,
    loaded: &Loaded,
    input: &Input,
    store: &Store,
    cache: &Path,
    workers: usize,
    line: &mut Line,
) -> anyhow::Result<StateGraph> {
    // A state that stands for others cannot be compared with a system.
    program.symmetry.clear();
    program.view = None;
    let file = cache.join(format!("graph-{}.kilter", content(loaded)));
    if file.is_file()
        && let Ok(graph) = load(&file)
    {
        return Ok(graph);
    }
    // Bounds on the model are dead ends of the model, not of the system.
    let options = Options {
        workers,
        check_deadlock: Some(false),
        graph: true,
        usage: crate::rim::usage,
        ..Options::default()
    };
    let signals = line.signals().clone();
    let patience = signals.patience();
    let outcome = kilter_check::run(program, store, &options, line);
    drop(patience);
    line.clear();
    line.check()?;
    match &outcome.verdict {
        Verdict::Holds => {}
        Verdict::Bounded(Limit::Interrupt) => return Err(Interrupted.into()),
        _ => bail!(
            "the specification does not hold by itself: {}; see `kilter check {} --no-deadlock`",
            verdict::sentence(&outcome),
            input.spec.display()
        ),
    }
    let graph = from_search(program, store, &outcome, &loaded.sources, &input.config_path())
        .ok_or_else(|| anyhow!("the specification has no behaviors"))?;
    keep(&graph, cache, &file)?;
    Ok(graph)
}

/// Keeps a graph for the next time, and forgets the oldest of many.
fn keep(graph: &StateGraph, cache: &Path, file: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(cache).with_context(|| format!("the folder {} cannot be made", cache.display()))?;
    let mut others: Vec<(SystemTime, PathBuf)> = fs::read_dir(cache)?
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("graph-"))
        .map(|entry| (entry.metadata().and_then(|data| data.modified()).unwrap_or(UNIX_EPOCH), entry.path()))
        .collect();
    others.sort();
    others.truncate((others.len() + 1).saturating_sub(GRAPHS_MAX));
    for (_, oldest) in others {
        let _ = fs::remove_file(oldest);
    }
    save(graph, file)
}

/// A hash of all that decides about the graph.
fn content(loaded: &Loaded) -> String {
    let mut hash = Xxh3::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes());
    for file in loaded.sources.files() {
        hash.update(file.text.as_bytes());
        hash.update(b"\0");
    }
    format!("{:016x}", hash.digest())
}

/// The cases of a suite that `[suite]` describes.
pub fn make_cases(
    graph: &StateGraph,
    section: &SuiteSection,
    seed: Option<u64>,
) -> anyhow::Result<Vec<Case>> {
    let made = Request::of_section(section, seed)?.make(graph).context("[suite]")?;
    Ok(cases::of_suite(graph, &made.suite, &Store::new())?)
}

/// The cases of a suite in a file.
pub fn read_cases(graph: &StateGraph, path: &Path) -> anyhow::Result<Vec<Case>> {
    let text = |path: &Path| -> anyhow::Result<Vec<String>> {
        let file = kilter::read::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
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
