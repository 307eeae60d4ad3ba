//! Membership. Structural sets are never enumerated. For `f \in [D -> R]`, only `f` is examined.

use crate::handle::Value;
use crate::order::{Mismatch, Parts};
use crate::sequence::Sequence;
use crate::sets::SetError;
use crate::store::Store;
use crate::view::{Elems, Infinite, Items, View};
use std::cmp::Ordering;

/// Lists up to this length are searched from the front.
pub(crate) const SCAN_MAX: usize = 24;

/// Lists up to this length are searched for the handle before their values are compared: most values that are looked up
/// are there, and one comparison of records costs as much as looking at a hundred handles.
const HANDLES_MAX: usize = 256;

impl Store {
    /// `elem \in set`. Fails where TLC refuses to answer.
    #[inline]
    pub fn contains(&self, set: Value, elem: Value) -> Result<bool, SetError> {
        match self.view(set) {
            View::Interval { lo, hi } => match self.as_int(elem) {
                Some(i) => Ok(lo <= i && i <= hi),
                None => self.outsider(set, elem),
            },
            View::Set(elems) => {
                let elem = if elem.is_lazy() { self.normalize(elem)? } else { elem };
                Ok(self.find(elems, elem)?.is_some())
            }
            _ => self.contains_slowly(set, elem),
        }
    }

    fn contains_slowly(&self, set: Value, elem: Value) -> Result<bool, SetError> {
        match self.view(set) {
            View::Infinite(infinite) => self.contains_infinite(infinite, set, elem),
            View::Powerset(base) => self.contains_subset(set, base, elem),
            View::FunctionSet { domain, range } => match self.parts(elem) {
                Some(parts) => self.contains_function(domain, range, elem, parts),
                None => self.outsider(set, elem),
            },
            View::RecordSet { shape, sets } => match self.view(elem) {
                View::Record { shape: names, values } => {
                    Ok(names.iter().eq(shape.iter()) && self.all_contain(sets, values.into())?)
                }
                // The empty tuple is also the empty record.
                View::Tuple(elems) if elems.is_empty() => Ok(shape.is_empty()),
                _ => self.outsider(set, elem),
            },
            View::Product(sets) => match self.view(elem) {
                View::Tuple(elems) => Ok(elems.len() == sets.len() && self.all_contain(sets, elems)?),
                View::Function { domain, .. } if self.is_set_of_ints(domain) => Ok(false),
                _ => self.outsider(set, elem),
            },
            View::SeqSet(base) => match self.view(elem) {
                View::Tuple(elems) => self.contains_all(base, elems),
                _ => self.outsider(set, elem),
            },
            View::Cup(left, right) => {
                // TLC asks an enumerated operand first, because other sets may refuse values of another kind.
                let swap = self.items(left).is_none() && self.items(right).is_some();
                let (first, second) = if swap { (right, left) } else { (left, right) };
                Ok(self.contains(first, elem)? || self.contains(second, elem)?)
            }
            View::Cap(left, right) => Ok(self.contains(left, elem)? && self.contains(right, elem)?),
            View::Diff(left, right) => Ok(self.contains(left, elem)? && !self.contains(right, elem)?),
            _ => Err(SetError::Membership { elem, set }),
        }
    }

    fn contains_infinite(&self, infinite: Infinite, set: Value, elem: Value) -> Result<bool, SetError> {
        match (infinite, self.view(elem)) {
            (Infinite::Any, _) => Ok(true),
            (Infinite::Nat, View::Int(i)) => Ok(i >= 0),
            (Infinite::Int | Infinite::Real, View::Int(_)) | (Infinite::String, View::String(_)) => Ok(true),
            _ => self.outsider(set, elem),
        }
    }

    /// `elem \in SUBSET base`
    fn contains_subset(&self, set: Value, base: Value, elem: Value) -> Result<bool, SetError> {
        if !self.is_set(elem) || matches!(self.view(elem), View::Infinite(_) | View::SeqSet(_)) {
            return Err(SetError::Membership { elem, set });
        }
        self.subset_eq(elem, base)
    }

    fn contains_function(
        &self,
        domain: Value,
        range: Value,
        function: Value,
        parts: Parts<'_>,
    ) -> Result<bool, SetError> {
        let same_domain = match (self.view(domain), parts.domain) {
            (View::Interval { lo, hi }, Items::Interval { lo: from, len, .. }) => {
                lo == from && len == crate::view::interval_len(lo, hi)
            }
            (View::Set(elems), own) if elems.len() != own.len() => false,
            _ => match self.domain(function) {
                Some(own) => self.equal(domain, own)?,
                None => false,
            },
        };
        Ok(same_domain && self.contains_all(range, parts.values)?)
    }

    fn contains_all(&self, set: Value, elems: Sequence<'_>) -> Result<bool, SetError> {
        let mut last = Value::UNSET;
        for elem in elems {
            // Many functions have the same value at many arguments.
            if elem != last && !self.contains(set, elem)? {
                return Ok(false);
            }
            last = elem;
        }
        Ok(true)
    }

    fn all_contain(&self, sets: Elems<'_>, elems: Sequence<'_>) -> Result<bool, SetError> {
        for (set, elem) in sets.iter().zip(elems) {
            if !self.contains(set, elem)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_set_of_ints(&self, set: Value) -> bool {
        self.items(set).is_some_and(|items| items.iter().all(|elem| self.as_int(elem).is_some()))
    }

    /// The answer for a value of the wrong kind. An untyped model value is in no such set. All other values are errors.
    fn outsider(&self, set: Value, elem: Value) -> Result<bool, SetError> {
        match elem.as_model_number() {
            Some(model) if self.untyped(model) => Ok(false),
            _ => Err(SetError::Membership { elem, set }),
        }
    }

    /// The index of a value in a sorted list. `None` if it is not there. TLC uses binary search, and fails if a
    /// comparison fails.
    #[inline]
    pub(crate) fn find(&self, elems: Elems<'_>, value: Value) -> Result<Option<usize>, Mismatch> {
        if elems.len() <= SCAN_MAX {
            if let Some(index) = elems.position(value) {
                return Ok(Some(index));
            }
            // The value is not there. TLC's first comparison tells whether the question makes sense.
            if !elems.is_empty() {
                self.compare(value, elems.get(elems.len() / 2))?;
            }
            return Ok(None);
        }
        let (Some(first), Some(last)) = (elems.first(), elems.last()) else { return Ok(None) };
        if value.as_string_number().is_some() && first.as_string_number().is_some() {
            return Ok(elems.binary_search_by_key(&value.bits(), Value::bits));
        }
        if let Some(i) = value.as_small_int()
            && first.as_small_int().is_some()
            && last.as_small_int().is_some()
        {
            return Ok(elems.binary_search_by_key(&Some(i), Value::as_small_int));
        }
        if elems.len() <= HANDLES_MAX
            && let Some(index) = elems.position(value)
        {
            return Ok(Some(index));
        }
        Ok(self.search(elems, value)?.ok())
    }

    /// The index of a value in a sorted list, or the index at which it would have to be inserted.
    pub(crate) fn search(&self, elems: Elems<'_>, value: Value) -> Result<Result<usize, usize>, Mismatch> {
        let (mut low, mut high) = (0, elems.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.compare(value, elems.get(middle))? {
                Ordering::Equal => return Ok(Ok(middle)),
                Ordering::Less => high = middle,
                Ordering::Greater => low = middle + 1,
            }
        }
        Ok(Err(low))
    }
}
