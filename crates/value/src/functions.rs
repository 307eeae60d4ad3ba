//! Functions: application, `EXCEPT`, `DOMAIN`, `@@` and `:>`.

use crate::handle::Value;
use crate::hash;
use crate::long::WHOLE_MAX;
use crate::order::{Mismatch, Parts};
use crate::scratch::Scratch;
use crate::sequence::Sequence;
use crate::store::Store;
use crate::view::{Items, View};
use std::cmp::Ordering;

impl Store {
    /// Whether this is a function: a tuple, a record or any other.
    #[inline]
    pub fn is_function(&self, value: Value) -> bool {
        matches!(self.view(value), View::Tuple(_) | View::Record { .. } | View::Function { .. })
    }

    /// `function[arg]`. `None` if `arg` is not in the domain, or `function` is no function.
    #[inline]
    pub fn apply(&self, function: Value, arg: Value) -> Result<Option<Value>, Mismatch> {
        match self.view(function) {
            View::Tuple(elems) => match arg.as_small_int() {
                // An index of 0 wraps around, so it is out of bounds.
                Some(i) => {
                    let index = (i as usize).wrapping_sub(1);
                    Ok(if index < elems.len() { Some(elems.get(index)) } else { None })
                }
                None => Ok(self.tuple_index(elems.len(), arg)?.map(|index| elems.get(index))),
            },
            View::Record { shape, values } => Ok(self.find(shape, arg)?.map(|index| values.get(index))),
            View::Function { domain, values } => {
                Ok(self.index_in(domain, arg)?.map(|index| values.get(index)))
            }
            _ => Ok(None),
        }
    }

    /// `record.name`. `None` if there is no such field, or `record` is no record.
    #[inline]
    pub fn field(&self, record: Value, name: Value) -> Option<Value> {
        match self.view(record) {
            View::Record { shape, values } => {
                self.find(shape, name).ok().flatten().map(|index| values.get(index))
            }
            _ => None,
        }
    }

    /// `[function EXCEPT ![arg] = new]`. `None` if `arg` is not in the domain, or `function` is no function.
    #[inline]
    pub fn except(&self, function: Value, arg: Value, new: Value) -> Result<Option<Value>, Mismatch> {
        match self.view(function) {
            View::Tuple(elems) => {
                let index = self.tuple_index(elems.len(), arg)?;
                Ok(index.map(|index| {
                    if elems.len() > WHOLE_MAX {
                        return self.replace_in_long(function, elems, index, new);
                    }
                    self.replace(function, index, new)
                }))
            }
            View::Record { shape, .. } => {
                let index = self.find(shape, arg)?;
                Ok(index.map(|index| self.replace(function, index + 1, new)))
            }
            View::Function { domain, .. } => {
                let index = self.index_in(domain, arg)?;
                Ok(index.map(|index| self.replace(function, index + 1, new)))
            }
            _ => Ok(None),
        }
    }

    /// `DOMAIN function`. `None` if it is no function.
    pub fn domain(&self, function: Value) -> Option<Value> {
        match self.view(function) {
            View::Tuple(elems) => Some(self.interval(1, elems.len() as i32)),
            View::Record { .. } | View::Function { .. } => self.first_word(function),
            _ => None,
        }
    }

    /// The values of a function in the order of its domain. `None` if it is no function.
    pub fn range_elems(&self, function: Value) -> Option<Sequence<'_>> {
        self.parts(function).map(|parts| parts.values)
    }

    /// `left @@ right`. `None` if either is no function.
    pub fn merge(&self, left: Value, right: Value) -> Result<Option<Value>, Mismatch> {
        match (self.parts(left), self.parts(right)) {
            (Some(a), Some(b)) => self.merge_parts(a, b).map(Some),
            _ => Ok(None),
        }
    }

    /// `arg :> value`
    pub fn singleton_function(&self, arg: Value, value: Value) -> Value {
        self.function(self.set_sorted(&[arg]), &[value])
    }

    fn merge_parts(&self, a: Parts<'_>, b: Parts<'_>) -> Result<Value, Mismatch> {
        let (mut domain, mut values) = (Scratch::new(), Scratch::new());
        let (mut i, mut j) = (0, 0);
        while i < a.domain.len() || j < b.domain.len() {
            let order = if i == a.domain.len() {
                Ordering::Greater
            } else if j == b.domain.len() {
                Ordering::Less
            } else {
                self.compare(a.domain.get(i), b.domain.get(j))?
            };
            let (from, at) = if order == Ordering::Greater { (b, j) } else { (a, i) };
            domain.push(from.domain.get(at));
            values.push(from.values.get(at));
            i += usize::from(order != Ordering::Greater);
            j += usize::from(order != Ordering::Less);
        }
        Ok(self.function(self.set_sorted(domain.as_slice()), values.as_slice()))
    }

    /// The position of the element that `arg` selects from a tuple of this length. `None` if the index is out of
    /// bounds.
    #[inline]
    fn tuple_index(&self, len: usize, arg: Value) -> Result<Option<usize>, Mismatch> {
        match self.as_int(arg) {
            Some(i) => Ok(usize::try_from(i64::from(i) - 1).ok().filter(|index| *index < len)),
            None => self.not_in_domain(self.interval_items(1, len as i32), arg),
        }
    }

    /// The position of an argument in a canonical domain. `None` if it is not in the domain.
    #[inline]
    pub(crate) fn index_in(&self, domain: Value, arg: Value) -> Result<Option<usize>, Mismatch> {
        match self.view(domain) {
            View::Interval { lo, hi } => match self.as_int(arg) {
                Some(i) => Ok((lo <= i && i <= hi).then(|| (i64::from(i) - i64::from(lo)) as usize)),
                None => self.not_in_domain(self.interval_items(lo, hi), arg),
            },
            View::Set(elems) => {
                let arg = self.normalize(arg).unwrap_or(arg);
                self.find(elems, arg)
            }
            _ => Ok(None),
        }
    }

    /// Called if `arg` is known not to be in the domain. Returns the mismatch if `arg` is of the wrong kind, and `None`
    /// otherwise.
    #[cold]
    fn not_in_domain<T>(&self, domain: Items<'_>, arg: Value) -> Result<Option<T>, Mismatch> {
        if !domain.is_empty() {
            self.equal(domain.get(0), arg)?;
        }
        Ok(None)
    }

    /// A copy of a long sequence in which the element at `index` is `new`.
    fn replace_in_long(&self, value: Value, elems: Sequence<'_>, index: usize, new: Value) -> Value {
        if elems.get(index) == new {
            return value;
        }
        let word = new.as_word();
        let one = Sequence::flat(std::slice::from_ref(&word));
        self.join([(elems, 0..index), (one, 0..1), (elems, index + 1..elems.len())])
    }

    /// A copy of a record on the heap in which the word at `index` is `new`. Words are copied only if the result is not
    /// on the heap yet.
    #[inline]
    fn replace(&self, value: Value, index: usize, new: Value) -> Value {
        let Some(place) = value.as_heap() else { return value };
        let words = self.words(place);
        let old = words.get(index);
        if old == new {
            return value;
        }
        let sum = self
            .heap()
            .hash(place)
            .wrapping_sub(hash::term(index, self.hash(old)))
            .wrapping_add(hash::term(index, self.hash(new)));
        let changed =
            words.iter().enumerate().map(|(at, word)| if at == index { new.bits() } else { word.bits() });
        self.intern(self.heap().header(place), words.len(), sum, changed)
    }
}
