//! Converts the result of a search to a state graph that can be saved.

use std::path::Path;

use kilter_base::{FileId, Sources};
use kilter_eval::Program;
use kilter_graph::intake::Intake;
use kilter_graph::{ActionId, BlockId, Builder, OneWayId, StateGraph, StateId, ValueId};
use kilter_value::{Permutation, PermuteCache, Store, Value, View};
use rustc_hash::FxHashMap;

use crate::outcome::{Edge, Graph, Outcome, Verdict};

/// Makes the state graph of a search. It is the same for any number of workers. `None` if the search did not keep the
/// graph.
pub fn from_search(
    program: &Program,
    store: &Store,
    outcome: &Outcome,
    sources: &Sources,
    config: &Path,
) -> Option<StateGraph> {
    let graph = outcome.graph.as_ref()?;
    let is_complete = matches!(outcome.verdict, Verdict::Holds | Verdict::Postcondition { .. });
    Some(from_states(program, store, graph, is_complete, sources, config))
}

/// Makes a state graph of these states and transitions. `is_complete`: no successors are missing.
pub fn from_states(
    program: &Program,
    store: &Store,
    graph: &Graph,
    is_complete: bool,
    sources: &Sources,
    config: &Path,
) -> StateGraph {
    let variables = program.variables.iter().map(ToString::to_string).collect();
    // The first file is always that of the specification itself.
    let mut builder = Builder::new(file_name(sources, FileId(0)), variables);
    builder.set_config(config.file_name().unwrap_or_default().to_string_lossy());
    let mut keeper = Keeper {
        store,
        intake: Intake::new(store),
        actions: Vec::new(),
        unnamed: None,
        labels: FxHashMap::default(),
    };
    keeper.add_actions(program, &mut builder);
    add_blocks(program, sources, &mut builder);
    keeper.add_states(graph, program.variables.len(), &mut builder);
    let mut exchanges = Exchanges::new(graph, store, program.variables.len());
    for edge in &graph.edges {
        let label = keeper.label(edge, program, &mut builder);
        let (source, target) = (StateId(edge.source), StateId(edge.target));
        match edge.successor {
            None => builder.edge(source, target, label),
            Some(successor) => {
                let exchange = exchanges.of(target, successor);
                builder.exchanging_edge(source, target, label, exchange);
            }
        }
    }
    if !is_complete {
        builder.set_incomplete();
    }
    builder.finish(keeper.intake.finish())
}

struct Keeper<'s> {
    store: &'s Store,
    intake: Intake<'s>,
    /// The graph's action for each action of the program. An action that occurs in Next several times is one action of
    /// the graph.
    actions: Vec<ActionId>,
    /// The action for steps of Next that belong to no named action.
    unnamed: Option<ActionId>,
    labels: FxHashMap<(u32, Value, Value), OneWayId>,
}

impl Keeper<'_> {
    fn add_actions(&mut self, program: &Program, builder: &mut Builder) {
        for action in &program.actions {
            let params: Vec<String> = action.args.iter().map(|(name, _)| name.to_string()).collect();
            self.actions.push(builder.action(action.name.as_str(), params));
        }
    }

    fn add_states(&mut self, graph: &Graph, n_vars: usize, builder: &mut Builder) {
        for state in 0..graph.n_states as usize {
            let row = &graph.rows[state * n_vars..(state + 1) * n_vars];
            let row: Vec<ValueId> = row.iter().map(|value| self.intake.add(*value)).collect();
            builder.state(row.into_iter());
        }
        (0..graph.n_initial).for_each(|state| builder.initial(StateId(state)));
    }

    fn label(&mut self, edge: &Edge, program: &Program, builder: &mut Builder) -> OneWayId {
        let key = (edge.action, edge.args, edge.blocks);
        if let Some(label) = self.labels.get(&key) {
            return *label;
        }
        let action = self.actions.get(edge.action as usize).copied().unwrap_or_else(|| {
            let name = program.next.as_ref().map_or("Next", |next| next.name.as_str());
            *self.unnamed.get_or_insert_with(|| builder.action(name, Vec::new()))
        });
        let args: Vec<ValueId> = elems(self.store, edge.args).map(|arg| self.intake.add(arg)).collect();
        let blocks = elems(self.store, edge.blocks).filter_map(|block| self.store.as_int(block));
        let label = builder.label(action, args.into_iter(), blocks.map(|block| BlockId(block as u32)));
        self.labels.insert(key, label);
        label
    }
}

/// Finds the permutations that turn states into the ones that they stand for.
struct Exchanges<'s> {
    graph: &'s Graph,
    store: &'s Store,
    n_vars: usize,
    caches: Vec<PermuteCache>,
}

impl<'s> Exchanges<'s> {
    fn new(graph: &'s Graph, store: &'s Store, n_vars: usize) -> Self {
        let caches = vec![PermuteCache::default(); graph.permutations.len()];
        Exchanges { graph, store, n_vars, caches }
    }

    /// The first permutation that turns a state into its successor, as pairs of model values. It is empty if the two
    /// are equal, or if a VIEW makes them the same.
    fn of(&mut self, state: StateId, successor: Value) -> Vec<(String, String)> {
        let row = &self.graph.rows[state.0 as usize * self.n_vars..][..self.n_vars];
        let wanted: Vec<Value> = elems(self.store, successor).collect();
        if row == wanted {
            return Vec::new();
        }
        let fits = |(permutation, cache): (&Permutation, &mut PermuteCache)| {
            let is_image =
                |(from, to): (&Value, &Value)| self.store.permute(*from, permutation, cache) == *to;
            row.iter().zip(&wanted).all(is_image)
        };
        let found = self.graph.permutations.iter().zip(&mut self.caches).position(fits);
        found.map_or_else(Vec::new, |index| self.pairs(&self.graph.permutations[index]))
    }

    fn pairs(&self, permutation: &Permutation) -> Vec<(String, String)> {
        let name = |model: Value| self.store.model_name(model).unwrap_or_default().to_owned();
        permutation.pairs().map(|(from, to)| (name(from), name(to))).collect()
    }
}

/// The elements of a tuple.
fn elems(store: &Store, tuple: Value) -> impl Iterator<Item = Value> {
    let elems = match store.view(tuple) {
        View::Tuple(elems) => Some(elems),
        _ => None,
    };
    elems.into_iter().flatten()
}

fn add_blocks(program: &Program, sources: &Sources, builder: &mut Builder) {
    for origin in &program.blocks {
        let span = program.origins.span(*origin);
        let position = sources.file(span.file).position(span.start);
        builder.block(&file_name(sources, span.file), position.line, position.column);
    }
}

/// The name of a file without its folder, so that a specification gives the same graph wherever it lies.
fn file_name(sources: &Sources, file: FileId) -> String {
    let path = &sources.file(file).name;
    Path::new(path).file_name().map_or_else(|| path.clone(), |name| name.to_string_lossy().into_owned())
}
