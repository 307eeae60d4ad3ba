//! The values of a graph. Each is stored once, parts before wholes, so a value's parts have smaller ids than the value.

use kilter_base::{Id, define_id};
use kilter_value::{Items, Store, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::lists::Lists;

define_id! {
    /// A value of a graph. Within one graph, ids are equal exactly if values are.
    ValueId
}

/// The kind of a value, which says what its words mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// One word: 0 or 1.
    Bool,
    /// One word: the bits of the integer.
    Int,
    /// One word: a name.
    String,
    /// One word: a name.
    Model,
    /// Two words: the bits of the smallest and of the largest integer.
    Interval,
    /// One word for each element.
    Set,
    /// One word for each element.
    Tuple,
    /// The shape, then a value for each of its names.
    Record,
    /// The domain, then a value for each of its elements.
    Function,
}

/// All values of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Values {
    /// The texts of strings, and the names of model values and fields, by first use.
    pub(crate) names: Vec<String>,
    /// The indices of all names in TLC's order, which decides the order of sets and of fields.
    pub(crate) collation: Vec<u32>,
    /// The field names of each kind of record.
    pub(crate) shapes: Lists,
    pub(crate) kinds: Vec<Kind>,
    /// The words of each value.
    pub(crate) words: Lists,
}

/// The error for values that no store can hold. Only a file that was made on purpose has them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the graph holds a set of values that cannot be compared: {message}")]
pub struct RestoreError {
    message: String,
}

impl Values {
    /// The number of values.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The texts of strings, and the names of model values and fields, in TLC's order.
    pub fn names(&self) -> Vec<&str> {
        self.collation.iter().map(|name| self.names[*name as usize].as_str()).collect()
    }

    /// The names of all model values, in TLC's order.
    pub fn model_names(&self) -> Vec<&str> {
        let of_models = self.kinds.iter().zip(self.words.iter()).filter(|(kind, _)| **kind == Kind::Model);
        let is_model: FxHashSet<u32> = of_models.map(|(_, words)| words[0]).collect();
        let names = self.collation.iter().filter(|name| is_model.contains(name));
        names.map(|name| self.names[*name as usize].as_str()).collect()
    }

    /// Puts all values into a store, by [`ValueId`]. From there they can be printed, compared, and written as JSON or
    /// ITF.
    ///
    /// A new store has them in TLC's order, as the specification had. In a store with names of its own, those decide
    /// the order.
    pub fn restore(&self, store: &Store) -> Result<Restored, RestoreError> {
        let mut names = vec![Value::UNSET; self.names.len()];
        for name in &self.collation {
            names[*name as usize] = store.string(&self.names[*name as usize]);
        }
        let mut values: Vec<Value> = Vec::with_capacity(self.len());
        for (kind, words) in self.kinds.iter().zip(self.words.iter()) {
            let value = self.restore_one(store, *kind, words, &names, &values)?;
            values.push(value);
        }
        Ok(Restored { values })
    }

    fn restore_one(
        &self,
        store: &Store,
        kind: Kind,
        words: &[u32],
        names: &[Value],
        known: &[Value],
    ) -> Result<Value, RestoreError> {
        let parts = |words: &[u32]| words.iter().map(|id| known[*id as usize]).collect::<Vec<Value>>();
        Ok(match kind {
            Kind::Bool => Value::bool(words[0] == 1),
            Kind::Int => store.int(words[0] as i32),
            Kind::String => names[words[0] as usize],
            Kind::Model => store.model_value(&self.names[words[0] as usize]),
            Kind::Interval => store.interval(words[0] as i32, words[1] as i32),
            Kind::Set => set(store, &mut parts(words))?,
            Kind::Tuple => store.tuple(&parts(words)),
            Kind::Record => {
                let shape = self.shapes.get(words[0]).iter().map(|name| names[*name as usize]);
                store.record(&mut shape.zip(parts(&words[1..])).collect())
            }
            Kind::Function => {
                // The domain has the order of the file. The store may have another one.
                let args = match self.kinds[words[0] as usize] {
                    Kind::Set => parts(self.words.get(words[0])),
                    _ => store.items(known[words[0] as usize]).into_iter().flat_map(Items::iter).collect(),
                };
                function(store, args, &parts(&words[1..]))?
            }
        })
    }

    /// Whether every value refers only to values that exist and come before it.
    pub(crate) fn is_sound(&self) -> bool {
        let n_names = self.names.len();
        let is_name = |name: &u32| (*name as usize) < n_names;
        let distinct: FxHashSet<&u32> = self.collation.iter().collect();
        self.shapes.is_sound()
            && self.words.is_sound()
            && self.collation.len() == n_names
            && distinct.len() == n_names
            && self.collation.iter().all(is_name)
            && self.shapes.iter().all(|shape| !shape.is_empty() && shape.iter().all(is_name))
            && self.words.len() == self.len()
            && self.words.iter().enumerate().all(|(index, words)| self.is_sound_value(index, words))
    }

    fn is_sound_value(&self, index: usize, words: &[u32]) -> bool {
        let known = |words: &[u32]| words.iter().all(|word| (*word as usize) < index);
        match (self.kinds[index], words) {
            (Kind::Bool, [bit]) => *bit < 2,
            (Kind::Int, [_]) => true,
            (Kind::String | Kind::Model, [name]) => (*name as usize) < self.names.len(),
            (Kind::Interval, [lo, hi]) => *lo as i32 <= *hi as i32,
            (Kind::Set | Kind::Tuple, words) => known(words),
            (Kind::Record, [shape, values @ ..]) => {
                (*shape as usize) < self.shapes.len()
                    && self.shapes.get(*shape).len() == values.len()
                    && known(values)
            }
            (Kind::Function, [domain, values @ ..]) => {
                known(words) && self.set_len(*domain) == Some(values.len() as u64)
            }
            _ => false,
        }
    }

    fn set_len(&self, id: u32) -> Option<u64> {
        let words = self.words.get(id);
        match (self.kinds[id as usize], words) {
            (Kind::Set, elems) => Some(elems.len() as u64),
            (Kind::Interval, [lo, hi]) => {
                Some((i64::from(*hi as i32) - i64::from(*lo as i32) + 1).unsigned_abs())
            }
            _ => None,
        }
    }
}

/// The values of a graph in a store, indexed by [`ValueId`].
#[derive(Clone, Debug)]
pub struct Restored {
    values: Vec<Value>,
}

impl std::ops::Index<ValueId> for Restored {
    type Output = Value;
    fn index(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }
}

fn set(store: &Store, elems: &mut Vec<Value>) -> Result<Value, RestoreError> {
    store.set(elems).map_err(|mismatch| RestoreError { message: store.mismatch_message(&mismatch) })
}

fn function(store: &Store, args: Vec<Value>, values: &[Value]) -> Result<Value, RestoreError> {
    let mut sorted = args.clone();
    let domain = set(store, &mut sorted)?;
    if sorted == args {
        return Ok(store.function(domain, values));
    }
    let pairs: FxHashMap<Value, Value> = args.into_iter().zip(values.iter().copied()).collect();
    let values: Vec<Value> = sorted.iter().map(|arg| pairs[arg]).collect();
    Ok(store.function(domain, &values))
}
