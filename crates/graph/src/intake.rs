//! Takes values from a store into a graph.
//!
//! Values are numbered by first use, parts before wholes. The numbers do not follow the store's handles, because those
//! depend on which worker made a value first, and the same specification must give the same graph.

use kilter_value::{Store, Value, View};
use rustc_hash::FxHashMap;

use crate::lists::Lists;
use crate::values::{Kind, ValueId, Values};

/// Takes values from a store.
pub struct Intake<'s> {
    store: &'s Store,
    ids: FxHashMap<Value, ValueId>,
    /// The index of each name, by the store's number.
    names: FxHashMap<u32, u32>,
    /// The store's number of each name.
    numbers: Vec<u32>,
    shape_ids: FxHashMap<Box<[u32]>, u32>,
    shapes: Lists,
    kinds: Vec<Kind>,
    words: Lists,
}

impl<'s> Intake<'s> {
    /// Makes an intake for this store.
    pub fn new(store: &'s Store) -> Self {
        Intake {
            store,
            ids: FxHashMap::default(),
            names: FxHashMap::default(),
            numbers: Vec::new(),
            shape_ids: FxHashMap::default(),
            shapes: Lists::default(),
            kinds: Vec::new(),
            words: Lists::default(),
        }
    }

    /// The id of a canonical value of the store.
    pub fn add(&mut self, value: Value) -> ValueId {
        if let Some(id) = self.ids.get(&value) {
            return *id;
        }
        // The loop keeps a list of open values and does not recurse, because values may be nested deeper than the
        // stack.
        let mut open = vec![value];
        let mut parts = Vec::new();
        while let Some(top) = open.last().copied() {
            parts.clear();
            self.push_parts(top, &mut parts);
            let n_open = open.len();
            open.extend(parts.iter().rev().filter(|part| !self.ids.contains_key(part)));
            if open.len() == n_open {
                open.pop();
                self.finish_one(top, &parts);
            }
        }
        self.ids[&value]
    }

    /// Appends the parts of a value, in order.
    fn push_parts(&self, value: Value, parts: &mut Vec<Value>) {
        match self.store.view(value) {
            View::Set(elems) => parts.extend(elems),
            View::Tuple(elems) => parts.extend(elems),
            View::Record { values, .. } => parts.extend(values),
            View::Function { domain, values } => {
                parts.push(domain);
                parts.extend(values);
            }
            _ => {}
        }
    }

    fn finish_one(&mut self, value: Value, parts: &[Value]) {
        if self.ids.contains_key(&value) {
            return;
        }
        let (kind, head) = self.head(value);
        let ids = &self.ids;
        let number = self.words.push(head.into_iter().flatten().chain(parts.iter().map(|part| ids[part].0)));
        self.kinds.push(kind);
        self.ids.insert(value, ValueId(number));
    }

    /// The kind of a value, and its words before those of its parts.
    fn head(&mut self, value: Value) -> (Kind, [Option<u32>; 2]) {
        match self.store.view(value) {
            View::Bool(b) => (Kind::Bool, [Some(u32::from(b)), None]),
            View::Int(i) => (Kind::Int, [Some(i as u32), None]),
            View::String(number) => (Kind::String, [Some(self.name(number)), None]),
            View::Model(number) => (Kind::Model, [Some(self.name(number)), None]),
            View::Interval { lo, hi } => (Kind::Interval, [Some(lo as u32), Some(hi as u32)]),
            View::Set(_) => (Kind::Set, [None, None]),
            View::Tuple(_) => (Kind::Tuple, [None, None]),
            View::Record { shape, .. } => {
                let names = shape.iter().filter_map(Value::as_string_number).map(|number| self.name(number));
                let names: Box<[u32]> = names.collect();
                (Kind::Record, [Some(self.shape(names)), None])
            }
            View::Function { .. } => (Kind::Function, [None, None]),
            other => unreachable!("states and arguments are canonical, not {other:?}"),
        }
    }

    fn name(&mut self, number: u32) -> u32 {
        *self.names.entry(number).or_insert_with(|| {
            self.numbers.push(number);
            self.numbers.len() as u32 - 1
        })
    }

    fn shape(&mut self, names: Box<[u32]>) -> u32 {
        if let Some(shape) = self.shape_ids.get(&names) {
            return *shape;
        }
        let shape = self.shapes.push(names.iter().copied());
        self.shape_ids.insert(names, shape);
        shape
    }

    /// All values that were taken.
    pub fn finish(self) -> Values {
        let mut collation: Vec<u32> = (0..self.numbers.len() as u32).collect();
        collation.sort_by_key(|name| self.numbers[*name as usize]);
        Values {
            names: self.numbers.iter().map(|number| self.store.name_text(*number).to_owned()).collect(),
            collation,
            shapes: self.shapes,
            kinds: self.kinds,
            words: self.words,
        }
    }
}
