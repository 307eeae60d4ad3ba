//! Counts the schedules of the models in `crates/converge/models` a second time. The behaviors of a model, up to exchanging
//! replicas in equal state, are the schedules that `kilter converge` makes of it. They are counted here on exported state
//! graphs, without the command's code.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value as Json;

/// What a state says about one replica: its last write, what it is doing, and the replica that it copies.
type Replica = (i64, String, Option<usize>);
/// All replicas, and the number of writes.
type State = (Vec<Replica>, i64);

fn kilter(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kilter")).args(words).output().expect("kilter runs");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn int(json: &Json) -> i64 {
    json["#bigint"].as_str().expect("a number").parse().expect("a number")
}

fn letter(json: &Json) -> usize {
    usize::from(json["#unserializable"].as_str().expect("a model value").as_bytes()[0] - b'A')
}

fn list(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().expect("a list").iter()
}

/// A function from replicas, by replica.
fn function(json: &Json) -> BTreeMap<usize, &Json> {
    list(&json["#map"]).map(|pair| (letter(&pair[0]), &pair[1])).collect()
}

fn quorum_state(json: &Json) -> State {
    let members = |name: &str| -> BTreeSet<usize> { list(&json[name]["#set"]).map(letter).collect() };
    let (up, last) = (members("up"), function(&json["last"]));
    let status = |replica: &usize| {
        if up.contains(replica) { "up".to_owned() } else { format!("down since {}", int(last[replica])) }
    };
    let writes = function(&json["write"]);
    let replicas = writes.iter().map(|(replica, write)| (int(write), status(replica), None)).collect();
    (replicas, int(&json["used"]))
}

fn chain_state(json: &Json) -> State {
    let (writes, statuses) = (function(&json["write"]), function(&json["status"]));
    let sources = function(&json["source"]);
    let replica = |index: usize| {
        let source = Some(sources[&index]).filter(|source| source["#unserializable"] != "Nobody").map(letter);
        (int(writes[&index]), statuses[&index].as_str().expect("a text").to_owned(), source)
    };
    ((0..writes.len()).map(replica).collect(), int(&json["used"]))
}

fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let put = |order: &Vec<usize>, at: usize| {
        let mut longer = order.clone();
        longer.insert(at, n - 1);
        longer
    };
    orders(n - 1).iter().flat_map(|order| (0..n).map(|at| put(order, at)).collect::<Vec<_>>()).collect()
}

fn renamed(state: &State, names: &[usize]) -> State {
    let mut replicas = state.0.clone();
    for (replica, name) in state.0.iter().zip(names) {
        replicas[*name] = (replica.0, replica.1.clone(), replica.2.map(|source| names[source]));
    }
    (replicas, state.1)
}

/// Counts paths from a state to a state without successors. Paths count as one if a renaming of replicas turns one into
/// the other and keeps the state where they begin.
struct Paths {
    states: Vec<State>,
    edges: Vec<BTreeSet<(String, State, usize)>>,
    orders: Vec<Vec<usize>>,
    counted: BTreeMap<usize, u64>,
}

impl Paths {
    fn new(graph: &Json, state_of: fn(&Json) -> State) -> Self {
        let states: Vec<State> = list(&graph["states"]).map(state_of).collect();
        let mut edges = vec![BTreeSet::new(); states.len()];
        for edge in list(&graph["edges"]) {
            let index = |name: &str| edge[name].as_u64().expect("a number") as usize;
            // The states at both ends say everything except how data is copied.
            let kind = format!("{} {}", edge["action"], edge["args"]["resync"]);
            let target = index("target");
            edges[index("source")].insert((kind, states[target].clone(), target));
        }
        let orders = orders(states[0].0.len());
        Self { states, edges, orders, counted: BTreeMap::new() }
    }

    fn count(&mut self, at: usize) -> u64 {
        if self.edges[at].is_empty() {
            return 1;
        }
        if let Some(count) = self.counted.get(&at) {
            return *count;
        }
        let state = &self.states[at];
        let same: Vec<&Vec<usize>> =
            self.orders.iter().filter(|names| renamed(state, names) == *state).collect();
        let least =
            |target: &State| same.iter().map(|names| renamed(target, names)).min().expect("there is one");
        let orbits: BTreeMap<(String, State), usize> = self.edges[at]
            .iter()
            .map(|(kind, target, index)| ((kind.clone(), least(target)), *index))
            .collect();
        let count = orbits.values().map(|index| self.count(*index)).sum();
        self.counted.insert(at, count);
        count
    }
}

#[track_caller]
fn check(module: &str, state_of: fn(&Json) -> State, model: &str, replicas: u8, ops: u8) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let models = common::root().join("crates/converge/models");
    let spec = models.join(module).to_string_lossy().into_owned();
    let config = fs::read_to_string(models.join(format!("{model}.cfg"))).expect("a configuration");
    fs::write(file("model.cfg"), config.replace("SYMMETRY Interchangeable", "")).expect("a file");
    kilter(&["check", &spec, "--config", &file("model.cfg"), "--graph", &file("graph")]);
    let graph = kilter(&["graph", "export", &file("graph"), "--to", "json"]);
    let graph: Json = serde_json::from_str(&graph).expect("JSON");
    let expected = Paths::new(&graph, state_of).count(0);

    let kind = if model == "quorum" { "etcd" } else { "redis" };
    let text =
        format!("model = \"{model}\"\nreplicas = {replicas}\nops = {ops}\n[system]\nkind = \"{kind}\"\n");
    fs::write(file("converge.toml"), text).expect("a file");
    let listed = kilter(&["converge", &file("converge.toml"), "--list", "--json"]);
    let listed: Json = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["schedules"], expected);
}

#[test]
fn quorum() {
    check("Quorum.tla", quorum_state, "quorum", 3, 2);
}

#[test]
fn link() {
    check("Chain.tla", chain_state, "link", 3, 2);
}

#[test]
fn pause() {
    check("Chain.tla", chain_state, "pause", 4, 2);
}

#[test]
fn crash_and_link() {
    check("Chain.tla", chain_state, "crash-and-link", 2, 2);
}

#[track_caller]
fn counts(model: &str, replicas: u8, ops: u8, expected: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("converge.toml");
    let kind = if model == "quorum" { "etcd" } else { "redis" };
    let text =
        format!("model = \"{model}\"\nreplicas = {replicas}\nops = {ops}\n[system]\nkind = \"{kind}\"\n");
    fs::write(&file, text).expect("a file");
    let listed = kilter(&["converge", &file.to_string_lossy(), "--list"]);
    assert_eq!(listed.lines().count() as u64, expected, "{model} with {replicas} replicas and {ops} writes");
    let counted = kilter(&["converge", &file.to_string_lossy(), "--list", "--json"]);
    let counted: Json = serde_json::from_str(&counted).expect("JSON");
    assert_eq!(counted["schedules"], expected);
}

/// The numbers of the guide.
#[test]
fn how_many_schedules_there_are() {
    for (ops, expected) in [(1, 6), (2, 80), (3, 1035), (4, 13_381)] {
        counts("quorum", 3, ops, expected);
    }
    counts("quorum", 4, 3, 3428);
    counts("quorum", 5, 3, 54_655);
    counts("crash-and-link", 2, 1, 8);
    counts("crash-and-link", 2, 2, 96);
    counts("link", 3, 1, 12);
    counts("link", 3, 2, 324);
    counts("pause", 4, 1, 624);
    counts("pause", 4, 2, 16_424);
}
