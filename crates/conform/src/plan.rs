//! Prepares the graph for driving: for every step what to do, where, and with which message.

use kilter_base::Id;
use kilter_graph::values::Restored;
use kilter_graph::walk::{self, Levels};
use kilter_graph::{EdgeId, LabelId, StateGraph, StateId};
use kilter_value::{Store, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use kilter_mapping::mapping::{Deed, Mapping, Place, Rule};
use kilter_mapping::shape::Shape;

/// A graph with its mapping.
pub struct Plan<'g> {
    /// The graph.
    pub graph: &'g StateGraph,
    /// The mapping.
    pub mapping: &'g Mapping,
    values: Restored,
    steps: Vec<Step>,
    levels: Levels,
    /// For each state, whether some of its steps may be missing in the graph. Empty if none is missing.
    borders: Vec<bool>,
    rules_by_offer: FxHashMap<String, Vec<usize>>,
    /// The node that takes in a message.
    readers: FxHashMap<Value, usize>,
    /// Which rule has a step at which node, with which message.
    happens: FxHashSet<(usize, Option<usize>, Option<Value>)>,
    /// Whether the sender of a message matters for how an offer is read.
    pub(crate) asks_for_sender: bool,
}

/// What to do for the steps with one label.
#[derive(Clone, Debug)]
pub struct Step {
    /// The index of its action's rule in the mapping.
    pub rule: usize,
    /// The arguments of the action.
    pub args: Vec<Value>,
    /// The node at which it happens.
    pub node: Option<usize>,
    /// The other node of a link.
    pub other: Option<usize>,
    /// The message that it is about.
    pub message: Option<Value>,
}

/// Why a system can't be driven along a graph with a mapping.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// The graph has an action that the mapping does not mention.
    #[error("the graph has steps of `{action}`, which the mapping knows nothing of; name the action in Next")]
    NoRule {
        /// The name of the action.
        action: String,
    },
    /// A step happens at a value that is not a node.
    #[error(
        "`{action}` happens at `{value}`, which is no node; the nodes are {nodes}. If the specification calls them differently, say so in [constants]"
    )]
    NoNode {
        /// The name of the action.
        action: String,
        /// The value that should be a node.
        value: String,
        /// The nodes that there are.
        nodes: String,
    },
    /// The graph's values are not valid.
    #[error("{0}")]
    Values(String),
    /// The graph's states stand for others, because of SYMMETRY.
    #[error(
        "a state of this graph stands for all that SYMMETRY makes the same; make the graph without SYMMETRY"
    )]
    Symmetry,
}

