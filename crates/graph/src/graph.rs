//! The state graph itself.

use kilter_base::{Id, define_id};
use serde::{Deserialize, Serialize};

use crate::lists::{Lists, deltas};
use crate::values::{ValueId, Values};

define_id! {
    /// A state of a [`StateGraph`].
    StateId
}
define_id! {
    /// An edge of a [`StateGraph`]. Edges are numbered in the order of their sources, so those of one state have
    /// consecutive numbers.
    EdgeId
}
define_id! {
    /// A label of a [`StateGraph`]. Edges with the same action, arguments and ways share it.
    LabelId
}
define_id! {
    /// A set of ways through an action of a [`StateGraph`].
    WaysId
}
define_id! {
    /// An action of a [`StateGraph`].
    ActionId
}
define_id! {
    /// A basic block of a [`StateGraph`].
    BlockId
}

/// A named action.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Action {
    /// Its name. Actions with other parameters may have the same name.
    pub name: String,
    /// The names of its parameters.
    pub params: Vec<String>,
}

/// The place at which a basic block starts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Block {
    /// The index of its file: see [`StateGraph::file`].
    pub file: u32,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1.
    pub column: u32,
}

/// The action, arguments and ways of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Label {
    action: u32,
    args: u32,
    ways: u32,
}

/// An action with arguments and one way through it, which is a list of basic blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct OneWay {
    pub(crate) action: u32,
    pub(crate) args: u32,
    pub(crate) way: u32,
}

/// The parts of a graph that are written to a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parts {
    pub(crate) origin: String,
    pub(crate) config: String,
    pub(crate) is_complete: bool,
    pub(crate) variables: Vec<String>,
    pub(crate) actions: Vec<Action>,
    pub(crate) files: Vec<String>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) values: Values,
    pub(crate) arg_lists: Lists,
    /// The basic blocks of each way.
    pub(crate) ways: Lists,
    /// The ways of each set.
    pub(crate) way_sets: Lists,
    pub(crate) labels: Vec<Label>,
    pub(crate) n_states: u32,
    /// The values of the variables, state by state.
    pub(crate) rows: Vec<u32>,
    pub(crate) initial: Vec<u32>,
    /// For each state, the index at which its edges start; at the end, the number of edges.
    #[serde(with = "deltas")]
    pub(crate) starts: Vec<u32>,
    #[serde(with = "deltas")]
    pub(crate) targets: Vec<u32>,
    pub(crate) edge_labels: Vec<u32>,
    /// Exchanges of model values, each as pairs of a value and its replacement.
    pub(crate) exchanges: Vec<Vec<(String, String)>>,
    /// The exchange of each edge. Empty if there are no exchanges.
    pub(crate) edge_exchanges: Vec<u32>,
}

impl Label {
    pub(crate) fn new(action: u32, args: u32, ways: u32) -> Label {
        Label { action, args, ways }
    }

    pub(crate) fn lists(self) -> (u32, u32) {
        (self.args, self.ways)
    }

    /// The action of the label.
    pub fn action(self) -> ActionId {
        ActionId(self.action)
    }

    /// The ways through the action that lead from source to target.
    pub fn ways(self) -> WaysId {
        WaysId(self.ways)
    }
}

/// All states of a specification, and all steps between them.
///
/// An edge is a transition: source, action, arguments, target. Several ways through the action may lead to the same
/// target. No system can tell them apart, so they are a set on the edge.
///
/// States, edges, labels, actions, basic blocks and values are small ids. An edge costs 16 bytes. A state costs 4 bytes
/// for each variable and 8 more. Values come in addition, and each is stored once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateGraph {
    parts: Parts,
    sources: Vec<u32>,
    incoming_starts: Vec<u32>,
    incoming: Vec<u32>,
}

impl StateGraph {
    /// Makes a graph of its parts, which must be valid. Computes the edges in the reverse direction.
    pub(crate) fn from_parts(parts: Parts) -> StateGraph {
        let n_states = parts.n_states as usize;
        let mut sources = Vec::with_capacity(parts.targets.len());
        for (source, range) in parts.starts.windows(2).enumerate() {
            sources.resize(sources.len() + (range[1] - range[0]) as usize, source as u32);
        }
        // A counting sort keeps the edges that lead to one state in order.
        let mut incoming_starts = vec![0u32; n_states + 1];
        for target in &parts.targets {
            incoming_starts[*target as usize + 1] += 1;
        }
        for state in 0..n_states {
            incoming_starts[state + 1] += incoming_starts[state];
        }
        let mut next = incoming_starts.clone();
        let mut incoming = vec![0u32; parts.targets.len()];
        for (edge, target) in parts.targets.iter().enumerate() {
            incoming[next[*target as usize] as usize] = edge as u32;
            next[*target as usize] += 1;
        }
        StateGraph { parts, sources, incoming_starts, incoming }
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// What the graph was made from, such as `Raft.tla`.
    pub fn origin(&self) -> &str {
        &self.parts.origin
    }

    /// The configuration that it was made with, such as `Raft.cfg`. Empty if that is not known.
    pub fn config(&self) -> &str {
        &self.parts.config
    }

    /// Whether the graph has all successors of all states. It does not if a search was cut short.
    pub fn is_complete(&self) -> bool {
        self.parts.is_complete
    }

    /// The number of states.
    pub fn n_states(&self) -> usize {
        self.parts.n_states as usize
    }

    /// The number of edges.
    pub fn n_edges(&self) -> usize {
        self.parts.targets.len()
    }

    /// The number of labels.
    pub fn n_labels(&self) -> usize {
        self.parts.labels.len()
    }

    /// All states.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + use<> {
        (0..self.n_states()).map(StateId::from_index)
    }

