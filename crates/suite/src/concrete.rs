//! Gives values to the steps of tests: what the system under test is told, and what its state is compared with.
//!
//! In a graph that symmetry has made smaller, an edge leads to a state that stands for its successor. The successor is
//! that state with model values exchanged. Along a path the exchanges add up, and each step is written with the
//! exchanges of all steps before it. So a test is a behavior of the specification, as if it came from a full graph.

use kilter_graph::values::Restored;
use kilter_graph::{Action, EdgeId, RestoreError, StateGraph, StateId};
use kilter_value::{Permutation, PermuteCache, Store, Value};
use rustc_hash::FxHashMap;

/// A graph whose paths can be written with values.
pub struct Concrete<'g> {
    graph: &'g StateGraph,
    store: &'g Store,
    values: Restored,
    /// The exchanges that edges make, by number; empty if the graph is full.
    exchanges: Vec<Permutation>,
    /// All exchanges met so far, each with a cache of permuted values. The first one changes nothing.
    known: Vec<(Permutation, PermuteCache)>,
    /// For an edge's exchange and a known one, the known exchange that does both.
    products: FxHashMap<(u32, u32), u32>,
}

/// A step of a test.
#[derive(Debug)]
pub struct ConcreteStep<'g> {
    /// The edge that the step takes.
    pub edge: EdgeId,
    /// The action.
    pub action: &'g Action,
    /// The action's arguments.
    pub args: Vec<Value>,
}

impl<'g> Concrete<'g> {
    /// Restores the graph's values in a store.
    pub fn new(graph: &'g StateGraph, store: &'g Store) -> Result<Self, RestoreError> {
        let values = graph.values().restore(store)?;
        let model = |name: &String| store.model_value(name);
        let exchanges: Vec<Permutation> = graph
            .exchanges()
            .iter()
            .map(|pairs| Permutation::new(pairs.iter().map(|(from, to)| (model(from), model(to)))))
            .collect();
        let known = vec![(Permutation::default(), PermuteCache::default())];
        Ok(Concrete { graph, store, values, exchanges, known, products: FxHashMap::default() })
    }

    /// The graph.
    pub fn graph(&self) -> &'g StateGraph {
        self.graph
    }

    /// The store.
    pub fn store(&self) -> &'g Store {
        self.store
    }

    /// Writes the values of a state to `row`.
    pub fn state(&self, state: StateId, row: &mut Vec<Value>) {
        row.clear();
        row.extend(self.graph.state(state).map(|value| self.values[value]));
    }

    /// The next step of a test. `exchange` is the number of the exchange that all steps so far make together, and is 0
    /// at the start. `row` becomes the state after the step.
    pub fn step(&mut self, edge: EdgeId, exchange: &mut u32, row: &mut Vec<Value>) -> ConcreteStep<'g> {
        let label = self.graph.label(self.graph.label_id(edge));
        let args = self.graph.args(label).map(|arg| self.values[arg]).collect::<Vec<Value>>();
        let args = args.into_iter().map(|arg| self.exchanged(arg, *exchange)).collect();
        if !self.exchanges.is_empty() {
            *exchange = self.product(self.graph.exchange(edge), *exchange);
        }
        self.state(self.graph.target(edge), row);
        for value in row.iter_mut() {
            *value = self.exchanged(*value, *exchange);
        }
        ConcreteStep { edge, action: self.graph.action(label.action()), args }
    }

    fn exchanged(&mut self, value: Value, exchange: u32) -> Value {
        if exchange == 0 {
            return value;
        }
        let (permutation, cache) = &mut self.known[exchange as usize];
        self.store.permute(value, permutation, cache)
    }

    /// The number of the exchange that first does an edge's exchange and then a known one.
    fn product(&mut self, first: u32, then: u32) -> u32 {
        if let Some(product) = self.products.get(&(first, then)) {
            return *product;
        }
        let permutation = self.exchanges[first as usize].then(&self.known[then as usize].0);
        let is_same = |(other, _): &(Permutation, PermuteCache)| {
            *other == permutation || (other.is_identity() && permutation.is_identity())
        };
        let number = self.known.iter().position(is_same).unwrap_or_else(|| {
            self.known.push((permutation.clone(), PermuteCache::default()));
            self.known.len() - 1
        }) as u32;
        self.products.insert((first, then), number);
        number
    }
}
