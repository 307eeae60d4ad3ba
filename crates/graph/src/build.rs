//! Makes a graph, state by state and edge by edge, in any order of edges.

use kilter_base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Action, ActionId, Block, BlockId, Label, LabelId, Parts, StateGraph, StateId};
use crate::lists::Lists;
use crate::values::{ValueId, Values};

/// A graph in the making.
#[derive(Debug)]
pub struct Builder {
    parts: Parts,
    file_ids: FxHashMap<String, u32>,
    args: Interned,
    blocks: Interned,
    label_ids: FxHashMap<Label, LabelId>,
    exchange_ids: FxHashMap<Vec<(String, String)>, u32>,
    edges: Vec<(u32, u32, u32, u32)>,
}

/// Lists of numbers, each stored once.
#[derive(Debug, Default)]
struct Interned {
    lists: Lists,
    ids: FxHashMap<Box<[u32]>, u32>,
}

impl Interned {
    fn add(&mut self, words: impl Iterator<Item = u32>) -> u32 {
        let words: Box<[u32]> = words.collect();
        if let Some(id) = self.ids.get(&words) {
            return *id;
        }
        let id = self.lists.push(words.iter().copied());
        self.ids.insert(words, id);
        id
    }
}

impl Builder {
    /// A graph without states; `origin` says what it is made from.
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
            block_lists: Lists::default(),
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
            args: Interned::default(),
            blocks: Interned::default(),
            label_ids: FxHashMap::default(),
            exchange_ids: FxHashMap::default(),
            edges: Vec::new(),
        }
    }

    /// Notes the configuration that the graph is made with.
    pub fn set_config(&mut self, config: impl Into<String>) {
        self.parts.config = config.into();
    }

    /// Notes that some successors are missing.
    pub fn set_incomplete(&mut self) {
        self.parts.is_complete = false;
    }

    /// Adds an action.
    pub fn action(&mut self, name: impl Into<String>, params: Vec<String>) -> ActionId {
        self.parts.actions.push(Action { name: name.into(), params });
        ActionId::from_index(self.parts.actions.len() - 1)
    }

    /// Adds a basic block.
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

    /// Adds a state with a value for each variable; the caller sees to it that states are distinct.
    pub fn state(&mut self, values: impl ExactSizeIterator<Item = ValueId>) -> StateId {
        assert_eq!(values.len(), self.parts.variables.len(), "a state has a value for each variable");
        self.parts.rows.extend(values.map(|value| value.0));
        self.parts.n_states = self.parts.n_states.checked_add(1).expect("fewer than 2^32 states");
        StateId(self.parts.n_states - 1)
    }

    /// Notes that a state is initial.
    pub fn initial(&mut self, state: StateId) {
        self.parts.initial.push(state.0);
    }

    /// The label with this action, as many arguments as the action has parameters, and these basic blocks.
    pub fn label(
        &mut self,
        action: ActionId,
        args: impl ExactSizeIterator<Item = ValueId>,
        blocks: impl Iterator<Item = BlockId>,
    ) -> LabelId {
        let n_params = self.parts.actions[action.index()].params.len();
        assert_eq!(args.len(), n_params, "an argument for each parameter");
        let args = self.args.add(args.map(|value| value.0));
        let blocks = self.blocks.add(blocks.map(|block| block.0));
        let label = Label::new(action, args, blocks);
        *self.label_ids.entry(label).or_insert_with(|| {
            self.parts.labels.push(label);
            LabelId::from_index(self.parts.labels.len() - 1)
        })
    }

    /// Adds an edge between two states that may be added later. Of edges that agree in everything one is kept.
    pub fn edge(&mut self, source: StateId, target: StateId, label: LabelId) {
        self.edges.push((source.0, target.0, label.0, 0));
    }

    /// Adds an edge to a successor that is `target` with model values exchanged: each left one becomes the right one.
    /// Either all edges of a graph are added like this, or none.
    pub fn exchanging_edge(
        &mut self,
        source: StateId,
        target: StateId,
        label: LabelId,
        exchange: Vec<(String, String)>,
    ) {
        let exchanges = &mut self.parts.exchanges;
        let number = *self.exchange_ids.entry(exchange).or_insert_with_key(|exchange| {
            exchanges.push(exchange.clone());
            exchanges.len() as u32 - 1
        });
        self.edges.push((source.0, target.0, label.0, number));
    }

    /// How many edges were added, repeated ones included.
    pub fn n_edges(&self) -> usize {
        self.edges.len()
    }

    /// The graph. Edges are sorted by source and otherwise stay in the order in which they were added.
    pub fn finish(mut self, values: Values) -> StateGraph {
        self.edges.sort_by_key(|(source, ..)| *source);
        self.parts.values = values;
        self.parts.arg_lists = self.args.lists;
        self.parts.block_lists = self.blocks.lists;
        self.parts.initial.sort_unstable();
        self.parts.initial.dedup();
        place_edges(&mut self.parts, &self.edges);
        debug_assert_eq!(crate::check::check(&self.parts), Ok(()));
        StateGraph::from_parts(self.parts)
    }
}

fn place_edges(parts: &mut Parts, edges: &[(u32, u32, u32, u32)]) {
    parts.targets.reserve_exact(edges.len());
    parts.edge_labels.reserve_exact(edges.len());
    parts.starts.reserve_exact(parts.n_states as usize + 1);
    parts.starts.push(0);
    let mut seen = FxHashSet::default();
    let mut rest = edges;
    for state in 0..parts.n_states {
        let n_own = rest.iter().take_while(|(source, ..)| *source == state).count();
        let (own, others) = rest.split_at(n_own);
        seen.clear();
        for (_, target, label, exchange) in own {
            if seen.insert((*target, *label, *exchange)) {
                parts.targets.push(*target);
                parts.edge_labels.push(*label);
                if !parts.exchanges.is_empty() {
                    parts.edge_exchanges.push(*exchange);
                }
            }
        }
        parts.starts.push(u32::try_from(parts.targets.len()).expect("fewer than 2^32 edges"));
        rest = others;
    }
    assert!(rest.is_empty(), "edges start at states of the graph");
}
