//! Guided testing from mapping to findings, on a system in this process. Each bug is found, and all cases pass without
//! bugs.

use crate::common;
#[path = "guided/toy.rs"]
mod toy;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use common::with_stack;
use kilter::Quiet;
use kilter::outside::Access;
use kilter::suite::Request;
use kilter_conform::{Case, Conformance, Plan, Replan, cases};
use kilter_run::{Cases, Event, Finding, FindingKind, Options, Outcome, Shard, Stopped};
use kilter_suite::Goal;
use kilter_testbed::World;
use kilter_value::Store;
use toy::Bug;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guided")
}

/// Runs all cases of the cache, or only the one with this id.
fn test_with(bug: Bug, jobs: usize, id: Option<&str>) -> (Outcome, Vec<Event>) {
    test_file("kilter.toml", true, bug, jobs, id)
}

/// Like [`test_with`], for another mapping. `knows_borders` says whether it is known where a constraint has cut off
/// steps.
fn test_file(
    file: &str,
    knows_borders: bool,
    bug: Bug,
    jobs: usize,
    id: Option<&str>,
) -> (Outcome, Vec<Event>) {
    run(&Run { file, knows_borders, bug, jobs, id, ..Run::default() })
}

/// The options of a run of the cache.
struct Run<'r> {
    file: &'r str,
    knows_borders: bool,
    bug: Bug,
    jobs: usize,
    id: Option<&'r str>,
    /// Another seed makes another suite.
    seed: u64,
    /// Whether edges that findings have hidden are planned again.
    replans: bool,
    /// The part of the cases that is run.
    shard: Shard,
}

impl Default for Run<'_> {
    fn default() -> Self {
        let (seed, replans, shard) = (0, false, Shard::WHOLE);
        Run {
            file: "kilter.toml",
            knows_borders: true,
            bug: Bug::None,
            jobs: 1,
            id: None,
            seed,
            replans,
            shard,
        }
    }
}

fn run(wanted: &Run<'_>) -> (Outcome, Vec<Event>) {
    let Run { file, knows_borders, bug, jobs, id, seed, replans, shard } = *wanted;
    with_stack(|| {
        let store = Store::new();
        let prepared = kilter::prepare::prepare(&folder().join(file), Access::default(), &store);
        let prepared = prepared.unwrap_or_else(|problems| panic!("{}", problems.text()));
        let search = kilter_check::Options { graph: true, check_deadlock: Some(false), ..Default::default() };
        let outcome = kilter_check::run(&prepared.program, &store, &search, &mut Quiet);
        let config = Path::new("Cache.cfg");
        let graph = kilter_check::state_graph::from_search(
            &prepared.program,
            &store,
            &outcome,
            &prepared.loaded.sources,
            config,
        );
        let graph = graph.expect("the graph was asked for");
        let borders = kilter::borders::borders(&prepared.program, &store, &graph);
        let borders = if knows_borders { borders.expect("constraints can be evaluated") } else { Vec::new() };
        let plan = Plan::new(&graph, &prepared.mapping, &store, borders).expect("the mapping fits");
        let suite = kilter_suite::cover(&graph, &Goal { seed, ..Goal::default() }).expect("a suite");
        let mut cases: Vec<Case> = cases::of_suite(&graph, &suite, &store).expect("values");
        if let Some(id) = id {
            cases = vec![cases::by_id(&plan, &cases, id).expect("a case with this id")];
        }
        cases = shard.every_nth(cases);
        let interrupted = AtomicBool::new(false);
        let options = Options { jobs, ..Options::new(&interrupted) };
        let mut events: Vec<Event> = Vec::new();
        let make_world = || Ok(Box::new(toy::world(bug)) as Box<dyn World>);
        let repeat = |id: &str| format!("kilter test --case {id}");
        let around = |wanted: Vec<bool>, avoided: &[bool]| {
            let made = Request::default().around(&graph, wanted, avoided).expect("the goal makes sense");
            made.map(|suite| cases::walks(&suite)).unwrap_or_default()
        };
        let edges = cases.iter().flat_map(|case| case.edges.iter().copied());
        let replan = replans.then(|| Replan::new(&graph, edges, &around));
        let (make_world, repeat) = (&make_world, &repeat);
        let (keep, logs) = (None, None);
        let method = Conformance {
            plan: &plan,
            store: &store,
            make_world,
            repeat,
            keep,
            logs,
            replan,
            shortens: true,
        };
        let outcome = kilter_run::run(&method, &mut Cases::new(cases), &options, &mut events);
        (outcome, events)
    })
}

