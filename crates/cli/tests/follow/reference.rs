//! What an exhaustive search over the state graph says of a log.

use std::collections::BTreeSet;
use std::path::Path;

use kilter::load::Input;
use kilter::{Options, Specification, StateGraph};
use kilter_graph::StateId;
use serde_json::{Value as Json, json};

/// A log of a random behavior, and what an exhaustive search over the state graph says of it.
pub struct Reference {
    pub graph: StateGraph,
    pub values: kilter_graph::values::Restored,
    pub store: kilter_value::Store,
    /// The action that leaves no line, at most once in a row. Empty if there is none.
    pub silent: &'static str,
}

pub const CLIENTS: [&str; 2] = ["n2", "n3"];

impl Reference {
    pub fn new(folder: &Path) -> Reference {
        let specification =
            Specification::load(Input::new(folder.join("Lock.tla"))).expect("it is a specification");
        let outcome = specification.check(&Options { graph: true, ..Options::default() });
        let graph = specification.graph(&outcome).expect("it was asked for");
        let store = kilter_value::Store::new();
        let values = graph.values().restore(&store).expect("the graph is whole");
        Reference { graph, values, store, silent: "" }
    }

    pub fn value(&self, state: StateId, name: &str) -> Json {
        let index =
            self.graph.variables().iter().position(|variable| variable == name).expect("it is a variable");
        self.store.to_json(self.values[self.graph.value(state, index)])
    }

    /// The part of a variable that a client has.
    pub fn part(&self, state: StateId, name: &str, client: &str) -> Json {
        let pairs = self.value(state, name);
        let pair = pairs.as_array().expect("a function").iter().find(|pair| pair[0] == client);
        pair.expect("every client has a part")[1].clone()
    }

    /// What a node logs of an edge: everything that `keep` says.
    pub fn line(&self, edge: kilter_graph::EdgeId, mut keep: impl FnMut() -> bool) -> Json {
        let graph = &self.graph;
        let (before, after) = (graph.source(edge), graph.target(edge));
        let label = graph.label(graph.label_id(edge));
        let arg = self.store.to_json(self.values[graph.args(label).next().expect("one argument")]);
        let name = graph.action_of(edge).name.clone();
        let mut line = json!({ "event": name });
        let node = if arg.is_string() { arg.clone() } else { arg["to"].clone() };
        line["node"] = node.clone();
        if !arg.is_string() && keep() {
            line["message"] = arg.clone();
        }
        if node == "n1" {
            if keep() {
                let holder = self.value(after, "holder");
                let holder = if holder == "Nobody" { Json::Null } else { holder };
                line["state"] = json!({ "holder": holder, "waiting": self.value(after, "waiting") });
            }
        } else if keep() {
            let client = node.as_str().expect("a name");
            line["state"] = json!({ "holds": self.part(after, "holds", client), "asked": self.part(after, "asked", client) });
        }
        if keep() {
            let under_way = |state| self.value(state, "messages").as_array().cloned().unwrap_or_default();
            let (old, new) = (under_way(before), under_way(after));
            let sent = new.iter().filter(|message| !old.contains(message));
            line["sent"] = sent.map(|message| json!({ "to": message["to"], "message": message })).collect();
        }
        line
    }

    /// Whether an edge shows all that a line says.
    pub fn shows(&self, edge: kilter_graph::EdgeId, line: &Json) -> bool {
        let whole = self.line(edge, || true);
        let fields = line.as_object().expect("a line is an object");
        fields.iter().all(|(name, said)| match (said, &whole[name]) {
            (Json::Object(parts), Json::Object(has)) if name == "state" => {
                parts.iter().all(|(part, value)| has.get(part) == Some(value))
            }
            (said, has) => said == has,
        })
    }

    pub fn after(&self, states: &BTreeSet<StateId>, line: &Json) -> BTreeSet<StateId> {
        let is_silent = |edge: &kilter_graph::EdgeId| self.graph.action_of(*edge).name == self.silent;
        let silent = states.iter().flat_map(|state| self.graph.outgoing(*state)).filter(is_silent);
        let states: BTreeSet<StateId> =
            states.iter().copied().chain(silent.map(|edge| self.graph.target(edge))).collect();
        let edges = states.iter().flat_map(|state| self.graph.outgoing(*state));
        edges.filter(|edge| self.shows(*edge, line)).map(|edge| self.graph.target(edge)).collect()
    }

    /// The number of lines of one file that some behavior explains.
    pub fn explained(&self, lines: &[Json]) -> usize {
        let mut states: BTreeSet<StateId> = self.graph.initial().collect();
        for (index, line) in lines.iter().enumerate() {
            states = self.after(&states, line);
            if states.is_empty() {
                return index;
            }
        }
        lines.len()
    }

    /// Whether some order of several files is a behavior.
    pub fn is_behavior(&self, files: &[Vec<Json>]) -> bool {
        let mut open: Vec<(Vec<usize>, BTreeSet<StateId>)> =
            vec![(vec![0; files.len()], self.graph.initial().collect())];
        let mut seen = BTreeSet::new();
        while let Some((cut, states)) = open.pop() {
            if cut.iter().zip(files).all(|(at, file)| *at == file.len()) {
                return true;
            }
            for (number, file) in files.iter().enumerate() {
                let Some(line) = file.get(cut[number]) else { continue };
                let next = self.after(&states, line);
                let mut cut = cut.clone();
                cut[number] += 1;
                if !next.is_empty() && seen.insert((cut.clone(), next.clone())) {
                    open.push((cut, next));
                }
            }
        }
        false
    }
}
