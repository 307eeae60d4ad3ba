//! Runs `kilter suite`, from a specification to tests, and checks the messages about bad input.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

use common::root;
use serde_json::Value;

fn kilter(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kilter")).args(args).output().expect("kilter can be started")
}

/// Runs a command that must succeed, and returns its standard output as JSON.
#[track_caller]
fn json(args: &[&str]) -> Value {
    let output = kilter(args);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A folder with the graphs of specs/Jobs, full and with SYMMETRY.
struct Jobs {
    folder: tempfile::TempDir,
}

impl Jobs {
    fn new() -> Jobs {
        let jobs = Jobs { folder: tempfile::tempdir().expect("a folder") };
        for (config, name) in [("Jobs.cfg", "full.graph"), ("Symmetric.cfg", "reduced.graph")] {
            let config = root().join("specs/Jobs").join(config).display().to_string();
            let spec = root().join("specs/Jobs/Jobs.tla").display().to_string();
            json(&[
                "check",
                &spec,
                "--config",
                &config,
                "--graph",
                &jobs.path(name),
                "--no-deadlock",
                "--json",
            ]);
        }
        jobs
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(Path::new(&self.path(name))).expect("the suite");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

#[test]
fn the_contract_for_scripts() {
    let jobs = Jobs::new();
    let found = json(&["suite", &jobs.path("full.graph"), "--json", "--out", &jobs.path("s.jsonl")]);
    for field in
        ["tests", "steps", "edges", "target_edges", "covered_edges", "lower_bound_tests", "lower_bound_steps"]
    {
        assert!(found[field].is_u64(), "{field}");
    }
    assert!(found["seconds"].is_f64());
    assert_eq!(found["proven"], true);
    assert_eq!((&found["covered_edges"], &found["edges"]), (&found["target_edges"], &found["target_edges"]));
    let lines = jobs.lines("s.jsonl");
    let header = &lines[0];
    assert_eq!((&header["spec"], &header["config"]), (&"Jobs.tla".into(), &"Jobs.cfg".into()));
    assert_eq!((&header["algorithm"], &header["goal"]["cover"]), (&"optimal".into(), &"edges".into()));
    assert_eq!(lines.len() as u64 - 1, found["tests"].as_u64().unwrap_or(0));
    let ids: BTreeSet<&str> = lines[1..].iter().filter_map(|line| line["id"].as_str()).collect();
    assert_eq!(ids.len(), lines.len() - 1, "ids tell tests apart");
    let checked = json(&["suite", &jobs.path("full.graph"), "--verify", &jobs.path("s.jsonl"), "--json"]);
    assert_eq!((&checked["covered_edges"], &checked["tests"]), (&found["edges"], &found["tests"]));
}

#[test]
fn dot_and_back_gives_the_same_suite() {
    let jobs = Jobs::new();
    for name in ["full.graph", "reduced.graph"] {
        let (graph, dot, again) = (jobs.path(name), jobs.path("g.dot"), jobs.path("again.graph"));
        assert_eq!(kilter(&["graph", "export", &graph, "--to", "dot", "--out", &dot]).status.code(), Some(0));
        json(&["graph", "import", "--from", "tlc-dot", &dot, "--out", &again, "--json"]);
        json(&["suite", &graph, "--json", "--out", &jobs.path("a.jsonl")]);
        json(&["suite", &again, "--json", "--out", &jobs.path("b.jsonl")]);
        assert_eq!(jobs.lines("a.jsonl")[1..], jobs.lines("b.jsonl")[1..], "{name}");
    }
}

#[test]
fn symmetry_gives_the_same_suite_from_the_full_graph_and_from_the_reduced_one() {
    let jobs = Jobs::new();
    let (full, reduced) = (jobs.path("full.graph"), jobs.path("reduced.graph"));
    let all = json(&["suite", &full, "--json"]);
    let from_full = json(&["suite", &full, "--symmetry", "--json", "--out", &jobs.path("full.jsonl")]);
    let from_reduced =
        json(&["suite", &reduced, "--symmetry", "--json", "--out", &jobs.path("reduced.jsonl")]);
    assert_eq!(from_full["symmetry"], serde_json::json!([["w1", "w2", "w3"]]));
    for field in ["cost", "target_edges", "covered_edges", "lower_bound_tests", "proven"] {
        assert_eq!(from_full[field], from_reduced[field], "{field}");
    }
    assert_eq!(from_full["proven"], true);
    assert!(from_full["cost"].as_u64() < all["cost"].as_u64());
    json(&["suite", &full, "--verify", &jobs.path("full.jsonl"), "--json"]);
    json(&["suite", &reduced, "--verify", &jobs.path("reduced.jsonl"), "--json"]);
    // Every test from either graph is a behavior of the full specification, with its own states and arguments.
    json(&["suite", &full, "--json", "--out", &jobs.path("all.jsonl")]);
    let steps = behaviors(&jobs.lines("all.jsonl")[1..]);
    for name in ["full.jsonl", "reduced.jsonl"] {
        let told = behaviors(&jobs.lines(name)[1..]);
        assert!(!told.is_empty() && told.is_subset(&steps), "{name}");
    }
}

/// All steps of the tests: the state before, the action with its arguments, and the state after.
fn behaviors(tests: &[Value]) -> BTreeSet<(String, String, String)> {
    let mut steps = BTreeSet::new();
    for test in tests {
        let object = test["initial"].as_object().expect("an object");
        let mut state: BTreeMap<String, Value> = object.clone().into_iter().collect();
        for step in test["steps"].as_array().expect("a list") {
            let before = format!("{state:?}");
            let changes = step["changes"].as_object().expect("an object");
            state.extend(changes.clone());
            steps.insert((before, format!("{}{}", step["action"], step["args"]), format!("{state:?}")));
        }
    }
    steps
}

#[test]
fn reduction_by_commuting_steps_and_its_rest() {
    let jobs = Jobs::new();
    let full = jobs.path("full.graph");
    let (kept, rest) =
        (json(&["suite", &full, "--por", "--json"]), json(&["suite", &full, "--por-rest", "--json"]));
    assert_eq!(kept["visited_states"], kept["states"]);
    assert_eq!(
        (&kept["covered_edges"], &rest["covered_edges"]),
        (&kept["target_edges"], &rest["target_edges"])
    );
    let n = |found: &Value, field: &str| found[field].as_u64().expect("a number");
    assert_eq!(n(&kept, "target_edges") + n(&rest, "target_edges"), n(&kept, "edges"));
    assert!(n(&kept, "target_edges") < n(&kept, "edges"));
}

#[test]
fn goals_by_formula_action_and_length() {
    let jobs = Jobs::new();
    let full = jobs.path("full.graph");
    let finishing = json(&["suite", &full, "--only-when", "finished' = finished + 1", "--json"]);
    let by_name = json(&["suite", &full, "--action", "Finish", "--json"]);
    assert_eq!(finishing["target_edges"], by_name["target_edges"]);
    let ending = json(&["suite", &full, "--end-when", "finished = 2 /\\ status[w1] = \"down\"", "--json"]);
    assert_eq!(ending["covered_edges"], ending["edges"]);
    let short = json(&["suite", &full, "--max-steps", "20", "--json"]);
    assert!(short["longest"].as_u64().is_some_and(|longest| longest <= 20));
    assert_eq!(short["covered_edges"], short["edges"]);
    let states = json(&["suite", &full, "--cover", "states", "--json"]);
    assert_eq!(states["target_edges"], states["covered_edges"]);
    for cover in ["actions", "pairs"] {
        let found = json(&["suite", &full, "--cover", cover, "--json"]);
        assert_eq!(found["target_edges"], found["covered_edges"], "{cover}");
    }
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let jobs = Jobs::new();
    let (full, reduced) = (jobs.path("full.graph"), jobs.path("reduced.graph"));
    let check = |args: &[&str], expected: &str| {
        let output = kilter(&[&["suite"], args].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected) && said.lines().count() == 1, "{said}");
    };
    check(&[&jobs.path("none")], "cannot be read");
    check(&[&full, "--action", "Finnish"], "no action `Finnish`; it has Claim");
    check(&[&full, "--end-action", "Nope"], "no action `Nope`");
    check(
        &[&full, "--only-when", "queued = 77"],
        "the goal cannot be reached: no reachable edge is a target",
    );
    check(&[&full, "--end-when", "queued = 77"], "no reachable state or step is an end");
    check(&[&full, "--max-steps", "2"], "the goal cannot be reached with tests of 2 steps");
    check(&[&full, "--only-when", "queued ="], "in `queued =`");
    check(&[&full, "--only-when", "nobody = 1"], "`nobody` is not defined");
    check(&[&full, "--symmetry", "w1,w9"], "no model value `w9`");
    check(&[&full, "--algorithm", "dfs", "--max-steps", "9"], "leave out --max-steps");
    json(&["suite", &reduced, "--json", "--out", &jobs.path("s.jsonl")]);
    check(&[&full, "--verify", &jobs.path("s.jsonl")], "does not belong to this graph");
    std::fs::write(jobs.path("text"), "hello\n").expect("a file");
    check(&[&full, "--verify", &jobs.path("text")], "not a suite of Kilter");
}

/// Writes the graph of a specification of the corpus into a new folder.
fn corpus_graph(name: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let graph = folder.path().join("graph").display().to_string();
    let spec = root().join("corpus/check").join(name).display().to_string();
    json(&["check", &spec, "--graph", &graph, "--json"]);
    (folder, graph)
}

#[test]
fn several_ways_through_an_action_are_one_step_and_one_test() {
    let (folder, graph) = corpus_graph("action_several_ways.tla");
    let info = json(&["graph", "info", &graph, "--json"]);
    let counts = ["states", "edges", "ways", "several_ways"].map(|field| info[field].as_u64());
    assert_eq!(counts, [3, 2, 6, 2].map(Some));
    assert_eq!(info["actions"]["A"], 2);
    let text = |args: &[&str]| String::from_utf8(kilter(args).stdout).expect("text");
    assert!(
        text(&["graph", "info", &graph]).contains("ways         6 through actions, several for 2 edges\n")
    );

    let exported: Value =
        serde_json::from_str(&text(&["graph", "export", &graph, "--to", "json"])).expect("JSON");
    let place = |column: u32| format!("action_several_ways.tla:7:{column}");
    let ways: Vec<[String; 1]> = [10, 19, 28].map(|column| [place(column)]).into();
    assert_eq!(exported["edges"].as_array().map(Vec::len), Some(2));
    assert_eq!(exported["edges"][0]["ways"], serde_json::json!(ways));

    let suite = folder.path().join("suite").display().to_string();
    let found = json(&["suite", &graph, "--json", "--out", &suite]);
    let counts = ["tests", "steps", "edges", "lower_bound_tests"].map(|field| found[field].as_u64());
    assert_eq!(counts, [1, 2, 2, 1].map(Some));
    assert!(text(&["suite", &graph]).contains("tests         1, at least 1 is needed\n"));
    assert_eq!(json(&["suite", &graph, "--verify", &suite, "--json"])["covered_edges"], 2);
}

#[test]
fn a_graph_of_the_version_before_is_the_same_graph() {
    let (_folder, graph) = corpus_graph("action_several_ways.tla");
    let second = root().join("crates/graph/tests/second.kilter").display().to_string();
    assert_eq!(json(&["graph", "info", &second, "--json"]), json(&["graph", "info", &graph, "--json"]));
}

#[test]
fn an_action_at_several_places_of_next_is_one_step() {
    let (folder, graph) = corpus_graph("action_several_places.tla");
    assert_eq!(json(&["graph", "info", &graph, "--json"])["edges"], 4);
    for algorithm in ["optimal", "dfs", "greedy"] {
        let suite = folder.path().join(algorithm).display().to_string();
        json(&["suite", &graph, "--json", "--algorithm", algorithm, "--out", &suite]);
        let text = std::fs::read_to_string(&suite).expect("the suite");
        let ids: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split('"').nth(3)).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{algorithm}: {ids:?}");
    }
}

#[test]
fn a_suite_with_the_same_test_twice_is_refused() {
    let (folder, graph) = corpus_graph("action_several_ways.tla");
    let suite = folder.path().join("suite").display().to_string();
    json(&["suite", &graph, "--json", "--out", &suite]);
    let text = std::fs::read_to_string(&suite).expect("the suite");
    let test = text.lines().nth(1).expect("a test");
    std::fs::write(&suite, format!("{text}{test}\n")).expect("it can be written");
    let output = kilter(&["suite", &graph, "--verify", &suite]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("line 3: test ") && said.contains(" is in line 2 already"), "{said}");
}