fn test(bug: Bug) -> Outcome {
    test_with(bug, 1, None).0
}

/// The edges after a run: those that were confirmed, those that failed, and those that cannot be reached for now.
#[derive(Debug, Default, PartialEq)]
struct Edges {
    confirmed: BTreeSet<u32>,
    failed: BTreeSet<u32>,
    behind: BTreeSet<u32>,
}

/// Runs all cases. Returns also what is known of the edges in the end.
fn edges_of(wanted: &Run<'_>) -> (Outcome, Edges) {
    let (outcome, events) = run(wanted);
    let mut edges = Edges::default();
    for event in events {
        match event {
            Event::Case(case) => edges.confirmed.extend(case.edges),
            Event::Finding(finding) => edges.failed.extend(finding.edge),
            Event::Behind { edges: behind } => edges.behind.extend(behind),
            _ => {}
        }
    }
    (outcome, edges)
}

#[test]
fn a_finding_does_not_hide_the_next() {
    let two = || Run { bug: Bug::Two, replans: true, ..Run::default() };
    let (outcome, edges) = edges_of(&two());
    let kinds: BTreeSet<FindingKind> = outcome.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, BTreeSet::from([FindingKind::InconsistentState, FindingKind::Crash]));
    assert_eq!((outcome.stopped, outcome.tally.ended), (None, outcome.tally.n_cases));
    // What is known in the end depends neither on the suite nor on the number of jobs.
    assert_eq!(edges_of(&Run { seed: 7, ..two() }).1, edges);
    assert_eq!(edges_of(&Run { seed: 8, jobs: 3, ..two() }).1, edges);
    let once = edges_of(&Run { replans: false, ..two() }).1;
    assert!(once.confirmed.is_subset(&edges.confirmed) && once.confirmed.len() < edges.confirmed.len());
    // Every edge is one of the three.
    let n_edges = edges_of(&Run::default()).1.confirmed.len();
    let Edges { confirmed, failed, behind } = edges;
    assert_eq!(confirmed.len() + failed.len() + behind.len(), n_edges);
    assert!(confirmed.is_disjoint(&failed) && behind.is_disjoint(&confirmed) && behind.is_disjoint(&failed));
    assert!(!failed.is_empty() && !behind.is_empty());
}

#[test]
fn parts_know_in_the_end_what_the_whole_run_knows() {
    for (bug, seed) in [(Bug::Two, 0), (Bug::Two, 3), (Bug::ForgetsTwo, 1), (Bug::Panics, 2)] {
        let whole = || Run { bug, seed, replans: true, ..Run::default() };
        let edges = edges_of(&whole()).1;
        assert!(!edges.failed.is_empty() && !edges.behind.is_empty(), "{bug:?}");
        for parts in [2, 5, 12] {
            let mut all = Edges::default();
            for part in 1..=parts {
                let known = edges_of(&Run { shard: Shard { part, parts }, ..whole() }).1;
                all.confirmed.extend(known.confirmed);
                all.failed.extend(known.failed);
                all.behind.extend(known.behind);
            }
            all.behind.retain(|edge| !all.confirmed.contains(edge) && !all.failed.contains(edge));
            assert_eq!(all, edges, "{bug:?}, seed {seed}, {parts} parts");
        }
    }
}

#[test]
fn a_system_that_changes_its_mind_does_not_keep_a_run_from_its_end() {
    let (outcome, _) = edges_of(&Run { bug: Bug::Moody, replans: true, ..Run::default() });
    assert_eq!((outcome.stopped, outcome.tally.ended), (None, outcome.tally.n_cases));
}

