//! The elements of a set in TLC's order, produced one at a time.
//!
//! TLC enumerates `SUBSET S` by size and then in dictionary order. It enumerates functions, records and tuples with the
//! last component changing fastest. Both are the order of [`Store::compare`].

use crate::handle::Value;
use crate::sets::SetError;
use crate::store::Store;
use crate::view::{Elems, View};

/// The position in an enumeration. It holds no reference to the store, so it can be kept across calls.
#[derive(Clone, Debug)]
pub struct SetIter {
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Interval { next: i64, hi: i64 },
    Elems { set: Value, next: usize },
    Subsets(Box<Subsets>),
    Combinations(Box<Combinations>),
}

/// All subsets of a canonical set.
#[derive(Clone, Debug)]
struct Subsets {
    base: Value,
    n: usize,
    /// The indices of the next subset's elements. Longer than `n` when all subsets have been seen.
    indices: Vec<usize>,
    elems: Vec<Value>,
}

/// All ways to choose one element of each component. The last component changes fastest.
#[derive(Clone, Debug)]
struct Combinations {
    starts: Vec<SetIter>,
    iters: Vec<SetIter>,
    /// The elements of the next combination.
    values: Vec<Value>,
    /// The domain of the functions to build. `None` to build tuples.
    domain: Option<Value>,
    done: bool,
}

/// Sets of functions with a larger domain are not enumerated. TLC's limit is a million.
const DOMAIN_MAX: usize = 1 << 20;

impl Store {
    /// Starts to enumerate a set. Fails at once if any part of the set cannot be enumerated.
    #[inline]
    pub fn iterate(&self, set: Value) -> Result<SetIter, SetError> {
        let state = match self.view(set) {
            View::Interval { lo, hi } => State::Interval { next: i64::from(lo), hi: i64::from(hi) },
            View::Set(_) => State::Elems { set, next: 0 },
            _ => return self.iterate_slowly(set),
        };
        Ok(SetIter { state })
    }

    fn iterate_slowly(&self, set: Value) -> Result<SetIter, SetError> {
        match self.view(set) {
            View::Powerset(base) => {
                let base = self.normalize(base)?;
                let n = self.cardinality(base)?;
                let subsets = Subsets { base, n, indices: Vec::new(), elems: Vec::new() };
                Ok(SetIter { state: State::Subsets(Box::new(subsets)) })
            }
            View::FunctionSet { domain, range } => {
                let domain = self.normalize(domain)?;
                let n = self.cardinality(domain)?;
                if n > DOMAIN_MAX {
                    return Err(SetError::TooLarge(set));
                }
                let start = self.iterate(range)?;
                Ok(self.combinations(vec![start; n], Some(domain)))
            }
            View::RecordSet { sets, .. } => {
                Ok(self.combinations(self.iterate_each(sets)?, self.first_word(set)))
            }
            View::Product(sets) => Ok(self.combinations(self.iterate_each(sets)?, None)),
            View::Cup(..) | View::Cap(..) | View::Diff(..) => self.iterate(self.normalize(set)?),
            View::SeqSet(_) | View::Infinite(_) => Err(SetError::Infinite(set)),
            _ => Err(SetError::NotASet(set)),
        }
    }

    fn iterate_each(&self, sets: Elems<'_>) -> Result<Vec<SetIter>, SetError> {
        sets.iter().map(|set| self.iterate(set)).collect()
    }

    fn combinations(&self, starts: Vec<SetIter>, domain: Option<Value>) -> SetIter {
        let mut iters = starts.clone();
        let values: Vec<Value> = iters.iter_mut().map_while(|iter| iter.next(self)).collect();
        let done = values.len() < starts.len();
        SetIter { state: State::Combinations(Box::new(Combinations { starts, iters, values, domain, done })) }
    }
}

impl SetIter {
    /// The next element. `None` at the end.
    #[inline]
    pub fn next(&mut self, store: &Store) -> Option<Value> {
        match &mut self.state {
            State::Interval { next, hi } => {
                if *next > *hi {
                    return None;
                }
                let value = store.int(*next as i32);
                *next += 1;
                Some(value)
            }
            State::Elems { set, next } => match store.view(*set) {
                View::Set(elems) if *next < elems.len() => {
                    let value = elems.get(*next);
                    *next += 1;
                    Some(value)
                }
                _ => None,
            },
            State::Subsets(subsets) => subsets.next(store),
            State::Combinations(combinations) => combinations.next(store),
        }
    }

    /// Skips `n_elems` elements without making values for them.
    pub fn skip(&mut self, n_elems: usize, store: &Store) {
        match &mut self.state {
            State::Interval { next, .. } => *next += n_elems as i64,
            State::Elems { next, .. } => *next += n_elems,
            State::Subsets(subsets) => {
                for _ in 0..n_elems {
                    if !subsets.is_done() {
                        subsets.advance();
                    }
                }
            }
            State::Combinations(combinations) => {
                for _ in 0..n_elems {
                    combinations.advance(store);
                }
            }
        }
    }
}

impl Subsets {
    fn next(&mut self, store: &Store) -> Option<Value> {
        if self.is_done() {
            return None;
        }
        let items = store.items(self.base)?;
        self.elems.clear();
        self.elems.extend(self.indices.iter().map(|index| items.get(*index)));
        self.advance();
        Some(store.set_sorted(&self.elems))
    }

    fn is_done(&self) -> bool {
        self.indices.len() > self.n
    }

    /// Moves to the next subset of the same size, or to the first one of the next size.
    fn advance(&mut self) {
        let k = self.indices.len();
        if let Some(at) = (0..k).rev().find(|&at| self.indices[at] + (k - at) < self.n) {
            let from = self.indices[at] + 1;
            for (offset, index) in self.indices[at..].iter_mut().enumerate() {
                *index = from + offset;
            }
        } else {
            self.indices.clear();
            self.indices.extend(0..=k);
        }
    }
}

impl Combinations {
    fn next(&mut self, store: &Store) -> Option<Value> {
        if self.done {
            return None;
        }
        let value = match self.domain {
            Some(domain) => store.function(domain, &self.values),
            None => store.tuple(&self.values),
        };
        self.advance(store);
        Some(value)
    }

    fn advance(&mut self, store: &Store) {
        for at in (0..self.values.len()).rev() {
            if let Some(value) = self.iters[at].next(store) {
                self.values[at] = value;
                return;
            }
            self.iters[at] = self.starts[at].clone();
            if let Some(first) = self.iters[at].next(store) {
                self.values[at] = first;
            }
        }
        self.done = true;
    }
}