    /// All edges, in the order of their sources.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = EdgeId> + use<> {
        (0..self.n_edges()).map(EdgeId::from_index)
    }

    /// The initial states, in order.
    pub fn initial(&self) -> impl ExactSizeIterator<Item = StateId> {
        self.parts.initial.iter().map(|state| StateId(*state))
    }

    /// The names of the variables.
    pub fn variables(&self) -> &[String] {
        &self.parts.variables
    }

    /// The values of the variables in a state, in the order of `variables`.
    pub fn state(&self, state: StateId) -> impl ExactSizeIterator<Item = ValueId> {
        let width = self.parts.variables.len();
        self.parts.rows[state.index() * width..][..width].iter().map(|value| ValueId(*value))
    }

    /// The value of one variable in a state.
    pub fn value(&self, state: StateId, variable: usize) -> ValueId {
        ValueId(self.parts.rows[state.index() * self.parts.variables.len() + variable])
    }

    /// The table of all values.
    pub fn values(&self) -> &Values {
        &self.parts.values
    }

    /// The edges that leave a state.
    pub fn outgoing(
        &self,
        state: StateId,
    ) -> impl ExactSizeIterator<Item = EdgeId> + DoubleEndedIterator + use<> {
        let range = self.parts.starts[state.index()] as usize..self.parts.starts[state.index() + 1] as usize;
        range.map(EdgeId::from_index)
    }

    /// The edges that lead to a state, in order.
    pub fn incoming(&self, state: StateId) -> impl ExactSizeIterator<Item = EdgeId> + DoubleEndedIterator {
        let range =
            self.incoming_starts[state.index()] as usize..self.incoming_starts[state.index() + 1] as usize;
        self.incoming[range].iter().map(|edge| EdgeId(*edge))
    }

    /// The state that an edge starts from.
    pub fn source(&self, edge: EdgeId) -> StateId {
        StateId(self.sources[edge.index()])
    }

    /// The state that an edge leads to.
    pub fn target(&self, edge: EdgeId) -> StateId {
        StateId(self.parts.targets[edge.index()])
    }

    /// The exchanges of model values that edges make, each as pairs of a value and its replacement. Empty if no state
    /// stands for others.
    ///
    /// With SYMMETRY, a state stands for all states that it becomes by exchanging model values. The successor that an
    /// edge really leads to is its target after [`StateGraph::exchange`].
    pub fn exchanges(&self) -> &[Vec<(String, String)>] {
        &self.parts.exchanges
    }

    /// The index of an edge's exchange. Only meaningful if there are exchanges.
    pub fn exchange(&self, edge: EdgeId) -> u32 {
        self.parts.edge_exchanges.get(edge.index()).copied().unwrap_or(0)
    }

    /// The id of an edge's label.
    pub fn label_id(&self, edge: EdgeId) -> LabelId {
        LabelId(self.parts.edge_labels[edge.index()])
    }

    /// The label with this id.
    pub fn label(&self, label: LabelId) -> Label {
        self.parts.labels[label.index()]
    }

    /// The arguments of a label's action, one for each parameter.
    pub fn args(&self, label: Label) -> impl ExactSizeIterator<Item = ValueId> {
        self.parts.arg_lists.get(label.args).iter().map(|value| ValueId(*value))
    }

    /// The ways of a set, one or more, in the order of the text. Each is the basic blocks that were taken, in that
    /// order. A way without blocks has no branches, or they are not known.
    pub fn ways(
        &self,
        ways: WaysId,
    ) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = BlockId>> {
        let blocks = |way: &u32| self.parts.ways.get(*way).iter().map(|block| BlockId(*block));
        self.parts.way_sets.get(ways.0).iter().map(blocks)
    }

    /// The ways of an edge.
    pub fn ways_of(
        &self,
        edge: EdgeId,
    ) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = BlockId>> {
        self.ways(self.label(self.label_id(edge)).ways())
    }

    /// The action of an edge.
    pub fn action_of(&self, edge: EdgeId) -> &Action {
        self.action(self.label(self.label_id(edge)).action())
    }

    /// The action with this id.
    pub fn action(&self, action: ActionId) -> &Action {
        &self.parts.actions[action.index()]
    }

    /// All actions, in the order of their ids.
    pub fn actions(&self) -> &[Action] {
        &self.parts.actions
    }

    /// The basic block with this id.
    pub fn block(&self, block: BlockId) -> &Block {
        &self.parts.blocks[block.index()]
    }

    /// All basic blocks, in the order of their ids.
    pub fn all_blocks(&self) -> &[Block] {
        &self.parts.blocks
    }

    /// The name of a basic block's file.
    pub fn file(&self, block: &Block) -> &str {
        &self.parts.files[block.file as usize]
    }
}
