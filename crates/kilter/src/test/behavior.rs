//! A behavior in the Informal Trace Format as the only case: a counterexample, or what `kilter follow --case` has written.

use std::path::Path;

use kilter_check::state_graph::from_states;
use kilter_check::{Edge, Graph};
use kilter_conform::cases::{Case, of_walks};
use kilter_eval::{Label, Program, Successors, Wanted, Worker};
use kilter_graph::{EdgeId, StateGraph, StateId};
use kilter_value::{Store, Value};
use rustc_hash::FxHashMap;

use crate::error::{Context as _, Tried};
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
    let states = itf::read(&text, &prepared.program.variables, store).with_context(named)?;
    let mut explorer = Explorer {
        program: &prepared.program,
        worker: Worker::new(&prepared.program, store, resources::stack_bytes()),
        numbers: FxHashMap::default(),
        graph: Graph::default(),
        expanded: Vec::new(),
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
    // What may be offered in the last state counts, too.
    if !explorer.expanded[at as usize] {
        explorer.expand(at, None).map_err(|error| error.message).with_context(named)?;
    }
    let Explorer { graph, expanded, .. } = explorer;
    let places = places_by_source(&graph.edges);
    let edges: Vec<EdgeId> = walk.iter().map(|edge| EdgeId(places[*edge])).collect();
    let loaded = &prepared.loaded;
    let config = prepared.input.config_path();
    let graph = from_states(&prepared.program, store, &graph, false, &loaded.sources, &config);
    let case = of_walks(&graph, vec![(StateId(0), edges)], &Store::new())?.pop();
    let case = case.with_context(|| format!("{}: it has no steps", named()))?;
    Ok(Played { graph, borders: expanded.iter().map(|is_whole| !is_whole).collect(), case })
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

/// Finds the successors of states.
struct Explorer<'e> {
    program: &'e Program,
    worker: Worker<'e>,
    numbers: FxHashMap<Box<[Value]>, u32>,
    graph: Graph,
    /// Whether all successors of a state are known.
    expanded: Vec<bool>,
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
        self.expanded.push(false);
        self.numbers.insert(row.into(), number);
        number
    }

    /// The edge from a state to the next one of the behavior.
    fn step(&mut self, from: u32, to: &Read) -> Result<Option<usize>, kilter_eval::EvalError> {
        if !self.expanded[from as usize] {
            self.expand(from, Some(to))?;
        }
        let target = self.number(&to.row);
        let fits = |edge: &Edge| {
            let name = self.program.actions.iter().nth(edge.action as usize).map(|action| &action.name);
            edge.source == from
                && edge.target == target
                && to.action.as_ref().is_none_or(|(wanted, _)| name.is_some_and(|name| name == wanted))
        };
        Ok(self.graph.edges.iter().position(fits))
    }

    /// Adds the successors of a state: all of them, or those of one action if there is no end of the others.
    fn expand(&mut self, from: u32, to: Option<&Read>) -> Result<(), kilter_eval::EvalError> {
        let n_vars = self.program.variables.len();
        let row = self.graph.rows[from as usize * n_vars..][..n_vars].to_vec();
        let mut successors = std::mem::take(&mut self.successors);
        let any: std::sync::Arc<[Wanted]> = self.program.actions.ids().map(Wanted::any).collect();
        match (self.worker.steps(&row, &any, &mut successors), to) {
            (Ok(()), _) => self.expanded[from as usize] = true,
            (Err(error), None) => drop(error),
            (Err(error), Some(to)) => {
                let Some((name, args)) = &to.action else { return Err(error) };
                let wanted = self.program.actions.iter_ids().filter(|(_, action)| action.name == *name);
                let wanted = wanted.map(|(id, action)| {
                    let known = action.args.iter().enumerate().filter_map(|(index, (name, _))| {
                        Some((index, args.iter().find(|(other, _)| other == name)?.1))
                    });
                    Wanted { action: id, args: known.collect() }
                });
                self.worker.steps(&row, &wanted.collect(), &mut successors)?;
            }
        }
        for (next, label) in successors.iter(n_vars) {
            let target = self.number(next);
            let Label { action, args, blocks } = *label;
            let action = action.map_or(u32::MAX, |action| action.0);
            let edge = Edge { source: from, target, action, args, blocks, successor: None };
            if !self.graph.edges.contains(&edge) {
                self.graph.edges.push(edge);
            }
        }
        self.successors = successors;
        Ok(())
    }
}