#[test]
fn what_a_finding_has_hidden_that_does_not_come_again_is_played_after_all() {
    let all = edges_of(&Run::default()).1.confirmed;
    let once = || Run { bug: Bug::Once, ..Run::default() };
    let (outcome, edges) = edges_of(&once());
    assert_eq!(outcome.findings[0].stable, Some(false), "{:#?}", outcome.findings);
    assert!(edges.confirmed.len() < all.len(), "the finding hides nothing");
    let (outcome, edges) = edges_of(&Run { replans: true, ..once() });
    assert_eq!((outcome.findings.len(), outcome.findings[0].stable), (1, Some(false)));
    assert_eq!((edges.confirmed, edges.behind), (all, BTreeSet::new()));
}

#[test]
fn a_global_variable_at_the_wrong_node_is_a_finding_that_names_both() {
    let elsewhere = tempfile::tempdir().expect("a folder can be made");
    for file in ["Cache.tla", "Cache.cfg"] {
        std::fs::copy(folder().join(file), elsewhere.path().join(file)).expect("it can be copied");
    }
    let mapping = std::fs::read_to_string(folder().join("kilter.toml")).expect("it can be read");
    let path = elsewhere.path().join("kilter.toml");
    let found = |old: &str, new: &str| {
        std::fs::write(&path, mapping.replace(old, new)).expect("ours");
        let (outcome, _) = test_file(&path.display().to_string(), true, Bug::None, 1, None);
        let finding = shortest(&outcome, FindingKind::InconsistentState);
        assert!(finding.summary.contains("cache at"), "{finding:#?}");
        (finding.summary.clone(), finding.hints.concat())
    };
    let (what, hints) = found(
        "cache = { kind = \"global\", node = \"server\"",
        "cache = { kind = \"global\", node = \"client\"",
    );
    assert!(what.contains("cache at client is missing, and the specification says {}"), "{what}");
    assert!(
        hints.contains("client does not report `cache`, server does; perhaps node = \"server\" is meant"),
        "{hints}"
    );
    let (what, hints) = found("cache = { kind = \"global\"", "cache = { kind = \"global\", from = \"store\"");
    assert!(what.contains("cache at server is missing"), "{what}");
    assert!(hints.contains("server does not report `store`, nor does any other node"), "{hints}");
}

/// The finding of this kind with the shortest path.
#[track_caller]
fn shortest(outcome: &Outcome, kind: FindingKind) -> &Finding {
    let found = outcome.findings.iter();
    let found =
        found.filter(|finding| finding.kind == kind && finding.path.is_empty() == (finding.step == 0));
    found.min_by_key(|finding| finding.path.len()).unwrap_or_else(|| panic!("{:#?}", outcome.findings))
}

fn actions(finding: &Finding) -> Vec<&str> {
    finding.path.iter().map(|step| step.action.as_str()).collect()
}

#[test]
fn without_bugs_every_case_passes() {
    let outcome = test(Bug::None);
    assert!(outcome.findings.is_empty(), "{:#?}", outcome.findings);
    assert!(outcome.tally.n_cases > 10);
    assert_eq!(outcome.tally.passed, outcome.tally.n_cases);
    assert_eq!(outcome.stopped, None);
}

#[test]
fn a_variable_with_another_value_is_found_down_to_the_element() {
    let outcome = test(Bug::ForgetsTwo);
    let finding = shortest(&outcome, FindingKind::InconsistentState);
    assert_eq!(actions(finding), ["Ask", "Respond"]);
    assert_eq!(finding.variables, ["cache"]);
    let difference = &finding.differences[0];
    assert_eq!(
        (difference.expected.as_str(), difference.observed.as_str()),
        ("2", ""),
        "an element is missing"
    );
    assert_eq!(finding.stable, Some(true));
    assert_eq!(outcome.stopped, None, "a finding does not stop the run");
    // The line that repeats the finding gives the same finding.
    let id = finding.repeat.rsplit(' ').next().expect("an id");
    let again = test_with(Bug::ForgetsTwo, 1, Some(id)).0;
    assert_eq!(again.findings[0].summary, finding.summary);
    assert!(test_with(Bug::None, 1, Some(id)).0.findings.is_empty());
}

