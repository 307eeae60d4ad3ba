//! Reads which lines ran for each step of the old version, and finds the steps that run none of those that changed.
//!
//! A line of the file is what ran for one action, state of a node and message. Nodes are deterministic, so all steps with
//! the same action, state and message run the same lines.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use kilter_graph::values::Restored;
use kilter_graph::{EdgeId, StateGraph};
use kilter_mapping::Mapping;
use kilter_mapping::mapping::{Compared, Deed, Place, Rule};
use kilter_mapping::translate::{Envelope, Translator};
use kilter_source::{Lines, Ran, Range};
use kilter_value::{Store, Value};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::error::{Context as _, Tried};
use crate::read;

/// What ran when a version was tested.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// What ran for each action.
    pub ran: Ran,
    lines: Vec<Line>,
}

/// A line of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    node: String,
    #[serde(default)]
    action: String,
    #[serde(default)]
    args: Vec<Json>,
    /// What the node reported before the step.
    #[serde(default)]
    before: Json,
    #[serde(default)]
    message: Option<Json>,
    /// The sender of the message, if the message does not name it.
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    ran: Lines,
    /// The folders whose lines are noted. Only the first line of a node has this.
    #[serde(default)]
    counts: Option<Vec<String>>,
}

impl Trace {
    /// Reads a file.
    pub fn read(path: &Path) -> Tried<Trace> {
        let text = read::whole_utf8(path).with_context(|| format!("can't read {}", path.display()))?;
        let mut trace = Trace::default();
        for (number, line) in text.lines().enumerate() {
            let line: Line = serde_json::from_str(line)
                .with_context(|| format!("{}:{} does not say what ran", path.display(), number + 1))?;
            trace.add(line);
        }
        Ok(trace)
    }

    fn add(&mut self, line: Line) {
        if let Some(folders) = line.counts {
            self.ran.folders.extend(folders);
            return;
        }
        let lines = match line.action.as_str() {
            "start" => &mut self.ran.start,
            "offer" => &mut self.ran.offers,
            action => self.ran.actions.entry(action.to_owned()).or_default(),
        };
        for (file, numbers) in &line.ran {
            lines.entry(file.clone()).or_default().extend(numbers);
        }
        if !matches!(line.action.as_str(), "start" | "offer") {
            self.lines.push(line);
        }
    }

    /// The steps of a version's graph for which it is known what ran.
    pub fn steps(&self, mapping: &Mapping, graph: &StateGraph, store: &Store) -> Tried<Steps<'_>> {
        let values = graph.values().restore(store)?;
        let mut reader = Reader { mapping, store, graph, values, ran: HashMap::new() };
        for line in &self.lines {
            reader.add(line);
        }
        let mut steps = Steps { of: BTreeMap::new() };
        for edge in graph.edges() {
            if let Some(ran) = reader.key(edge).and_then(|key| reader.ran.get(&key)) {
                let action = graph.action_of(edge).name.clone();
                steps.of.entry(action).or_default().push((edge, ran.clone()));
            }
        }
        Ok(steps)
    }
}

/// For each action, its steps and what ran for them.
pub struct Steps<'t> {
    of: BTreeMap<String, Vec<(EdgeId, Vec<&'t Lines>)>>,
}

impl Steps<'_> {
    /// The steps of an action that run none of these lines.
    pub fn without(&self, action: &str, at: &[Range]) -> Vec<EdgeId> {
        let runs = |ran: &Vec<&Lines>| ran.iter().any(|lines| at.iter().any(|range| range.has_any(lines)));
        let steps = self.of.get(action).into_iter().flatten();
        steps.filter(|(_, ran)| !runs(ran)).map(|(edge, _)| *edge).collect()
    }
}

/// What decides which lines run: the rule, the node, its state, the arguments and the message.
type Key = (usize, usize, Vec<Option<Value>>, Vec<Value>, Option<Value>);

struct Reader<'r, 't> {
    mapping: &'r Mapping,
    store: &'r Store,
    graph: &'r StateGraph,
    values: Restored,
    ran: HashMap<Key, Vec<&'t Lines>>,
}

