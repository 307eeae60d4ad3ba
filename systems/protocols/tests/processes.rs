//! The same nodes in process and as processes over TCP: the same sequences, the same findings.

use std::collections::BTreeSet;

use kilter_explore::processes::{Judgement, Manners, Report};
use kilter_explore::{Explorer, Options, Processes, Search, Subject, Unwatched};
use kilter_protocols::{Shape, broadcast, gossip};
use kilter_testbed::{Cluster, NodeName, Setup};
use serde_json::{Value as Json, json};

/// A cluster of processes of a protocol, with a goal over what nodes report.
fn processes(
    protocol: &str,
    bug: bool,
    manners: Manners,
    goal: fn(&[Report<'_>]) -> bool,
) -> Processes<Cluster> {
    let node = env!("CARGO_BIN_EXE_protocol-node");
    let mut command = vec![node, protocol, "--id", "{node}", "--listen", "{address}", "--peers", "{peers}"];
    command.extend(bug.then_some("--bug"));
    let setup = Setup::new(["n1", "n2", "n3"], command);
    let names: Vec<NodeName> = setup.nodes.clone();
    let manners =
        Manners { in_order: true, patient: true, at_once: BTreeSet::from(["wake".to_owned()]), ..manners };
    let judge = Box::new(move |reports: &[Report<'_>]| {
        Ok(Judgement { violated: None, reached: Some(goal(reports)) })
    });
    Processes::new(Cluster::new(setup), names, manners, judge)
}

/// The sequences of a search in words, and how many of them fail.
fn explore<S: Subject>(system: S, options: &Options) -> (BTreeSet<String>, u64) {
    let mut sequences = BTreeSet::new();
    let mut explorer = Explorer::new(system, options);
    explorer.at_end = Some(Box::new(|system, events, _| {
        let words = events.iter().map(|event| {
            let told = system.describe(event);
            let what = if told.from.is_some() { "message" } else { told.text.as_str() };
            format!("{:?}-{} {what}", told.from, told.target)
        });
        sequences.insert(words.collect::<Vec<_>>().join(", "));
    }));
    let explored = explorer.run(&mut Unwatched).expect("the system can be run");
    (sequences, explored.counts.failing)
}

fn up<'a>(reports: &'a [Report<'a>]) -> impl Iterator<Item = &'a serde_json::Map<String, Json>> {
    reports.iter().flatten().copied()
}

fn all_know_the_same(reports: &[Report<'_>]) -> bool {
    let mut versions = up(reports).map(|report| &report["versions"]);
    let first = versions.next();
    versions.all(|other| Some(other) == first)
}

#[test]
fn gossip_is_the_same_in_process_and_as_processes() {
    let timers = BTreeSet::from(["gossip".to_owned()]);
    let manners = Manners { timers, ..Manners::default() };
    let options = Options { search: Search::Dfs, ..Options::default() };
    let (inside, _) = explore(gossip::system(Shape { n_nodes: 3, bug: false }), &options);
    let system = processes("gossip", false, manners, all_know_the_same);
    let (outside, _) = explore(system, &options);
    assert_eq!(inside.len(), 148);
    assert_eq!(inside, outside);
}

fn write_is_over(reports: &[Report<'_>]) -> bool {
    let is_whole = |report: &serde_json::Map<String, Json>| {
        report["log"].as_array().is_some_and(|log| report["committed"] == json!(log.len()))
    };
    let mut logs = up(reports).map(|report| &report["log"]);
    let first = logs.next();
    let wrote = first.and_then(Json::as_array).is_some_and(|log| !log.is_empty());
    wrote && up(reports).all(is_whole) && logs.all(|log| Some(log) == first)
}

#[test]
fn a_broadcast_of_processes_has_the_bug_and_without_it_passes() {
    for bug in [false, true] {
        let manners = Manners {
            timers: ["resend", "take over"].map(str::to_owned).into(),
            requests: vec![(0, "write".to_owned(), vec![json!(7)])],
            ..Manners::default()
        };
        let options = Options {
            search: Search::Dpor,
            faults: 1,
            extension: 20,
            sequences_max: Some(if bug { 20 } else { 1_000 }),
            ..Options::default()
        };
        let (outside, failing) = explore(processes("broadcast", bug, manners, write_is_over), &options);
        assert!(outside.len() > 10, "{outside:?}");
        assert_eq!(failing > 0, bug, "{outside:?}");
        let (_, failing) = explore(broadcast::system(Shape { n_nodes: 3, bug }), &options);
        assert_eq!(failing > 0, bug);
    }
}