impl<'g> Plan<'g> {
    /// Prepares a graph. `borders` says for each state whether some of its steps may be missing in the graph.
    pub fn new(
        graph: &'g StateGraph,
        mapping: &'g Mapping,
        store: &Store,
        borders: Vec<bool>,
    ) -> Result<Plan<'g>, PlanError> {
        if !graph.exchanges().is_empty() {
            return Err(PlanError::Symmetry);
        }
        let values = graph.values().restore(store).map_err(|error| PlanError::Values(error.to_string()))?;
        let rules = rules_of_actions(graph, mapping);
        let mut steps = Vec::with_capacity(graph.n_labels());
        for label in (0..graph.n_labels()).map(LabelId::from_index) {
            let label = graph.label(label);
            let args: Vec<Value> = graph.args(label).map(|arg| values[arg]).collect();
            let Some(rule) = rules[label.action().index()] else {
                return Err(PlanError::NoRule { action: graph.action(label.action()).name.clone() });
            };
            steps.push(step(mapping, rule, args, store)?);
        }
        let mut rules_by_offer: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (index, rule) in mapping.rules.iter().enumerate() {
            if let Some(name) = rule.offer() {
                rules_by_offer.entry(name.to_owned()).or_default().push(index);
            }
        }
        let readers = steps.iter().filter_map(|step| Some((step.message?, step.node?))).collect();
        let levels = walk::levels(graph);
        let asks_for_sender = mapping.rules.iter().flat_map(|rule| &rule.shapes).any(Shape::asks_for_sender);
        let happens = steps.iter().map(|step| (step.rule, step.node, step.message)).collect();
        Ok(Plan {
            graph,
            mapping,
            values,
            steps,
            levels,
            borders,
            rules_by_offer,
            readers,
            happens,
            asks_for_sender,
        })
    }

    /// What to do for the step of an edge.
    pub fn step(&self, edge: EdgeId) -> &Step {
        &self.steps[self.graph.label_id(edge).index()]
    }

    /// The rule of an edge's action.
    pub fn rule(&self, edge: EdgeId) -> &Rule {
        &self.mapping.rules[self.step(edge).rule]
    }

    /// The value of a variable in a state.
    pub fn value(&self, state: StateId, variable: usize) -> Value {
        self.values[self.graph.value(state, variable)]
    }

    /// The rules of actions that nodes offer under this name.
    pub fn rules_offered_as(&self, name: &str) -> &[usize] {
        self.rules_by_offer.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether the specification has a step of a rule at a node, with this message.
    pub fn happens(&self, rule: usize, node: usize, message: Option<Value>) -> bool {
        [Some(node), None].into_iter().any(|node| self.happens.contains(&(rule, node, message)))
    }

    /// Whether steps of a state may be missing in the graph.
    pub fn is_border(&self, state: StateId) -> bool {
        self.borders.get(state.index()).copied().unwrap_or(false)
    }

    /// The node that takes in a message, if the specification has a step in which a node does.
    pub fn reader(&self, message: Value) -> Option<usize> {
        self.readers.get(&message).copied()
    }

    /// The shortest path that ends with an edge. `None` if the edge can't be reached.
    pub fn shortest_to(&self, edge: EdgeId) -> Option<(StateId, Vec<EdgeId>)> {
        let (start, mut edges) = self.levels.path(self.graph, self.graph.source(edge))?;
        edges.push(edge);
        Some((start, edges))
    }

    /// How many steps the shortest path that ends with an edge has.
    pub fn distance(&self, edge: EdgeId) -> u32 {
        self.levels.level(self.graph.source(edge)).unwrap_or(u32::MAX)
    }

    /// A node's name.
    pub fn node_name(&self, node: usize) -> &str {
        &self.mapping.words.nodes()[node].0
    }
}

/// The rule of each action of the graph.
fn rules_of_actions(graph: &StateGraph, mapping: &Mapping) -> Vec<Option<usize>> {
    let rule_of = |action: &kilter_graph::Action| {
        mapping.rules.iter().position(|rule| rule.action == action.name && rule.params == action.params)
    };
    graph.actions().iter().map(rule_of).collect()
}

/// What to do for a step with these arguments, by the rule with this index.
pub fn step(mapping: &Mapping, index: usize, args: Vec<Value>, store: &Store) -> Result<Step, PlanError> {
    let rule = &mapping.rules[index];
    let find = |place: &Option<Place>| {
        let part = match place {
            None => return Ok(None),
            Some(Place::Fixed(node)) => return Ok(Some(*node)),
            Some(Place::Part(part)) => part,
        };
        let value = part.of(&args, store);
        match value.and_then(|value| mapping.words.node_of(value)) {
            Some(node) => Ok(Some(node)),
            None => Err(PlanError::NoNode {
                action: rule.action.clone(),
                value: value.map_or_else(|| "nothing".to_owned(), |value| store.show(value)),
                nodes: mapping.system.nodes().join(", "),
            }),
        }
    };
    let node = if matches!(rule.deed, Deed::Internal) { None } else { find(&rule.node)? };
    let other = find(&rule.other)?;
    let message = rule.message.map(|param| args[param]);
    Ok(Step { rule: index, args, node, other, message })
}
