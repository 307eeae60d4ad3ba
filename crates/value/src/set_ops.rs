//! `\cup`, `\cap`, `\`, `UNION` and `\subseteq`. Canonical sets are merged. If an operand is lazy or infinite, the
//! result stays lazy where TLC's does.

use crate::handle::Value;
use crate::heap::Kind;
use crate::member::SCAN_MAX;
use crate::order::Mismatch;
use crate::scratch::Scratch;
use crate::sets::SetError;
use crate::store::Store;
use crate::view::{Elems, Items, View};
use std::cmp::Ordering;

/// Which elements a merge keeps: those on the left only, on both sides, or on the right only.
#[derive(Clone, Copy)]
struct Keep {
    left: bool,
    both: bool,
    right: bool,
}

const UNION: Keep = Keep { left: true, both: true, right: true };
const INTERSECTION: Keep = Keep { left: false, both: true, right: false };
const DIFFERENCE: Keep = Keep { left: true, both: false, right: false };

impl Store {
    /// `left \cup right`
    pub fn union(&self, left: Value, right: Value) -> Result<Value, SetError> {
        self.expect_set(left)?;
        self.expect_set(right)?;
        if left == right || right == Store::EMPTY_SET {
            return Ok(left);
        }
        if left == Store::EMPTY_SET {
            return Ok(right);
        }
        match (self.view(left), self.view(right)) {
            (View::Interval { lo: a, hi: b }, View::Interval { lo: c, hi: d })
                if i64::from(c) <= i64::from(b) + 1 && i64::from(a) <= i64::from(d) + 1 =>
            {
                Ok(self.interval(a.min(c), b.max(d)))
            }
            _ => match (self.items(left), self.items(right)) {
                (Some(Items::Elems(elems)), Some(b)) if b.len() == 1 => {
                    Ok(self.insert(left, elems, b.get(0))?)
                }
                (Some(a), Some(Items::Elems(elems))) if a.len() == 1 => {
                    Ok(self.insert(right, elems, a.get(0))?)
                }
                (Some(a), Some(b)) => Ok(self.merge_sets(a, b, UNION)?),
                _ => Ok(self.cup_set(left, right)),
            },
        }
    }

    /// `left \cap right`
    pub fn intersect(&self, left: Value, right: Value) -> Result<Value, SetError> {
        self.expect_set(left)?;
        self.expect_set(right)?;
        if left == right {
            return Ok(left);
        }
        if let (View::Interval { lo: a, hi: b }, View::Interval { lo: c, hi: d }) =
            (self.view(left), self.view(right))
        {
            return Ok(self.interval(a.max(c), b.min(d)));
        }
        match (self.items(left), self.items(right)) {
            (Some(a), Some(b)) => Ok(self.merge_sets(a, b, INTERSECTION)?),
            (Some(a), None) => self.filter(a, right, true),
            (None, Some(b)) => self.filter(b, left, true),
            (None, None) => Ok(self.cap_set(left, right)),
        }
    }

    /// `left \ right`
    pub fn difference(&self, left: Value, right: Value) -> Result<Value, SetError> {
        self.expect_set(left)?;
        self.expect_set(right)?;
        if left == right {
            return Ok(Store::EMPTY_SET);
        }
        match (self.items(left), self.items(right)) {
            (Some(Items::Elems(elems)), Some(b)) if b.len() == 1 => Ok(self.remove(left, elems, b.get(0))?),
            (Some(a), Some(b)) => Ok(self.merge_sets(a, b, DIFFERENCE)?),
            (Some(a), None) => self.filter(a, right, false),
            _ => Ok(self.diff_set(left, right)),
        }
    }

    /// `UNION set`
    pub fn big_union(&self, set: Value) -> Result<Value, SetError> {
        if let View::Powerset(base) = self.view(set) {
            return Ok(base);
        }
        let mut iter = self.iterate(set)?;
        let mut elems = Vec::new();
        let mut lazy = Store::EMPTY_SET;
        while let Some(member) = iter.next(self) {
            match self.items(member) {
                Some(items) => elems.extend(items.iter()),
                None => lazy = self.union(lazy, member)?,
            }
        }
        self.union(self.set(&mut elems)?, lazy)
    }

