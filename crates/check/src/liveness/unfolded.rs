//! The graph on which temporal properties are checked where states stand for others, by SYMMETRY or VIEW.
//!
//! Two states with the same representative may differ in what a property says, or in what can happen next. So they are
//! told apart here, as long as there are few for one representative. Of many, those are one node in which all literals
//! about states have the same values. A node has the first state that was found for it, and its links are the steps from
//! there. A link may lead to a node with another state than the successor, but no literal tells them apart.
//!
//! This goes further than TLC, whose graph has one state for each representative and node of its tableau.

use std::collections::hash_map::Entry;
use std::ops::Range;

use kilter_eval::{EvalError, Part, Successors};
use kilter_value::Value;
use rustc_hash::FxHashMap;

use super::label::Labels;
use super::product::NOWHERE;
use super::{Letters, Links, stopped};
use crate::crew::Crew;
use crate::expand::{Hand, Model};
use crate::space::Space;
use crate::stop::Stop;

/// So many states with one representative are told apart: enough for the permutations of four elements.
const STATES_APART: u32 = 32;
/// In a graph with more nodes than this, and with twice as many as the search has states, only literals tell states apart.
const NODES_APART: u32 = 200_000;
/// The most nodes with one representative. Steps to further ones are left out.
const NODES_MAX: u32 = 64;
/// The most nodes that no state of the search stands for. The search does not see them, because it goes on from only one
/// of the states with the same view.
const UNSEEN_MAX: u32 = 1_000;

/// The nodes of the graph. Its links and letters are kept as those of other graphs.
#[derive(Default)]
pub(crate) struct Unfolded {
    n_vars: usize,
    /// The states of the search that it explored. Steps to others are left out.
    n_explored: u32,
    /// Whether these are all states that the search sees.
    complete: bool,
    /// Whether states were not told apart, or steps left out.
    is_cut: bool,
    /// In a graph with more nodes, only literals tell states apart.
    n_nodes_apart: u32,
    /// The number of initial nodes. They come first.
    n_initial: u32,
    /// The states of the nodes, one after the other.
    rows: Vec<Value>,
    nodes: Vec<Node>,
    by_state: FxHashMap<Box<[Value]>, u32>,
    /// The first node with each representative and values of the literals.
    by_bits: FxHashMap<(u32, Box<[u8]>), u32>,
    /// The number of nodes with each representative.
    counts: FxHashMap<u32, u32>,
}

struct Node {
    /// The state of the search that stands for it, or [`NOWHERE`].
    representative: u32,
    /// The node from which it was first reached. An initial node has itself.
    parent: u32,
}

/// What the steps from a state are found with.
#[derive(Clone, Copy)]
pub(crate) struct Terrain<'t, 'p> {
    pub(crate) model: &'t Model<'p>,
    pub(crate) space: &'t Space,
}

/// A state that was reached by a step.
enum Reached {
    /// The state of this node.
    Known(u32),
    New {
        /// The state of the search that stands for it, or [`NOWHERE`].
        representative: u32,
        row: Vec<Value>,
        /// The values of the literals about states.
        bits: Box<[u8]>,
    },
}

/// An evaluation failed.
pub(crate) struct Flaw {
    /// The behavior up to the state where it failed. Empty if it has nothing to do with a state.
    pub(crate) way: Vec<Vec<Value>>,
    pub(crate) error: EvalError,
}

/// What is known about some nodes: the states that their steps lead to, and the letters.
struct Explored {
    steps: Vec<Vec<Reached>>,
    letters: Letters,
}

