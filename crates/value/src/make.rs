//! Constructors. Each brings its value into its canonical form, so that equal values get equal handles:
//!
//! - The elements of a set are sorted and distinct. A set of consecutive integers is an interval, even if it has only
//!   one element.
//! - A function over `1..n` is a tuple, over strings a record, and over the empty set the empty tuple.

use crate::handle::Value;
use crate::heap::Kind;
use crate::long::WHOLE_MAX;
use crate::order::Mismatch;
use crate::store::Store;
use crate::view::View;
use std::cmp::Ordering;

/// The length of the runs that are sorted by insertion before they are merged.
const RUN: usize = 8;

impl Store {
    /// The set of these values, which may be in any order and may repeat. Leaves the list sorted and without
    /// repetitions.
    pub fn set(&self, elems: &mut Vec<Value>) -> Result<Value, Mismatch> {
        self.sort(elems)?;
        elems.dedup();
        Ok(self.set_sorted(elems))
    }

    /// The set of these values, which must be sorted in TLC's order and distinct.
    pub fn set_sorted(&self, elems: &[Value]) -> Value {
        debug_assert!(elems.windows(2).all(|pair| self.compare(pair[0], pair[1]) == Ok(Ordering::Less)));
        let (Some(first), Some(last)) = (elems.first(), elems.last()) else { return Store::EMPTY_SET };
        // Model values come before integers, so if both ends are integers, all elements are.
        if let (Some(lo), Some(hi)) = (self.as_int(*first), self.as_int(*last))
            && i64::from(hi) - i64::from(lo) + 1 == elems.len() as i64
        {
            return self.interval(lo, hi);
        }
        self.intern_values(Kind::Set, elems)
    }

    /// `lo..hi`
    pub fn interval(&self, lo: i32, hi: i32) -> Value {
        if lo > hi { Store::EMPTY_SET } else { self.intern_raw(Kind::Interval, [lo as u32, hi as u32]) }
    }

    /// A tuple.
    #[inline]
    pub fn tuple(&self, elems: &[Value]) -> Value {
        if elems.len() > WHOLE_MAX {
            return self.long(elems.iter().copied());
        }
        self.intern_values(Kind::Tuple, elems)
    }

    /// The record with these fields, which may be in any order. Leaves the list sorted by name. If a name is repeated,
    /// its first field counts.
    pub fn record(&self, fields: &mut Vec<(Value, Value)>) -> Value {
        debug_assert!(fields.iter().all(|(name, _)| name.as_string_number().is_some()));
        fields.sort_by_key(|(name, _)| name.bits());
        fields.dedup_by_key(|(name, _)| *name);
        if fields.is_empty() {
            return Store::EMPTY_TUPLE;
        }
        let shape = self.intern_iter(Kind::Set, fields.len(), fields.iter().map(|(name, _)| *name));
        let values = std::iter::once(shape).chain(fields.iter().map(|(_, value)| *value));
        self.intern_iter(Kind::Record, fields.len() + 1, values)
    }

    /// The function with this canonical finite domain. `values` are in the order of the domain.
    pub fn function(&self, domain: Value, values: &[Value]) -> Value {
        debug_assert!(domain.is_canonical());
        debug_assert_eq!(self.items(domain).map(crate::Items::len), Some(values.len()));
        let kind = match self.function_kind(domain) {
            Kind::Tuple => return self.tuple(values),
            kind => kind,
        };
        self.intern_iter(kind, values.len() + 1, std::iter::once(domain).chain(values.iter().copied()))
    }

    /// The kind of heap record for a function with this domain.
    #[inline]
    pub(crate) fn function_kind(&self, domain: Value) -> Kind {
        match self.view(domain) {
            View::Interval { lo: 1, .. } => Kind::Tuple,
            View::Set(elems) => match elems.first() {
                None => Kind::Tuple,
                // Model values come before strings, so if the first element is a string, all are.
                Some(first) if first.as_string_number().is_some() => Kind::Record,
                Some(_) => Kind::Function,
            },
            _ => Kind::Function,
        }
    }

