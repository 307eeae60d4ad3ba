//! Reads a graph as its nodes see it.

use std::collections::BTreeMap;

use kilter_base::Id;
use kilter_graph::values::Restored;
use kilter_graph::{EdgeId, LabelId, RestoreError, StateGraph, StateId, text};
use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;

use crate::view::{Actor, Actors, Arrival, Message, Sight, View};

/// What a step does, as far as its node can see.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) given: Given,
    pub(crate) outcome: Outcome,
}

/// What the node knows before the step.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Given {
    action: String,
    args: Vec<Value>,
    node: Option<usize>,
    before: u32,
    /// Values in the state before the step that belong to no node.
    besides: Vec<Value>,
}

/// The result of a step, as its node sees it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Outcome {
    after: u32,
    /// Messages that the step adds and removes.
    moved: Moved,
    /// Values in the state after the step that belong to no node.
    besides: Vec<Value>,
}

/// Messages, and by how much the number of each one changes.
type Moved = Vec<(Value, i32)>;

/// Numbers of nodes and views that mean the same in both graphs.
#[derive(Default)]
pub(crate) struct Shared {
    nodes: Vec<Value>,
    views: FxHashMap<Vec<Option<Value>>, u32>,
}

/// Reads one graph.
pub(crate) struct Reader<'g> {
    graph: &'g StateGraph,
    view: &'g View,
    store: &'g Store,
    values: Restored,
    /// The index of each variable and what nodes see of it, in the order of the variables' names.
    columns: Vec<(usize, Sight)>,
    names: Vec<String>,
    /// The number of the node that takes the steps of each label.
    actors: Vec<Option<usize>>,
    nodes: Vec<Value>,
    /// The number of each node's view of each state.
    views: Vec<Vec<u32>>,
    /// For two values of a variable, the messages that come and go between them. `None` if that is not known.
    moved: FxHashMap<(Value, Value), Option<Moved>>,
}

impl<'g> Reader<'g> {
    pub(crate) fn new(
        graph: &'g StateGraph,
        view: &'g View,
        store: &'g Store,
        shared: &mut Shared,
    ) -> Result<Self, RestoreError> {
        let by_name: BTreeMap<&String, usize> =
            graph.variables().iter().enumerate().map(|(column, name)| (name, column)).collect();
        let sight = |name: &String| view.variables.get(name).cloned().unwrap_or(Sight::Own);
        let mut reader = Reader {
            values: graph.values().restore(store)?,
            columns: by_name.iter().map(|(name, column)| (*column, sight(name))).collect(),
            names: by_name.into_keys().cloned().collect(),
            graph,
            view,
            store,
            actors: Vec::new(),
            nodes: Vec::new(),
            views: Vec::new(),
            moved: FxHashMap::default(),
        };
        let labels = (0..graph.n_labels()).map(LabelId::from_index);
        reader.actors = labels.map(|label| reader.actor(label, shared)).collect();
        Ok(reader)
    }

    /// What each step does. `None` for a step that is like no other.
    pub(crate) fn keys(&mut self) -> Vec<Option<Key>> {
        self.graph.edges().map(|edge| self.key(edge)).collect()
    }

    /// The variables, and what nodes see of them.
    pub(crate) fn columns(&self) -> Vec<(&String, Sight)> {
        self.names.iter().zip(self.columns.iter().map(|(_, sight)| sight.clone())).collect()
    }

    pub(crate) fn into_views(self) -> Vec<Vec<u32>> {
        self.views
    }

    /// The number of the node that takes steps with a label.
    fn actor(&self, label: LabelId, shared: &mut Shared) -> Option<usize> {
        let label = self.graph.label(label);
        let actor = self.view.actions.get(&self.graph.action(label.action()).name)?;
        let node = match &actor.node {
            Actors::Part(param, path) => {
                let arg = self.graph.args(label).nth(*param)?;
                part(self.values[arg], path, self.store)?
            }
            Actors::Fixed(name) => text::parse_value(self.store, name).ok()?,
            Actors::Nobody => return None,
        };
        let known = shared.nodes.iter().position(|other| *other == node);
        Some(known.unwrap_or_else(|| {
            shared.nodes.push(node);
            shared.nodes.len() - 1
        }))
    }