impl<'t> Reader<'_, 't> {
    /// Adds a line of the file. A line that cannot be read is no harm: steps for which it is not known what ran are tested.
    fn add(&mut self, line: &'t Line) {
        for index in 0..self.mapping.rules.len() {
            if let Some(key) = self.key_of_line(index, line) {
                self.ran.entry(key).or_default().push(&line.ran);
            }
        }
    }

    fn key_of_line(&self, index: usize, line: &Line) -> Option<Key> {
        let rule = &self.mapping.rules[index];
        if rule.offer()? != line.action || !is_plain(rule) {
            return None;
        }
        let translator = Translator { store: self.store, words: &self.mapping.words };
        let node = self.mapping.words.node_named(&line.node)?;
        let mut state = Vec::new();
        for variable in &self.mapping.variables {
            let path = match &variable.kind {
                Compared::Node(path, nodes) if nodes.as_ref().is_none_or(|nodes| nodes.contains(&node)) => {
                    path
                }
                Compared::Global(path, of) if of.is_none_or(|of| of == node) => path,
                _ => {
                    state.push(None);
                    continue;
                }
            };
            let json = path.iter().try_fold(&line.before, |json, name| json.get(name))?;
            state.push(Some(translator.value(&variable.shape, json, Envelope::default()).ok()?));
        }
        let message = match (rule.message, &line.message) {
            (None, None) => None,
            (Some(param), Some(json)) => {
                let from = line.from.as_ref().and_then(|from| self.mapping.words.node_named(from));
                let envelope = Envelope { from, to: Some(node) };
                Some(translator.value(&rule.shapes[param], json, envelope).ok()?)
            }
            _ => return None,
        };
        let params = arguments(rule);
        let args = line.args.iter().zip(&params);
        let args =
            args.map(|(json, param)| translator.value(&rule.shapes[*param], json, Envelope::default()).ok());
        let args: Vec<Value> = args.collect::<Option<_>>()?;
        (line.args.len() == params.len()).then_some((index, node, state, args, message))
    }

    /// What decides which lines run in a step of the graph.
    fn key(&self, edge: EdgeId) -> Option<Key> {
        let label = self.graph.label(self.graph.label_id(edge));
        let name = &self.graph.action_of(edge).name;
        let index = self.mapping.rules.iter().position(|rule| rule.action == *name && is_plain(rule))?;
        let rule = &self.mapping.rules[index];
        let args: Vec<Value> = self.graph.args(label).map(|arg| self.values[arg]).collect();
        let node = match rule.node.as_ref()? {
            Place::Part(part) => self.mapping.words.node_of(part.of(&args, self.store)?)?,
            Place::Fixed(node) => *node,
        };
        let own = self.mapping.words.nodes().get(node)?.1;
        let mut state = Vec::new();
        for variable in &self.mapping.variables {
            let column = self.graph.variables().iter().position(|name| *name == variable.name)?;
            let value = self.values[self.graph.value(self.graph.source(edge), column)];
            state.push(match &variable.kind {
                Compared::Node(_, nodes) if nodes.as_ref().is_none_or(|nodes| nodes.contains(&node)) => {
                    Some(self.store.apply(value, own).ok()??)
                }
                Compared::Global(_, of) if of.is_none_or(|of| of == node) => Some(value),
                _ => None,
            });
        }
        let message = rule.message.and_then(|param| args.get(param).copied());
        let others =
            arguments(rule).into_iter().map(|param| args.get(param).copied()).collect::<Option<_>>()?;
        Some((index, node, state, others, message))
    }
}

/// Whether a rule lets an offer go, and nothing else.
fn is_plain(rule: &Rule) -> bool {
    matches!(rule.deed, Deed::Offer { provoked_by: None, .. })
}

/// The parameters that the arguments of an offer stand for: those of the mapping, or all but message and node.
fn arguments(rule: &Rule) -> Vec<usize> {
    if let Deed::Offer { args: Some(args), .. } = &rule.deed {
        return args.clone();
    }
    let is_node = |param: usize| match &rule.node {
        Some(Place::Part(part)) => part.path.is_empty() && part.param == param,
        _ => false,
    };
    (0..rule.params.len()).filter(|param| Some(*param) != rule.message && !is_node(*param)).collect()
}
