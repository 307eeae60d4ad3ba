//! Finds what steps change, to tell apart steps with the same name and different effects.
//!
//! TLC's dumps leave out most arguments. So two steps of one action that change different things count as two instances
//! of the action. Steps from different states are the same instance if they change the same things in the same way.

use kilter_graph::values::Restored;
use kilter_graph::{EdgeId, StateGraph};
use kilter_value::{Store, Value, View};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

/// Computes the effects of steps.
pub struct Effects<'g> {
    graph: &'g StateGraph,
    store: &'g Store,
    values: Restored,
    known: FxHashMap<(Value, Value), u64>,
}

impl<'g> Effects<'g> {
    /// Makes a table of effects for this graph's edges. `values` are the graph's values in `store`.
    pub fn new(graph: &'g StateGraph, store: &'g Store, values: Restored) -> Self {
        Effects { graph, store, values, known: FxHashMap::default() }
    }

    /// A hash of what an edge changes.
    pub fn of(&mut self, edge: EdgeId) -> u64 {
        let graph = self.graph;
        let before = graph.state(graph.source(edge));
        let after = graph.state(graph.target(edge));
        let mut hash = Xxh3::new();
        for (variable, (before, after)) in before.zip(after).enumerate() {
            if before != after {
                let change = self.change(self.values[before], self.values[after]);
                put(&mut hash, &[variable as u64, change]);
            }
        }
        hash.digest()
    }

    /// A hash of the change from one value to another.
    fn change(&mut self, before: Value, after: Value) -> u64 {
        if let Some(change) = self.known.get(&(before, after)) {
            return *change;
        }
        let change = self.find_change(before, after);
        self.known.insert((before, after), change);
        change
    }

    fn find_change(&mut self, before: Value, after: Value) -> u64 {
        let mut hash = Xxh3::new();
        match (self.store.view(before), self.store.view(after)) {
            (View::Int(x), View::Int(y)) => {
                put(&mut hash, &[1, i64::from(y).wrapping_sub(i64::from(x)) as u64]);
            }
            (View::Function { domain: x, values: xs }, View::Function { domain: y, values: ys })
                if x == y =>
            {
                put(&mut hash, &[2]);
                for (index, (x, y)) in xs.iter().zip(ys.iter()).enumerate().filter(|(_, (x, y))| x != y) {
                    put(&mut hash, &[index as u64, self.change(x, y)]);
                }
            }
            (View::Record { shape: x, values: xs }, View::Record { shape: y, values: ys }) if x.same(y) => {
                put(&mut hash, &[3]);
                for (index, (x, y)) in xs.iter().zip(ys.iter()).enumerate().filter(|(_, (x, y))| x != y) {
                    put(&mut hash, &[index as u64, self.change(x, y)]);
                }
            }
            (View::Set(xs), View::Set(ys)) => {
                put(&mut hash, &[4]);
                let (xs, ys) = (xs.to_vec(), ys.to_vec());
                xs.iter().filter(|x| !ys.contains(x)).for_each(|x| put(&mut hash, &[0, bits(*x)]));
                ys.iter().filter(|y| !xs.contains(y)).for_each(|y| put(&mut hash, &[1, bits(*y)]));
            }
            (View::Tuple(xs), View::Tuple(ys))
                if ys.len() > xs.len() && xs.iter().zip(ys.iter()).all(|(x, y)| x == y) =>
            {
                put(&mut hash, &[5]);
                ys.iter().skip(xs.len()).for_each(|y| put(&mut hash, &[bits(y)]));
            }
            _ => put(&mut hash, &[6, bits(before), bits(after)]),
        }
        hash.digest()
    }
}

fn bits(value: Value) -> u64 {
    u64::from(value.bits())
}

fn put(hash: &mut Xxh3, numbers: &[u64]) {
    for number in numbers {
        hash.update(&number.to_le_bytes());
    }
}