    /// Finds out what each node sees of each state. Both graphs must have named their nodes before.
    pub(crate) fn look(&mut self, shared: &mut Shared) {
        self.nodes.clone_from(&shared.nodes);
        for number in 0..self.columns.len() {
            let (column, sight) = &self.columns[number];
            if *sight == Sight::Own && !self.belongs_to_nodes(*column) {
                self.columns[number].1 = Sight::Whole;
            }
        }
        for state in self.graph.states() {
            let view = |node: &Value| {
                let row = self.row(state, *node);
                let next = shared.views.len() as u32;
                *shared.views.entry(row).or_insert(next)
            };
            self.views.push(self.nodes.iter().map(view).collect());
        }
    }

    /// Whether a variable is a function of nodes in the first initial state.
    fn belongs_to_nodes(&self, column: usize) -> bool {
        let Some(initial) = self.graph.initial().next() else { return false };
        let value = self.values[self.graph.value(initial, column)];
        self.nodes.iter().all(|node| self.store.apply(value, *node).ok().flatten().is_some())
    }

    /// A node's part of a state. If a function no longer has the node in its domain, the node sees the whole function.
    fn row(&self, state: StateId, node: Value) -> Vec<Option<Value>> {
        let own = |(column, sight): &(usize, Sight)| {
            let value = self.values[self.graph.value(state, *column)];
            match sight {
                Sight::Own => Some(self.store.apply(value, node).ok().flatten().unwrap_or(value)),
                Sight::At(owner) => Some(value).filter(|_| self.is_named(node, owner)),
                _ => None,
            }
        };
        self.columns.iter().map(own).chain([Some(node)]).collect()
    }

    fn is_named(&self, node: Value, name: &str) -> bool {
        text::parse_value(self.store, name).is_ok_and(|named| named == node)
    }

    /// The number of the node that takes a step.
    pub(crate) fn node(&self, edge: EdgeId) -> Option<usize> {
        self.actors[self.graph.label_id(edge).index()]
    }

    /// The message that the node receives in a step.
    pub(crate) fn message(&self, edge: EdgeId) -> Option<Message> {
        let label = self.graph.label(self.graph.label_id(edge));
        let actor = self.view.actions.get(&self.graph.action(label.action()).name)?;
        Some(self.shaped(self.values[self.graph.args(label).nth(actor.message?)?]))
    }

    fn shaped(&self, value: Value) -> Message {
        Message { value, shape: self.store.domain(value) }
    }

    fn key(&mut self, edge: EdgeId) -> Option<Key> {
        let label = self.graph.label(self.graph.label_id(edge));
        let name = &self.graph.action(label.action()).name;
        let actor = self.view.actions.get(name)?;
        let node = self.node(edge);
        if (node.is_none() && actor.node != Actors::Nobody) || self.renames(edge) {
            return None;
        }
        let (source, target) = (self.graph.source(edge), self.graph.target(edge));
        let (before, after) = (&self.views[source.index()], &self.views[target.index()]);
        // A step must not change what belongs to other nodes.
        if (0..before.len()).any(|other| Some(other) != node && before[other] != after[other]) {
            return None;
        }
        let (before, after) = node.map_or((0, 0), |node| (before[node], after[node]));
        let mut besides = self.values_of(&Sight::Whole, source);
        // If a set already has a message, sending the message again does not show.
        besides.extend(self.values_of(&Sight::Set, source));
        if actor.counts {
            besides.extend(self.values_of(&Sight::Nothing, source));
        }
        let args = self.graph.args(label).map(|arg| self.values[arg]).collect();
        let given = Given { action: name.clone(), args, node, before, besides };
        let besides = self.values_of(&Sight::Whole, target);
        Some(Key { given, outcome: Outcome { after, moved: self.moved(edge)?, besides } })
    }

