//! The parts of a value.

use crate::handle::Value;
use crate::heap::Kind;
use crate::sequence::Sequence;
use crate::store::Store;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

/// The outermost layer of a value.
#[derive(Clone, Copy, Debug)]
pub enum View<'s> {
    /// `TRUE` or `FALSE`
    Bool(bool),
    /// An integer.
    Int(i32),
    /// A string, by number.
    String(u32),
    /// A model value, by number.
    Model(u32),
    /// A set that TLC knows but cannot enumerate.
    Infinite(Infinite),
    /// A value of the evaluator's own, by its number. [`Value::UNSET`] has the number `u32::MAX`.
    Transient(u32),
    /// A non-empty set of consecutive integers.
    Interval {
        /// The smallest integer.
        lo: i32,
        /// The largest integer.
        hi: i32,
    },
    /// Any other finite set, in order.
    Set(Elems<'s>),
    /// A tuple, which is a function whose domain is `1..n`. Also the empty function.
    Tuple(Sequence<'s>),
    /// A function whose domain is a non-empty set of strings.
    Record {
        /// The field names, in order.
        shape: Elems<'s>,
        /// The values in the order of the names.
        values: Elems<'s>,
    },
    /// Any other function.
    Function {
        /// The domain, canonical.
        domain: Value,
        /// The values in the order of the domain.
        values: Elems<'s>,
    },
    /// `SUBSET S`
    Powerset(Value),
    /// `[domain -> range]`
    FunctionSet {
        /// The domain.
        domain: Value,
        /// The range.
        range: Value,
    },
    /// `[a : S, b : T]`
    RecordSet {
        /// The field names, in order.
        shape: Elems<'s>,
        /// The fields' sets in the order of the names.
        sets: Elems<'s>,
    },
    /// `S \X T`
    Product(Elems<'s>),
    /// `Seq(S)`
    SeqSet(Value),
    /// `S \cup T` where an operand is lazy or infinite.
    Cup(Value, Value),
    /// `S \cap T` where both operands are lazy or infinite.
    Cap(Value, Value),
    /// `S \ T` where `S` is lazy or infinite.
    Diff(Value, Value),
}

/// The sets that TLC knows but cannot enumerate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Infinite {
    /// `Nat`
    Nat,
    /// `Int`
    Int,
    /// `Real`
    Real,
    /// `STRING`
    String,
    /// `Any`
    Any,
}

/// The values inside a value, read where they lie on the heap.
#[derive(Clone, Copy)]
pub struct Elems<'s> {
    words: &'s [AtomicU32],
}

impl<'s> Elems<'s> {
    /// The number of values.
    #[inline]
    pub fn len(self) -> usize {
        self.words.len()
    }

    /// Whether there are no values.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// The value at `index`, which counts from 0 and must be less than [`Elems::len`].
    #[inline]
    pub fn get(self, index: usize) -> Value {
        Value::from_bits(self.words[index].load(Ordering::Relaxed))
    }

    /// The first value.
    #[inline]
    pub fn first(self) -> Option<Value> {
        self.words.first().map(|word| Value::from_bits(word.load(Ordering::Relaxed)))
    }

    /// The last value.
    #[inline]
    pub fn last(self) -> Option<Value> {
        self.words.last().map(|word| Value::from_bits(word.load(Ordering::Relaxed)))
    }