    /// `SUBSET S`
    pub fn powerset(&self, set: Value) -> Value {
        self.intern_values(Kind::Powerset, &[set])
    }

    /// `[domain -> range]`
    pub fn function_set(&self, domain: Value, range: Value) -> Value {
        self.intern_values(Kind::FunctionSet, &[domain, range])
    }

    /// `[a : S, b : T]`. The fields may be in any order.
    pub fn record_set(&self, fields: &[(Value, Value)]) -> Value {
        let mut fields = fields.to_vec();
        fields.sort_by_key(|(name, _)| name.bits());
        fields.dedup_by_key(|(name, _)| *name);
        let shape = self.intern_iter(Kind::Set, fields.len(), fields.iter().map(|(name, _)| *name));
        let sets = std::iter::once(shape).chain(fields.iter().map(|(_, set)| *set));
        self.intern_iter(Kind::RecordSet, fields.len() + 1, sets)
    }

    /// `S \X T \X …`
    pub fn product(&self, sets: &[Value]) -> Value {
        self.intern_values(Kind::Product, sets)
    }

    /// `Seq(S)`
    pub fn seq_set(&self, set: Value) -> Value {
        self.intern_values(Kind::SeqSet, &[set])
    }

    /// `S \cup T`, not enumerated. [`Store::union`] decides when this is needed.
    pub fn cup_set(&self, left: Value, right: Value) -> Value {
        self.intern_values(Kind::Cup, &[left, right])
    }

    /// `S \cap T`, not enumerated. [`Store::intersect`] decides when this is needed.
    pub fn cap_set(&self, left: Value, right: Value) -> Value {
        self.intern_values(Kind::Cap, &[left, right])
    }

    /// `S \ T`, not enumerated. [`Store::difference`] decides when this is needed.
    pub fn diff_set(&self, left: Value, right: Value) -> Value {
        self.intern_values(Kind::Diff, &[left, right])
    }

    /// Sorts in TLC's order. The standard sorts are of no use here, because their comparison must not fail.
    fn sort(&self, elems: &mut [Value]) -> Result<(), Mismatch> {
        if elems.iter().all(|elem| elem.as_small_int().is_some()) {
            elems.sort_unstable_by_key(|elem| elem.as_small_int());
            return Ok(());
        }
        if elems.iter().all(|elem| elem.as_string_number().is_some()) {
            elems.sort_unstable_by_key(|elem| elem.as_string_number());
            return Ok(());
        }
        for run in elems.chunks_mut(RUN) {
            self.insertion_sort(run)?;
        }
        let mut width = RUN;
        let mut merged = Vec::with_capacity(if elems.len() > RUN { elems.len() } else { 0 });
        while width < elems.len() {
            merged.clear();
            for pair in elems.chunks(2 * width) {
                let (left, right) = pair.split_at(width.min(pair.len()));
                self.merge_runs(left, right, &mut merged)?;
            }
            elems.copy_from_slice(&merged);
            width *= 2;
        }
        Ok(())
    }

    fn insertion_sort(&self, run: &mut [Value]) -> Result<(), Mismatch> {
        for end in 1..run.len() {
            let mut at = end;
            while at > 0 && self.compare(run[at], run[at - 1])? == Ordering::Less {
                run.swap(at, at - 1);
                at -= 1;
            }
        }
        Ok(())
    }

    fn merge_runs(
        &self,
        mut left: &[Value],
        mut right: &[Value],
        out: &mut Vec<Value>,
    ) -> Result<(), Mismatch> {
        while let (Some((l, left_rest)), Some((r, right_rest))) = (left.split_first(), right.split_first()) {
            if self.compare(*l, *r)? == Ordering::Greater {
                out.push(*r);
                right = right_rest;
            } else {
                out.push(*l);
                left = left_rest;
            }
        }
        out.extend_from_slice(left);
        out.extend_from_slice(right);
        Ok(())
    }
}