impl Unfolded {
    /// Unfolds the graph of a search that has explored some of its states. Returns it with its links and letters.
    pub(crate) fn new<'p>(
        labels: &Labels,
        terrain: Terrain<'_, 'p>,
        crew: &mut Crew<'p>,
        n_explored: u32,
        n_initial: u32,
        stop: &Stop,
    ) -> Result<(Unfolded, Links, Letters), Box<Flaw>> {
        let n_vars = terrain.model.program.variables.len();
        let complete = n_explored == terrain.space.len();
        let n_nodes_apart = n_explored.saturating_mul(2).max(NODES_APART);
        let mut unfolded = Unfolded { n_vars, n_explored, complete, n_nodes_apart, ..Unfolded::default() };
        let (mut links, mut letters) = (Links::default(), Letters::new(&labels.places));
        let first = &mut crew.hands[0];
        for (representative, row) in unfolded.initial(first, terrain, n_initial) {
            let bits = labels.state_bits(&mut first.worker, &row);
            let bits = bits.map_err(|error| Box::new(Flaw { way: vec![row.clone()], error }))?;
            unfolded.number(Reached::New { representative, row, bits }, None);
        }
        unfolded.n_initial = unfolded.len();
        let mut done = 0;
        while done < unfolded.len() {
            let level = done..unfolded.len();
            done = level.end;
            let mut source = level.start;
            let chunks = crew.map_chunks(level, |hand, nodes| {
                (!stop.is_due()).then(|| unfolded.explore(labels, hand, terrain, nodes))
            });
            // Some chunks may be missing, so nothing of this can be used.
            if stop.is_due() {
                return Err(Box::new(Flaw { way: Vec::new(), error: stopped() }));
            }
            for chunk in chunks {
                let chunk = chunk?;
                letters.append(&chunk.letters);
                for steps in chunk.steps {
                    let targets = steps.into_iter().map(|reached| unfolded.number(reached, Some(source)));
                    links.add_as_given(&targets.collect::<Vec<u32>>());
                    source += 1;
                }
            }
        }
        Ok((unfolded, links, letters))
    }

    /// The initial states, with their representatives.
    fn initial<'p>(
        &self,
        hand: &mut Hand<'p>,
        terrain: Terrain<'_, 'p>,
        n_initial: u32,
    ) -> Vec<(u32, Vec<Value>)> {
        let Terrain { model, space } = terrain;
        let known = || (0..n_initial).map(|state| (state, space.row(state).to_vec())).collect();
        // What has effects is not evaluated twice.
        if model.program.init.as_ref().is_none_or(|init| init.impure) {
            return known();
        }
        let mut successors = Successors::default();
        if hand.worker.initial(Part::WHOLE, &mut successors).is_err() {
            return known();
        }
        let mut found = Vec::new();
        for (row, _) in successors.iter(self.n_vars) {
            if hand.admits(model, None, row, 1).unwrap_or(false)
                && let Some(representative) = hand.find(model, space, row)
            {
                found.push((representative, row.to_vec()));
            }
        }
        found
    }

    /// Finds the steps from some nodes, and evaluates all literals.
    fn explore<'p>(
        &self,
        labels: &Labels,
        hand: &mut Hand<'p>,
        terrain: Terrain<'_, 'p>,
        nodes: Range<u32>,
    ) -> Result<Explored, Box<Flaw>> {
        let mut explored = Explored { steps: Vec::new(), letters: Letters::new(&labels.places) };
        for node in nodes {
            let row = self.row(node);
            let to = |target: Option<&Vec<Value>>, error| {
                let way = self.way_to(node).into_iter().chain(target.cloned()).collect();
                Box::new(Flaw { way, error })
            };
            let steps = self.steps(hand, terrain, row).map_err(|error| to(None, error))?;
            let targets: Vec<&[Value]> = steps.iter().map(|(_, successor)| successor.as_slice()).collect();
            labels.label(&mut hand.worker, row, &targets, &mut explored.letters).map_err(|failed| {
                let target = failed.target.map(|index| &steps[index].1);
                to(target, failed.error)
            })?;
            let mut reached = Vec::with_capacity(steps.len());
            for (representative, row) in steps {
                reached.push(match self.by_state.get(row.as_slice()) {
                    Some(known) => Reached::Known(*known),
                    None => {
                        let bits = labels.state_bits(&mut hand.worker, &row);
                        let bits = bits.map_err(|error| to(Some(&row), error))?;
                        Reached::New { representative, row, bits }
                    }
                });
            }
            explored.steps.push(reached);
        }
        Ok(explored)
    }

    /// The states that steps from `row` lead to, with their representatives. The order is always the same.
    pub(crate) fn steps<'p>(
        &self,
        hand: &mut Hand<'p>,
        terrain: Terrain<'_, 'p>,
        row: &[Value],
    ) -> Result<Vec<(u32, Vec<Value>)>, EvalError> {
        let Terrain { model, space } = terrain;
        let mut successors = Successors::default();
        hand.worker.successors(row, &mut successors)?;
        let mut steps: Vec<(u32, Vec<Value>)> = Vec::new();
        for (successor, _) in successors.iter(row.len()) {
            let known = successor == row || steps.iter().any(|(_, other)| other == successor);
            if known || !hand.admits(model, Some(row), successor, 2)? {
                continue;
            }
            let representative = hand.find(model, space, successor).unwrap_or(NOWHERE);
            if representative < self.n_explored || self.complete {
                steps.push((representative, successor.to_vec()));
            }
        }
        Ok(steps)
    }

    /// The number of the node for a state. If there is none, it is made, unless there are too many.
    fn number(&mut self, reached: Reached, parent: Option<u32>) -> u32 {
        let (representative, row, bits) = match reached {
            Reached::Known(node) => return node,
            Reached::New { representative, row, bits } => (representative, row, bits),
        };
        if let Some(known) = self.by_state.get(row.as_slice()) {
            return *known;
        }
        let new = self.len();
        let count = self.counts.entry(representative).or_default();
        if representative == NOWHERE && *count >= UNSEEN_MAX {
            self.is_cut = true;
            return NOWHERE;
        }
        self.is_cut |= representative != NOWHERE && (*count >= STATES_APART || new >= self.n_nodes_apart);
        match self.by_bits.entry((representative, bits)) {
            _ if representative == NOWHERE => {}
            Entry::Occupied(alike) if *count >= STATES_APART || new >= self.n_nodes_apart => {
                return *alike.get();
            }
            Entry::Vacant(_) if *count >= NODES_MAX => return NOWHERE,
            alike => drop(alike.or_insert(new)),
        }
        *count += 1;
        self.nodes.push(Node { representative, parent: parent.unwrap_or(new) });
        self.rows.extend_from_slice(&row);
        self.by_state.insert(row.into(), new);
        new
    }

    fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The number of initial nodes. They come first.
    pub(crate) fn n_initial(&self) -> u32 {
        self.n_initial
    }

    /// Whether all states that were found are told apart, and all steps between them are there.
    pub(crate) fn is_exact(&self) -> bool {
        self.complete && !self.is_cut
    }

    /// The state of a node.
    pub(crate) fn row(&self, node: u32) -> &[Value] {
        let start = node as usize * self.n_vars;
        &self.rows[start..start + self.n_vars]
    }

    /// The node from which a node was first reached. An initial node has itself.
    pub(crate) fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    /// The state of the search that stands for a node, or [`NOWHERE`].
    pub(crate) fn representative(&self, node: u32) -> u32 {
        self.nodes[node as usize].representative
    }

    /// The states from an initial state to that of a node, both included.
    pub(crate) fn way_to(&self, node: u32) -> Vec<Vec<Value>> {
        let mut nodes = vec![node];
        let mut last = node;
        while self.parent(last) != last {
            last = self.parent(last);
            nodes.push(last);
        }
        nodes.iter().rev().map(|node| self.row(*node).to_vec()).collect()
    }

    /// The memory in use, without links and letters.
    pub(crate) fn memory_bytes(&self) -> u64 {
        // An entry of a map also has a byte of its own, and its key a header.
        let by_state = size_of::<(Box<[Value]>, u32)>() + 17 + self.n_vars * size_of::<Value>();
        let by_bits = size_of::<((u32, Box<[u8]>), u32)>() + 17 + 8;
        (self.rows.capacity() * size_of::<Value>()
            + self.nodes.capacity() * size_of::<Node>()
            + self.by_state.capacity() * by_state
            + self.by_bits.capacity() * by_bits
            + self.counts.capacity() * 9) as u64
    }
}