    /// The values in order.
    #[inline]
    pub fn iter(self) -> ElemsIter<'s> {
        ElemsIter { words: self.words.iter() }
    }

    /// Whether both lie at the same place on the heap. Records with the same fields share their shape.
    #[inline]
    pub fn same(self, other: Elems<'_>) -> bool {
        std::ptr::eq(self.words, other.words)
    }

    /// The index of the value with exactly this handle.
    #[inline]
    pub fn position(self, value: Value) -> Option<usize> {
        self.words.iter().position(|word| word.load(Ordering::Relaxed) == value.bits())
    }

    /// The values from `start` to `end`, counted from 0, without the one at `end`. The range must lie inside.
    #[inline]
    #[must_use]
    pub fn slice(self, start: usize, end: usize) -> Elems<'s> {
        Elems { words: &self.words[start..end] }
    }

    /// The index of the value whose `key` is `sought`, in a list sorted by `key`.
    #[inline]
    pub fn binary_search_by_key<K: Ord>(self, sought: &K, key: impl Fn(Value) -> K) -> Option<usize> {
        self.words
            .binary_search_by_key(sought, |word| key(Value::from_bits(word.load(Ordering::Relaxed))))
            .ok()
    }

    /// The values as a vector.
    pub fn to_vec(self) -> Vec<Value> {
        self.iter().collect()
    }
}

impl<'s> From<Elems<'s>> for Sequence<'s> {
    #[inline]
    fn from(elems: Elems<'s>) -> Sequence<'s> {
        Sequence::flat(elems.words)
    }
}

impl std::fmt::Debug for Elems<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'s> IntoIterator for Elems<'s> {
    type Item = Value;
    type IntoIter = ElemsIter<'s>;
    fn into_iter(self) -> ElemsIter<'s> {
        self.iter()
    }
}

/// Iterates over [`Elems`].
#[derive(Clone)]
pub struct ElemsIter<'s> {
    words: slice::Iter<'s, AtomicU32>,
}

impl Iterator for ElemsIter<'_> {
    type Item = Value;
    #[inline]
    fn next(&mut self) -> Option<Value> {
        self.words.next().map(|word| Value::from_bits(word.load(Ordering::Relaxed)))
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.words.size_hint()
    }
}

impl ExactSizeIterator for ElemsIter<'_> {}

impl DoubleEndedIterator for ElemsIter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Value> {
        self.words.next_back().map(|word| Value::from_bits(word.load(Ordering::Relaxed)))
    }
}

/// The elements of a canonical set: stored values, or the integers of an interval.
#[derive(Clone, Copy)]
pub enum Items<'s> {
    /// `lo`, `lo + 1`, …
    Interval {
        /// The store that makes the integers.
        store: &'s Store,
        /// The smallest integer.
        lo: i32,
        /// The number of integers.
        len: usize,
    },
    /// Stored elements.
    Elems(Elems<'s>),
}

impl<'s> Items<'s> {
    /// The number of elements.
    #[inline]
    pub fn len(self) -> usize {
        match self {
            Items::Interval { len, .. } => len,
            Items::Elems(elems) => elems.len(),
        }
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The element at `index`, which counts from 0 and must be less than [`Items::len`].
    #[inline]
    pub fn get(self, index: usize) -> Value {
        match self {
            Items::Interval { store, lo, .. } => store.int((i64::from(lo) + index as i64) as i32),
            Items::Elems(elems) => elems.get(index),
        }
    }

    /// The elements in order.
    #[inline]
    pub fn iter(self) -> impl ExactSizeIterator<Item = Value> + Clone + use<'s> {
        (0..self.len()).map(move |index| self.get(index))
    }
}