#[test]
fn an_action_that_is_not_offered_is_missing() {
    let outcome = test(Bug::TakesOneAnswer);
    let finding = shortest(&outcome, FindingKind::MissingAction);
    assert_eq!(finding.action, "Take");
    assert_eq!(actions(finding), ["Ask", "Respond", "Take", "Ask", "Respond", "Take"]);
    assert!(finding.summary.contains("client does not offer Take("), "{}", finding.summary);
}

#[test]
fn an_action_that_the_specification_forbids_is_unexpected() {
    let outcome = test(Bug::ForgetsNothing);
    let finding = shortest(&outcome, FindingKind::UnexpectedAction);
    assert_eq!((finding.action.as_str(), finding.step), ("Forget", 0));
    assert!(matches!(outcome.stopped, Some(Stopped::Said(_))), "{:?}", outcome.stopped);
}

#[test]
fn a_node_that_breaks_down_is_a_crash() {
    let outcome = test(Bug::Panics);
    let finding = shortest(&outcome, FindingKind::Crash);
    assert_eq!(finding.action, "Respond");
    assert!(finding.summary.contains("no room for another 3"), "{}", finding.summary);
}

#[test]
fn what_is_not_stored_is_missed_after_a_restart() {
    let outcome = test(Bug::LosesData);
    let finding = shortest(&outcome, FindingKind::InconsistentState);
    assert_eq!((finding.action.as_str(), &finding.variables[..]), ("Restart", &["cache".to_owned()][..]));
}

#[test]
fn a_wrong_beginning_is_told_once() {
    let outcome = test(Bug::BeginsWrong);
    assert_eq!(outcome.findings.len(), 1);
    assert_eq!(outcome.findings[0].step, 0);
    assert!(outcome.findings[0].hints.iter().any(|hint| hint.starts_with("mapping")));
}

#[test]
fn what_does_not_come_again_is_not_stable() {
    let outcome = test(Bug::Moody);
    assert!(outcome.findings.iter().any(|finding| finding.stable == Some(false)), "{:#?}", outcome.groups);
}

#[test]
fn where_a_constraint_cuts_off_steps_nothing_is_unexpected() {
    let passed = test_file("constrained.toml", true, Bug::None, 1, None).0;
    assert!(passed.findings.is_empty(), "{:#?}", passed.findings);
    let found = test_file("constrained.toml", false, Bug::None, 1, None).0;
    assert_eq!(shortest(&found, FindingKind::UnexpectedAction).action, "Take");
    let bugs = test_file("constrained.toml", true, Bug::ForgetsTwo, 1, None).0;
    assert_eq!(shortest(&bugs, FindingKind::InconsistentState).variables, ["cache"]);
}

/// The events with all times set to 0.
fn timeless(events: Vec<Event>) -> Vec<Event> {
    let without = |event| match event {
        Event::Case(case) => Event::Case(Box::new(kilter_run::Case { ms: 0.0, waited_ms: 0.0, ..*case })),
        Event::Finished { .. } => Event::Finished { seconds: 0.0 },
        event => event,
    };
    events.into_iter().map(without).collect()
}

#[test]
fn one_job_and_several_give_the_same_record() {
    for bug in [Bug::None, Bug::ForgetsTwo, Bug::TakesOneAnswer, Bug::Panics] {
        let one = timeless(test_with(bug, 1, None).1);
        assert_eq!(timeless(test_with(bug, 1, None).1), one);
        assert_eq!(timeless(test_with(bug, 2, None).1), one);
        assert_eq!(timeless(test_with(bug, 5, None).1), one);
    }
}

/// What neither the specification nor a node has is no difference.
#[test]
fn a_variable_may_be_a_function_of_some_nodes() {
    let outcome = test_file("some.toml", true, Bug::None, 1, None).0;
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings.first());
    assert!(outcome.tally.passed > 0, "{:?}", outcome.tally);
    let outcome = test_file("some.toml", true, Bug::ForgetsTwo, 1, None).0;
    assert_eq!(outcome.findings[0].differences[0].place, "[\"server\"] element", "{:?}", outcome.findings[0]);
}

#[test]
fn messages_for_a_node_that_is_down_wait_are_lost_and_come_twice() {
    let outcome = test_file("down.toml", true, Bug::None, 1, None).0;
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings.first());
    assert!(outcome.tally.passed > 10, "{:?}", outcome.tally);
}
