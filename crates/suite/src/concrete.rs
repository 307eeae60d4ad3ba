//! Tests with values: what a system under test is told, and what it is compared with.
//!
//! In a graph that symmetry has made smaller, an edge leads to a state that stands for its successor: the successor is that state
//! with model values exchanged. Along a path the exchanges add up, and each step is told in terms of the ones before it, so that a test
//! is one behavior of the specification, as from a full graph.

use kilter_graph::values::Restored;
use kilter_graph::{Action, EdgeId, RestoreError, StateGraph, StateId};
use kilter_value::{Permutation, PermuteCache, Store, Value};
use rustc_hash::FxHashMap;

/// A graph whose paths can be given concrete values.
pub struct Concrete<'g> {
    graph: &'g StateGraph,
    store: &'g Store,
    values: Restored,
    /// The exchanges that edges make, by number; empty if the graph is full.
    exchanges: Vec<Permutation>,
    /// All exchanges met so far, the first of which is none, with what they turn values into.
    known: Vec<(Permutation, PermuteCache)>,
    /// The exchange that one exchange followed by another makes.
    products: FxHashMap<(u32, u32), u32>,
}

/// A step of a test.
#[derive(Debug)]
pub struct ConcreteStep<'g> {
    /// The edge of the graph that it comes from.
    pub edge: EdgeId,
    /// The action's name.
    pub action: &'g Action,
    /// The action's arguments.
    pub args: Vec<Value>,
}

impl<'g> Concrete<'g> {
    /// Puts the graph's values into a store.
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

    /// The next step of a test. `exchange` is the exchange that all steps so far make, 0 at the start; `row` becomes the state after
    /// the step.
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

    /// The number of an edge's exchange followed by a known one.
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