impl Store {
    /// The outermost layer of the value.
    #[allow(clippy::inline_always, reason = "where a caller asks for one or two forms, the others fold away")]
    #[inline(always)]
    pub fn view(&self, value: Value) -> View<'_> {
        match value.as_heap() {
            Some(place) => self.view_heap(place),
            None => view_immediate(value),
        }
    }

    /// The integer, if this is one.
    #[inline]
    pub fn as_int(&self, value: Value) -> Option<i32> {
        match value.as_small_int() {
            Some(i) => Some(i),
            None => match self.view(value) {
                View::Int(i) => Some(i),
                _ => None,
            },
        }
    }

    /// The elements of a canonical set. `None` for other values.
    #[inline]
    pub fn items(&self, set: Value) -> Option<Items<'_>> {
        match self.view(set) {
            View::Set(elems) => Some(Items::Elems(elems)),
            View::Interval { lo, hi } => Some(self.interval_items(lo, hi)),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn interval_items(&self, lo: i32, hi: i32) -> Items<'_> {
        Items::Interval { store: self, lo, len: interval_len(lo, hi) }
    }

    #[allow(clippy::inline_always, reason = "as for `view`")]
    #[inline(always)]
    fn view_heap(&self, place: u32) -> View<'_> {
        let (kind, words) = self.heap().record(place);
        let all = Elems { words };
        match kind {
            Kind::Int => View::Int(raw(words, 0)),
            Kind::Interval => View::Interval { lo: raw(words, 0), hi: raw(words, 1) },
            Kind::Set => View::Set(all),
            Kind::Tuple => View::Tuple(Sequence::flat(words)),
            Kind::Long => View::Tuple(Sequence::long(words, self.heap())),
            Kind::Record => {
                View::Record { shape: self.elems_at(all.get(0)), values: all.slice(1, all.len()) }
            }
            Kind::Function => View::Function { domain: all.get(0), values: all.slice(1, all.len()) },
            Kind::Powerset => View::Powerset(all.get(0)),
            Kind::FunctionSet => View::FunctionSet { domain: all.get(0), range: all.get(1) },
            Kind::RecordSet => {
                View::RecordSet { shape: self.elems_at(all.get(0)), sets: all.slice(1, all.len()) }
            }
            Kind::Product => View::Product(all),
            Kind::SeqSet => View::SeqSet(all.get(0)),
            Kind::Cup => View::Cup(all.get(0), all.get(1)),
            Kind::Cap => View::Cap(all.get(0), all.get(1)),
            Kind::Diff => View::Diff(all.get(0), all.get(1)),
        }
    }

    /// The names of a shape, which is a stored set of strings.
    #[inline]
    fn elems_at(&self, set: Value) -> Elems<'_> {
        match set.as_heap() {
            Some(place) => Elems { words: self.heap().record(place).1 },
            None => Elems { words: &[] },
        }
    }

    /// The words of a record on the heap as values. Not for integers and intervals, whose words are plain numbers.
    #[inline]
    pub(crate) fn words(&self, place: u32) -> Elems<'_> {
        Elems { words: self.heap().record(place).1 }
    }

    /// The first word of a record on the heap. It is the domain of a record or function, or the shape of a record set.
    #[inline]
    pub(crate) fn first_word(&self, value: Value) -> Option<Value> {
        let (_, words) = self.heap().record(value.as_heap()?);
        Elems { words }.first()
    }
}

/// The number of integers from `lo` to `hi`.
#[inline]
pub(crate) fn interval_len(lo: i32, hi: i32) -> usize {
    (i64::from(hi) - i64::from(lo) + 1).max(0) as usize
}

#[inline]
fn raw(words: &[AtomicU32], index: usize) -> i32 {
    words[index].load(Ordering::Relaxed) as i32
}

#[inline]
fn view_immediate(value: Value) -> View<'static> {
    if let Some(i) = value.as_small_int() {
        View::Int(i)
    } else if let Some(number) = value.as_string_number() {
        View::String(number)
    } else if let Some(number) = value.as_model_number() {
        View::Model(number)
    } else if let Some(number) = value.as_transient() {
        View::Transient(number)
    } else {
        match value {
            Value::FALSE => View::Bool(false),
            Value::TRUE => View::Bool(true),
            Value::NAT => View::Infinite(Infinite::Nat),
            Value::INT => View::Infinite(Infinite::Int),
            Value::REAL => View::Infinite(Infinite::Real),
            Value::STRING => View::Infinite(Infinite::String),
            Value::ANY => View::Infinite(Infinite::Any),
            _ => View::Transient(u32::MAX),
        }
    }
}
