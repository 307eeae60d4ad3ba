//! The edges of a state graph that a behavior walks.

use std::collections::BTreeSet;

use kilter_base::{Id as _, Name};
use kilter_eval::Program;
use kilter_follow::search::Told;
use kilter_graph::values::Restored;
use kilter_graph::{EdgeId, StateGraph, StateId};
use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;

use crate::error::Tried;
use crate::show::follow::Walked;

/// A behavior on its way through a graph. The graph may be bounded, so some of its states may lie outside.
pub(crate) struct Walk {
    graph: StateGraph,
    values: Restored,
    states: FxHashMap<Box<[Value]>, StateId>,
    /// The last state, if it is one of the graph.
    at: Option<StateId>,
    edges: BTreeSet<u32>,
    n_outside: u64,
}

impl Walk {
    /// Puts the values of the graph into the store with which the search begins. All stores of the search are copies of it, so a
    /// value of the graph has the same handle in each.
    pub(crate) fn new(graph: StateGraph, program: &Program, store: &Store) -> Tried<Walk> {
        if !graph.exchanges().is_empty() {
            let why =
                "a state of the graph stands for all that SYMMETRY makes the same; make it without SYMMETRY";
            return Err(why.into());
        }
        let place = |name: &Name| graph.variables().iter().position(|own| **own == *name.as_str());
        let places: Option<Vec<usize>> = program.variables.iter().map(place).collect();
        let Some(places) = places.filter(|places| places.len() == graph.variables().len()) else {
            return Err(format!(
                "the graph of {} has other variables than the specification",
                graph.origin()
            )
            .into());
        };
        let values = graph.values().restore(store)?;
        let row = |state| places.iter().map(|place| values[graph.value(state, *place)]).collect();
        let states = graph.states().map(|state| (row(state), state)).collect();
        Ok(Walk { graph, values, states, at: None, edges: BTreeSet::new(), n_outside: 0 })
    }

    /// Goes on to the next state.
    pub(crate) fn go(&mut self, told: &Told) {
        let to = self.states.get(told.row.as_slice()).copied();
        if let Some((name, args)) = &told.action {
            let ends = self.at.zip(to);
            match ends.and_then(|(from, to)| self.edge(from, to, name, args)) {
                Some(edge) => _ = self.edges.insert(edge.index() as u32),
                None => self.n_outside += 1,
            }
        }
        self.at = to;
    }

    fn edge(&self, from: StateId, to: StateId, name: &Name, args: &[(Name, Value)]) -> Option<EdgeId> {
        let fits = |edge: &EdgeId| {
            let (action, label) = (self.graph.action_of(*edge), self.graph.label(self.graph.label_id(*edge)));
            let own = action.params.iter().map(String::as_str).zip(self.graph.args(label));
            let own = own.map(|(name, value)| (name, self.values[value]));
            *action.name == *name.as_str() && own.eq(args.iter().map(|(name, value)| (name.as_str(), *value)))
        };
        self.graph.outgoing(from).filter(|edge| self.graph.target(*edge) == to).find(fits)
    }

    /// The graph.
    pub(crate) fn graph(&self) -> &StateGraph {
        &self.graph
    }

    /// How much of the graph was walked.
    pub(crate) fn walked(&self) -> Walked {
        let (walked, total) = (self.edges.len() as u64, self.graph.n_edges() as u64);
        Walked { walked, total, outside: self.n_outside }
    }

    /// The edges that were walked, by number.
    pub(crate) fn edges(&self) -> &BTreeSet<u32> {
        &self.edges
    }

    /// The number of steps that are no edges of the graph.
    pub(crate) fn n_outside(&self) -> u64 {
        self.n_outside
    }
}
