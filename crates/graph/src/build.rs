//! Builds a graph, state by state and edge by edge. Edges may come in any order.

use kilter_base::{Id, define_id};
use rustc_hash::FxHashMap;

use crate::graph::{Action, ActionId, Block, BlockId, OneWay, Parts, StateGraph, StateId};
use crate::lists::Lists;
use crate::values::{ValueId, Values};
use crate::ways::{Interned, RawEdge, place_edges};

define_id! {
    /// An action with arguments and one way through it, in a graph that is being built.
    OneWayId
}

/// A graph that is being built.
#[derive(Debug)]
pub struct Builder {
    parts: Parts,
    file_ids: FxHashMap<String, u32>,
    action_ids: FxHashMap<Action, ActionId>,
    args: Interned,
    ways: Interned,
    labels: Vec<OneWay>,
    label_ids: FxHashMap<OneWay, OneWayId>,
    exchange_ids: FxHashMap<Vec<(String, String)>, u32>,
    edges: Vec<RawEdge>,
}

impl Builder {
    /// Makes a graph without states. `origin` says what it is made from.
    pub fn new(origin: impl Into<String>, variables: Vec<String>) -> Builder {
        let parts = Parts {
            origin: origin.into(),
            config: String::new(),
            is_complete: true,
            variables,
            actions: Vec::new(),
            files: Vec::new(),
            blocks: Vec::new(),
            values: Values::default(),
            arg_lists: Lists::default(),
            ways: Lists::default(),
            way_sets: Lists::default(),
            labels: Vec::new(),
            n_states: 0,
            rows: Vec::new(),
            initial: Vec::new(),
            starts: Vec::new(),
            targets: Vec::new(),
            edge_labels: Vec::new(),
            exchanges: Vec::new(),
            edge_exchanges: Vec::new(),
        };
        Builder {
            parts,
            file_ids: FxHashMap::default(),
            action_ids: FxHashMap::default(),
            args: Interned::default(),
            ways: Interned::default(),
            labels: Vec::new(),
            label_ids: FxHashMap::default(),
            exchange_ids: FxHashMap::default(),
            edges: Vec::new(),
        }
    }

    /// Sets the configuration that the graph is made with.
    pub fn set_config(&mut self, config: impl Into<String>) {
        self.parts.config = config.into();
    }

    /// Marks the graph as one in which some successors are missing.
    pub fn set_incomplete(&mut self) {
        self.parts.is_complete = false;
    }

    /// The action with this name and these parameters. Two such actions are one, because no system can tell them apart.
    pub fn action(&mut self, name: impl Into<String>, params: Vec<String>) -> ActionId {
        let actions = &mut self.parts.actions;
        *self.action_ids.entry(Action { name: name.into(), params }).or_insert_with_key(|action| {
            actions.push(action.clone());
            ActionId::from_index(actions.len() - 1)
        })
    }

    /// Adds a basic block, at this place of a file.
    pub fn block(&mut self, file: &str, line: u32, column: u32) -> BlockId {
        let file = if let Some(id) = self.file_ids.get(file) {
            *id
        } else {
            self.parts.files.push(file.to_owned());
            let id = self.parts.files.len() as u32 - 1;
            self.file_ids.insert(file.to_owned(), id);
            id
        };
        self.parts.blocks.push(Block { file, line, column });
        BlockId::from_index(self.parts.blocks.len() - 1)
    }

    /// Adds a state with a value for each variable. The caller makes sure that states are distinct.
    pub fn state(&mut self, values: impl ExactSizeIterator<Item = ValueId>) -> StateId {
        assert_eq!(values.len(), self.parts.variables.len(), "a state has a value for each variable");
        self.parts.rows.extend(values.map(|value| value.0));
        self.parts.n_states = self.parts.n_states.checked_add(1).expect("fewer than 2^32 states");
        StateId(self.parts.n_states - 1)
    }

    /// Marks a state as initial.
    pub fn initial(&mut self, state: StateId) {
        self.parts.initial.push(state.0);
    }

    /// The label for this action, with a value for each of its parameters, by the way through these basic blocks.
    pub fn label(
        &mut self,
        action: ActionId,
        args: impl ExactSizeIterator<Item = ValueId>,
        blocks: impl Iterator<Item = BlockId>,
    ) -> OneWayId {
        let n_params = self.parts.actions[action.index()].params.len();
        assert_eq!(args.len(), n_params, "an argument for each parameter");
        let args = self.args.add(args.map(|value| value.0));
        let way = self.ways.add(blocks.map(|block| block.0));
        let label = OneWay { action: action.0, args, way };
        *self.label_ids.entry(label).or_insert_with(|| {
            self.labels.push(label);
            OneWayId::from_index(self.labels.len() - 1)
        })
    }

    /// Adds an edge between two states, which may be added later. Edges that differ only in the way through the action
    /// become one.
    pub fn edge(&mut self, source: StateId, target: StateId, label: OneWayId) {
        self.edges.push((source.0, target.0, label.0, 0));
    }

    /// Adds an edge to a successor that is `target` with model values exchanged: in each pair, the left value becomes
    /// the right one. Either all edges of a graph are added like this, or none.
    pub fn exchanging_edge(
        &mut self,
        source: StateId,
        target: StateId,
        label: OneWayId,
        exchange: Vec<(String, String)>,
    ) {
        let exchanges = &mut self.parts.exchanges;
        let number = *self.exchange_ids.entry(exchange).or_insert_with_key(|exchange| {
            exchanges.push(exchange.clone());
            exchanges.len() as u32 - 1
        });
        self.edges.push((source.0, target.0, label.0, number));
    }

    /// Finishes the graph. Edges are sorted by source, and otherwise stay in the order in which they were added.
    pub fn finish(mut self, values: Values) -> StateGraph {
        self.edges.sort_by_key(|(source, ..)| *source);
        self.parts.values = values;
        self.parts.arg_lists = self.args.lists;
        self.parts.ways = self.ways.lists;
        self.parts.initial.sort_unstable();
        self.parts.initial.dedup();
        place_edges(&mut self.parts, &self.labels, &self.edges);
        debug_assert_eq!(crate::check::check(&self.parts), Ok(()));
        StateGraph::from_parts(self.parts)
    }
}
