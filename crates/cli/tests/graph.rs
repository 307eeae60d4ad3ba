//! State graphs of the corpus, and the command `kilter graph`.

use crate::common;

use std::path::Path;
use std::process::{Command, Output};

use common::{corpus, root, with_stack};
use kilter::Quiet;
use kilter::load::{Input, load};
use kilter::outside::Access;
use kilter::verdict;
use kilter_check::state_graph::from_search;
use kilter_check::{Counts, Options};
use kilter_graph::{StateGraph, decode, dot, encode, export, summarize};
use kilter_suite::{Algorithm, Goal, cover, file};
use kilter_value::Store;

/// The exit code of `check`, the counts, and the graph if it is asked for. `None` for a specification with errors.
fn search(spec: &Path, workers: usize, graph: bool) -> Option<(u8, Counts, Option<StateGraph>)> {
    let store = Store::with_capacity_bytes(256 << 20);
    let loaded = load(
        &Input { spec: spec.to_owned(), config: None, library: Vec::new(), access: Access::default() },
        &store,
    )
    .ok()?;
    let program = loaded.compile(&store);
    let options = Options { workers, graph, ..Options::default() };
    let outcome = with_stack(|| kilter_check::run(&program, &store, &options, &mut Quiet));
    let graph = from_search(&program, &store, &outcome, &loaded.sources, Path::new(""));
    Some((verdict::of_outcome(&outcome).code, outcome.counts, graph))
}

/// Each specification of the corpus is searched as seldom as will do, because it takes a while.
#[test]
fn graphs_of_the_corpus() {
    for (number, spec) in corpus("check", "tla").into_iter().enumerate() {
        let Some((code, counts, graph)) = search(&spec, 1, true) else { continue };
        let without = search(&spec, 1, false).map(|(code, counts, _)| (code, counts));
        assert_eq!(without, Some((code, counts)), "{}: keeping the graph changes the answer", spec.display());
        let workers = 2 + number % 2;
        let by_several = search(&spec, workers, true).and_then(|(_, _, graph)| graph);
        let Some(graph) = graph else {
            assert!(by_several.is_none(), "{}", spec.display());
            continue;
        };
        assert!(by_several.is_some_and(|other| encode(&other) == encode(&graph)), "{}", spec.display());
        survives_files_and_dot(&graph, counts, &spec);
        has_no_suite_with_an_id_twice(&graph, &spec);
    }
}

fn survives_files_and_dot(graph: &StateGraph, counts: Counts, spec: &Path) {
    assert_eq!(decode(&encode(graph)).as_ref(), Ok(graph), "{}", spec.display());
    let summary = summarize(graph);
    assert_eq!(summary.states as u64, counts.distinct, "{}", spec.display());
    if graph.n_states() == 0 {
        return;
    }
    let mut dot_text = Vec::new();
    export::write(graph, export::Format::Dot, &mut dot_text).expect("it can be written");
    let dot_text = String::from_utf8(dot_text).expect("text");
    let store = Store::with_capacity_bytes(256 << 20);
    let again = dot::import(&dot_text, graph.origin(), &store)
        .unwrap_or_else(|error| panic!("{}: {error}", spec.display()))
        .graph;
    let again_summary = summarize(&again);
    assert_eq!(
        (again_summary.states, again_summary.edges),
        (summary.states, summary.edges),
        "{}",
        spec.display()
    );
    let mut again_text = Vec::new();
    export::write(&again, export::Format::Json, &mut again_text).expect("it can be written");
    let mut text = Vec::new();
    export::write(graph, export::Format::Json, &mut text).expect("it can be written");
    // The line of actions may differ, because a DOT text lacks actions that never happen.
    let body = |text: &[u8]| String::from_utf8_lossy(text).split("\"initial\"").nth(1).map(str::to_owned);
    assert_eq!(body(&again_text), body(&text), "{}", spec.display());
}

fn has_no_suite_with_an_id_twice(graph: &StateGraph, spec: &Path) {
    for algorithm in [Algorithm::Optimal, Algorithm::Dfs] {
        // Without edges there is nothing to cover.
        let Ok(suite) = cover(graph, &Goal { algorithm, ..Goal::default() }) else { continue };
        if suite.n_steps() < 100_000 {
            let written = file::write(graph, &suite, &file::Header::default(), &mut std::io::sink());
            written.unwrap_or_else(|error| panic!("{}: {error}", spec.display()));
        }
    }
}

fn kilter(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kilter")).args(args).output().expect("kilter can be started")
}

#[test]
fn from_check_to_info_export_and_import() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let spec = root().join("corpus/check/action_exists_state.tla").display().to_string();
    let (graph, dot, again) = (path("a.graph"), path("a.dot"), path("b.graph"));
    assert_eq!(kilter(&["check", &spec, "--graph", &graph]).status.code(), Some(0));
    let info = kilter(&["graph", "info", &graph, "--json"]);
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).expect("JSON");
    assert_eq!(info["states"], 16);
    assert_eq!(info["depth"], 7);
    assert_eq!(kilter(&["graph", "export", &graph, "--to", "dot", "--out", &dot]).status.code(), Some(0));
    let to_standard_output = kilter(&["graph", "export", &graph, "--to", "dot", "--out", "-"]);
    assert_eq!(Some(to_standard_output.stdout), std::fs::read(&dot).ok());
    let import = kilter(&["graph", "import", "--from", "tlc-dot", &dot, "--out", &again, "--json"]);
    let import: serde_json::Value = serde_json::from_slice(&import.stdout).expect("JSON");
    assert_eq!((&import["edges"], &import["actions"]), (&info["edges"], &info["actions"]));
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x").display().to_string();
    let check = |args: &[&str], expected: &str| {
        let output = kilter(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected) && said.lines().count() == 1, "{said}");
    };
    check(&["graph", "info", &path], "cannot be read");
    std::fs::write(&path, "strict digraph DiskGraph {").expect("a file");
    check(&["graph", "info", &path], "not a state graph of Kilter");
    check(
        &["graph", "import", "--from", "tlc-dot", &path, "--out", &path],
        "line 1: the graph has no closing `}`",
    );
}