    /// Whether the step exchanges names. This happens if the graph keeps one of several states that differ only in
    /// names.
    fn renames(&self, edge: EdgeId) -> bool {
        self.graph.exchanges().get(self.graph.exchange(edge) as usize).is_some_and(|it| !it.is_empty())
    }

    /// The values in a state of all variables that nodes see in the same way.
    fn values_of(&self, sight: &Sight, state: StateId) -> Vec<Value> {
        let columns = self.columns.iter().filter(|(_, other)| other == sight);
        columns.map(|(column, _)| self.values[self.graph.value(state, *column)]).collect()
    }

    /// The messages that a step adds and removes. `None` if that is not known.
    fn moved(&mut self, edge: EdgeId) -> Option<Moved> {
        let mut all = Vec::new();
        for (column, sight) in self.columns.iter().filter(|(_, sight)| sight.is_of_messages()) {
            let value = |state| self.values[self.graph.value(state, *column)];
            let (before, after) = (value(self.graph.source(edge)), value(self.graph.target(edge)));
            let moved = self.moved.entry((before, after));
            all.extend(moved.or_insert_with(|| difference(before, after, sight, self.store)).clone()?);
        }
        Some(all)
    }

    /// Messages under way, each with the node that it is for.
    pub(crate) fn arrivals(&self, state: StateId) -> Vec<Arrival> {
        let mut found = Vec::new();
        for (column, sight) in self.columns.iter().filter(|(_, sight)| sight.is_of_messages()) {
            let value = self.values[self.graph.value(state, *column)];
            for (message, _) in counts(value, sight, self.store).into_iter().flatten() {
                for node in self.receivers(message) {
                    let arrival = (node, self.shaped(message));
                    if !found.contains(&arrival) {
                        found.push(arrival);
                    }
                }
            }
        }
        found
    }

    /// The nodes that a message may be for, by the actions that receive messages.
    fn receivers(&self, message: Value) -> impl Iterator<Item = usize> {
        let receiver = move |actor: &Actor| match (&actor.node, actor.message) {
            (Actors::Part(param, path), Some(own)) if *param == own => part(message, path, self.store),
            _ => None,
        };
        let nodes = self.view.actions.values().filter_map(receiver);
        nodes.filter_map(|node| self.nodes.iter().position(|known| *known == node))
    }
}

/// The part of a value at the end of a path of fields, such as `m.dest`.
fn part(value: Value, path: &[String], store: &Store) -> Option<Value> {
    path.iter().try_fold(value, |value, field| match store.field(value, store.string(field)) {
        Some(value) => Some(value),
        None => store.apply(value, store.int(field.parse().ok()?)).ok()?,
    })
}

/// The messages in a value, and the number of copies of each.
fn counts(value: Value, sight: &Sight, store: &Store) -> Option<Moved> {
    let all = if *sight == Sight::Bag { store.domain(value)? } else { value };
    let mut messages = store.iterate(all).ok()?;
    let mut found = Vec::new();
    while let Some(message) = messages.next(store) {
        let n = match sight {
            Sight::Bag => store.as_int(store.apply(value, message).ok()??)?,
            _ => 1,
        };
        found.push((message, n));
    }
    Some(found)
}

/// The messages that a step adds and removes.
fn difference(before: Value, after: Value, sight: &Sight, store: &Store) -> Option<Moved> {
    let (before, mut after) = (counts(before, sight, store)?, counts(after, sight, store)?);
    for (message, n) in before {
        match after.iter_mut().find(|(other, _)| *other == message) {
            Some((_, left)) => *left -= n,
            None => after.push((message, -n)),
        }
    }
    after.retain(|(_, n)| *n != 0);
    // The order must not depend on what else is under way.
    after.sort_by_cached_key(|(message, _)| store.show(*message));
    Some(after)
}