    /// `left \subseteq right`
    pub fn subset_eq(&self, left: Value, right: Value) -> Result<bool, SetError> {
        self.expect_set(left)?;
        if left == right || left == Store::EMPTY_SET {
            return Ok(true);
        }
        match (self.view(left), self.view(right)) {
            (View::Interval { lo: a, hi: b }, View::Interval { lo: c, hi: d }) => Ok(c <= a && b <= d),
            (View::Powerset(a), View::Powerset(b)) => self.subset_eq(a, b),
            (View::Set(a), View::Set(b)) if same_order(a, b) => Ok(true),
            _ => {
                let mut iter = self.iterate(left)?;
                while let Some(elem) = iter.next(self) {
                    if !self.contains(right, elem)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    fn expect_set(&self, value: Value) -> Result<(), SetError> {
        if self.is_set(value) { Ok(()) } else { Err(SetError::NotASet(value)) }
    }

    fn filter(&self, items: Items<'_>, by: Value, keep: bool) -> Result<Value, SetError> {
        let mut kept = Scratch::new();
        for elem in items.iter() {
            if self.contains(by, elem)? == keep {
                kept.push(elem);
            }
        }
        Ok(self.set_sorted(kept.as_slice()))
    }

    fn merge_sets(&self, a: Items<'_>, b: Items<'_>, keep: Keep) -> Result<Value, Mismatch> {
        let mut kept = Scratch::new();
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            let (left, right) = (a.get(i), b.get(j));
            let order = self.compare(left, right)?;
            match order {
                Ordering::Less if keep.left => kept.push(left),
                Ordering::Equal if keep.both => kept.push(left),
                Ordering::Greater if keep.right => kept.push(right),
                _ => {}
            }
            i += usize::from(order != Ordering::Greater);
            j += usize::from(order != Ordering::Less);
        }
        if keep.left {
            kept.extend((i..a.len()).map(|i| a.get(i)));
        }
        if keep.right {
            kept.extend((j..b.len()).map(|j| b.get(j)));
        }
        Ok(self.set_sorted(kept.as_slice()))
    }

    /// `set \cup {elem}` by binary search. This is the most frequent union.
    fn insert(&self, set: Value, elems: Elems<'_>, elem: Value) -> Result<Value, Mismatch> {
        if elems.len() <= SCAN_MAX && elems.position(elem).is_some() {
            return Ok(set);
        }
        let Err(at) = self.search(elems, elem)? else { return Ok(set) };
        let (before, after) = (elems.slice(0, at).iter(), elems.slice(at, elems.len()).iter());
        let all = before.chain(std::iter::once(elem)).chain(after);
        if self.as_int(elem).is_none() {
            return Ok(self.intern_iter(Kind::Set, elems.len() + 1, all));
        }
        // The integer may fill the last gap, so that the set becomes an interval.
        let mut kept = Scratch::new();
        kept.extend(all);
        Ok(self.set_sorted(kept.as_slice()))
    }

    /// `set \ {elem}`
    fn remove(&self, set: Value, elems: Elems<'_>, elem: Value) -> Result<Value, Mismatch> {
        let Some(at) = self.find(elems, elem)? else { return Ok(set) };
        let mut kept = Scratch::new();
        kept.extend(elems.slice(0, at).iter());
        kept.extend(elems.slice(at + 1, elems.len()).iter());
        Ok(self.set_sorted(kept.as_slice()))
    }
}

/// Whether all handles of `a` occur in `b`, in the same order.
fn same_order(a: Elems<'_>, b: Elems<'_>) -> bool {
    let mut rest = b.iter();
    a.iter().all(|elem| rest.any(|other| other == elem))
}
