//! A cluster as Kilter explores it, with the properties of a replicated log. A state is restored by a new start and a replay.

use kilter_explore::Processes;
use kilter_explore::outcome::{Explorable, Made};
use kilter_explore::processes::{Judgement, Manners, Report};
use kilter_system::System;
use kilter_testbed::NodeName;
use serde_json::{Map, Value as Json};

use crate::library::Library;
use crate::node::world;

/// The cluster of a configuration, whose nodes report `log` and `commit`. What is asked of it: committed entries are the
/// same everywhere, state machines (`machine`, if nodes report it) are told the same, and logs with the same entry are the
/// same up to it.
pub fn cluster<L: Library>(system: &System) -> Box<dyn Explorable> {
    let names = system.nodes().to_vec();
    let place = |name: &String| names.iter().position(|other| other == name).unwrap_or(usize::MAX);
    let asked = system.requests.iter();
    let manners = Manners {
        timers: system.timers.clone(),
        never: system.never.clone(),
        at_once: system.at_once.clone(),
        recover: system.recover,
        patient: system.patient,
        requests: asked.map(|ask| (place(&ask.node), ask.action.clone(), ask.args.clone())).collect(),
        role: Some("role".to_owned()),
        sight: ["log", "commit", "machine"].map(str::to_owned).into(),
        ..Manners::default()
    };
    Box::new(Made(move || {
        let nodes: Vec<NodeName> = names.iter().map(|name| name.as_str().into()).collect();
        Processes::new(world::<L>(&names), nodes, manners.clone(), Box::new(|reports| Ok(judge(reports))))
    }))
}

/// Judges a state.
fn judge(reports: &[Report<'_>]) -> Judgement {
    let up: Vec<&Map<String, Json>> = reports.iter().flatten().copied().collect();
    let pairs =
        up.iter().enumerate().flat_map(|(place, one)| up[..place].iter().map(move |other| (*one, *other)));
    let violated = pairs.filter_map(|(one, other)| wrong(one, other)).min();
    Judgement { violated: violated.map(str::to_owned), reached: None }
}

/// What is wrong between two nodes.
fn wrong(one: &Map<String, Json>, other: &Map<String, Json>) -> Option<&'static str> {
    let ((one_log, one_commit), (other_log, other_commit)) = (log(one), log(other));
    let both = one_commit.min(other_commit);
    let same = one_log.iter().zip(other_log).take_while(|(a, b)| a == b).count();
    if same < both {
        return Some("what is committed is the same everywhere");
    }
    if applied(one, both) != applied(other, both) {
        return Some("what is applied is the same everywhere");
    }
    let differs = one_log.iter().zip(other_log).skip(same).any(|(a, b)| source(a) == source(b));
    differs.then_some("logs with the same entry are the same up to it")
}

/// What the state machine of a node was told, up to an index; nothing if the node does not say.
fn applied(report: &Map<String, Json>, upto: usize) -> Vec<&Json> {
    let told = report.get("machine").and_then(Json::as_array).into_iter().flatten();
    told.filter(|entry| entry["index"].as_u64().is_some_and(|index| index <= upto as u64)).collect()
}

/// The log and the commit index of a node.
fn log(report: &Map<String, Json>) -> (&[Json], usize) {
    let log = report.get("log").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let commit = report.get("commit").and_then(Json::as_u64).unwrap_or(0);
    (log, usize::try_from(commit).unwrap_or(usize::MAX))
}

/// Who has made an entry, and when.
fn source(entry: &Json) -> (Option<&Json>, Option<&Json>) {
    (entry.get("term"), entry.get("node"))
}
