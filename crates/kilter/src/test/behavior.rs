//! A behavior in the Informal Trace Format as the only case: a counterexample, or what `kilter follow --case` has written.

use std::path::Path;
use std::sync::Arc;

use kilter_check::state_graph::from_states;
use kilter_check::{Edge, Graph};
use kilter_conform::cases::{Case, of_walks};
use kilter_eval::{EvalError, Label, Program, Successors, Wanted, Worker};
use kilter_graph::{EdgeId, StateGraph, StateId};
use kilter_mapping::Mapping;
use kilter_mapping::mapping::{Deed, Rule};
use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;

use crate::error::{Context as _, InFile as _, Tried};
use crate::itf::{self, Read};
use crate::prepare::Prepared;
use crate::resources;

/// A behavior, with everything that the specification allows in its states.
pub(super) struct Played {
    /// The states of the behavior, and their successors.
    pub(super) graph: StateGraph,
    /// The states in which the specification may allow more than the graph says.
    pub(super) borders: Vec<bool>,
    /// The behavior.
    pub(super) case: Case,
}

/// Reads a behavior, and looks for it in the specification.
pub(super) fn read(path: &Path, prepared: &Prepared, store: &Store) -> Tried<Played> {
    let named = || path.display().to_string();
    let text = crate::read::text(path, "the behavior").map_err(|unreadable| unreadable.diagnostic.message)?.0;
    let states = itf::read(&text, &prepared.program.variables, store).in_file(path)?;
    let mut explorer = Explorer {
        program: &prepared.program,
        mapping: &prepared.mapping,
        worker: Worker::new(&prepared.program, store, resources::stack_bytes()),
        numbers: FxHashMap::default(),
        graph: Graph::default(),
        known: Vec::new(),
        successors: Successors::default(),
    };
    let Some(first) = states.first() else { return Err(format!("{}: it has no states", named()).into()) };
    let mut at = explorer.number(&first.row);
    explorer.graph.n_initial = 1;
    let mut walk = Vec::with_capacity(states.len());
    for (index, pair) in states.windows(2).enumerate() {
        let edge = explorer.step(at, &pair[1]).map_err(|error| error.message).with_context(named)?;
        let edge = edge.with_context(|| {
            let action = pair[1].action.as_ref().map(|(name, _)| format!(" by {name}")).unwrap_or_default();
            format!("{}: no step of the specification leads from state {index} to the next{action}", named())
        })?;
        at = explorer.graph.edges[edge].target;
        walk.push(edge);
    }
    // Nodes may offer what is allowed only after other things that they offer.
    for state in 0..AROUND_MAX {
        if state < explorer.graph.n_states {
            explorer.expand(state);
        }
    }
    let Explorer { graph, known, .. } = explorer;
    let places = places_by_source(&graph.edges);
    let edges: Vec<EdgeId> = walk.iter().map(|edge| EdgeId(places[*edge])).collect();
    let loaded = &prepared.loaded;
    let config = prepared.input.config_path();
    let graph = from_states(&prepared.program, store, &graph, false, &loaded.sources, &config);
    let case = of_walks(&graph, vec![(StateId(0), edges)], &Store::new())?.pop();
    let case = case.with_context(|| format!("{}: it has no steps", named()))?;
    Ok(Played { graph, borders: known.iter().map(|known| *known != Known::All).collect(), case })
}

/// Where each edge comes to lie when edges are sorted by their sources.
fn places_by_source(edges: &[Edge]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|edge| edges[*edge].source);
    let mut places = vec![0; edges.len()];
    for (place, edge) in order.into_iter().enumerate() {
        places[edge] = place as u32;
    }
    places
}

/// The successors of so many states are looked for, those of the behavior first.
const AROUND_MAX: u32 = 2_000;

/// Which successors of a state were found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    /// Not those by an action that nodes offer, because there is no end of them.
    Some,
    All,
}

/// Finds the successors of states.
struct Explorer<'e> {
    program: &'e Program,
    mapping: &'e Mapping,
    worker: Worker<'e>,
    numbers: FxHashMap<Box<[Value]>, u32>,
    graph: Graph,
    known: Vec<Known>,
    successors: Successors,
}

impl Explorer<'_> {
    fn number(&mut self, row: &[Value]) -> u32 {
        if let Some(number) = self.numbers.get(row) {
            return *number;
        }
        let number = self.graph.n_states;
        self.graph.n_states += 1;
        self.graph.rows.extend_from_slice(row);
        self.known.push(Known::Nothing);
        self.numbers.insert(row.into(), number);
        number
    }

    fn row(&self, state: u32) -> Vec<Value> {
        let n_vars = self.program.variables.len();
        self.graph.rows[state as usize * n_vars..][..n_vars].to_vec()
    }

    /// The edge from a state to the next one of the behavior.
    fn step(&mut self, from: u32, to: &Read) -> Result<Option<usize>, EvalError> {
        self.expand(from);
        let target = self.number(&to.row);
        if let Some(edge) = self.edge(from, target, to) {
            return Ok(Some(edge));
        }
        // An action may have no end of steps. With the arguments of this one it has.
        let wanted = self.program.actions.iter_ids().filter_map(|(id, action)| {
            let (name, args) = to.action.as_ref()?;
            let known = action.args.iter().enumerate().filter_map(|(index, (name, _))| {
                Some((index, args.iter().find(|(other, _)| other == name)?.1))
            });
            (action.name == *name).then(|| Wanted { action: id, args: known.collect() })
        });
        self.add_steps(from, &wanted.collect())?;
        Ok(self.edge(from, target, to))
    }

    fn edge(&self, from: u32, target: u32, to: &Read) -> Option<usize> {
        self.graph.edges.iter().position(|edge| {
            let name = self.program.actions.iter().nth(edge.action as usize).map(|action| &action.name);
            edge.source == from
                && edge.target == target
                && to.action.as_ref().is_none_or(|(wanted, _)| name.is_some_and(|name| name == wanted))
        })
    }

    /// Adds the successors of a state, by all actions that have an end of steps there.
    fn expand(&mut self, from: u32) {
        if self.known[from as usize] != Known::Nothing {
            return;
        }
        self.known[from as usize] = Known::All;
        for (id, action) in self.program.actions.iter_ids() {
            let is_offered = |rule: &Rule| matches!(rule.deed, Deed::Offer { .. } | Deed::Internal);
            let mut rules = self.mapping.rules.iter().filter(|rule| action.name == *rule.action);
            if self.add_steps(from, &[Wanted::any(id)].into()).is_err() && rules.any(is_offered) {
                self.known[from as usize] = Known::Some;
            }
        }
    }

    fn add_steps(&mut self, from: u32, wanted: &Arc<[Wanted]>) -> Result<(), EvalError> {
        let mut successors = std::mem::take(&mut self.successors);
        let found = self.worker.steps(&self.row(from), wanted, &mut successors);
        if found.is_ok() {
            let first = self.graph.edges.len();
            for (next, label) in successors.iter(self.program.variables.len()) {
                let target = self.number(next);
                let Label { action, args, blocks } = *label;
                let action = action.map_or(u32::MAX, |action| action.0);
                let edge = Edge { source: from, target, action, args, blocks, successor: None };
                if !self.graph.edges[first..].contains(&edge) {
                    self.graph.edges.push(edge);
                }
            }
        }
        self.successors = successors;
        found
    }
}
