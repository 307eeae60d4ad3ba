//! Which values are sets, how large they are, and their canonical form.

use crate::handle::Value;
use crate::order::Mismatch;
use crate::store::{Store, lock};
use crate::view::{Elems, View, interval_len};

/// Why an operation on sets failed. [`Store::set_error_message`] makes the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetError {
    /// Two elements cannot be compared.
    Mismatch(Mismatch),
    /// A set was needed, but this value is none.
    NotASet(Value),
    /// TLC refuses to say whether this value is an element of this set.
    Membership {
        /// The value that may be an element.
        elem: Value,
        /// The set, or the value in its place that is no set.
        set: Value,
    },
    /// The set cannot be enumerated or counted.
    Infinite(Value),
    /// The set has more elements than TLC can count.
    TooLarge(Value),
}

impl From<Mismatch> for SetError {
    fn from(mismatch: Mismatch) -> Self {
        SetError::Mismatch(mismatch)
    }
}

/// The largest number of elements that a stored set gets by enumeration.
const NORMAL_MAX: usize = 1 << 27;

impl Store {
    /// Whether this is a set, of any form.
    #[inline]
    pub fn is_set(&self, value: Value) -> bool {
        value.is_lazy()
            || matches!(self.view(value), View::Interval { .. } | View::Set(_) | View::Infinite(_))
    }

    /// The canonical form. For a lazy set, this is the set of its elements. A canonical value is returned as it is.
    #[inline]
    pub fn normalize(&self, value: Value) -> Result<Value, SetError> {
        if value.is_canonical() { Ok(value) } else { self.normalize_slowly(value) }
    }

    fn normalize_slowly(&self, set: Value) -> Result<Value, SetError> {
        if let View::Infinite(_) = self.view(set) {
            return Err(SetError::Infinite(set));
        }
        if !set.is_lazy() {
            return Ok(set);
        }
        if let Some(known) = lock(&self.normal_forms).get(&set) {
            return Ok(*known);
        }
        let normal = self.enumerate(set)?;
        lock(&self.normal_forms).insert(set, normal);
        Ok(normal)
    }

    fn enumerate(&self, set: Value) -> Result<Value, SetError> {
        match self.view(set) {
            View::Cup(left, right) => {
                let (left, right) = (self.normalize(left)?, self.normalize(right)?);
                self.union(left, right)
            }
            View::Cap(left, right) => match self.normalize(left) {
                Ok(left) => self.intersect(left, right),
                Err(_) => self.intersect(self.normalize(right)?, left),
            },
            View::Diff(left, right) => self.difference(self.normalize(left)?, right),
            _ => {
                let n = self.cardinality(set)?;
                if n > NORMAL_MAX {
                    return Err(SetError::TooLarge(set));
                }
                let mut iter = self.iterate(set)?;
                let mut elems = Vec::with_capacity(n);
                while let Some(elem) = iter.next(self) {
                    elems.push(elem);
                }
                // Lazy sets are enumerated in TLC's order, so the elements are sorted.
                Ok(self.set_sorted(&elems))
            }
        }
    }

    /// The number of elements. Only unions, intersections and differences are enumerated for it.
    pub fn cardinality(&self, set: Value) -> Result<usize, SetError> {
        let n = match self.view(set) {
            View::Set(elems) => elems.len(),
            View::Interval { lo, hi } => interval_len(lo, hi),
            View::Powerset(base) => {
                let n = self.cardinality(base)?;
                if n >= 31 { usize::MAX } else { 1 << n }
            }
            View::FunctionSet { domain, range } => {
                let (n, m) = (self.cardinality(domain)?, self.cardinality(range)?);
                u32::try_from(n).ok().and_then(|n| power(m, n)).unwrap_or(usize::MAX)
            }
            View::RecordSet { sets, .. } | View::Product(sets) => self.product_size(set, sets)?,
            View::SeqSet(_) | View::Infinite(_) => return Err(SetError::Infinite(set)),
            View::Cup(..) | View::Cap(..) | View::Diff(..) => self.cardinality(self.normalize(set)?)?,
            _ => return Err(SetError::NotASet(set)),
        };
        if n > i32::MAX as usize { Err(SetError::TooLarge(set)) } else { Ok(n) }
    }

    fn product_size(&self, whole: Value, sets: Elems<'_>) -> Result<usize, SetError> {
        let mut size = 1;
        for set in sets {
            size *= self.cardinality(set)?;
            if size > i32::MAX as usize {
                return Err(SetError::TooLarge(whole));
            }
        }
        Ok(size)
    }

    /// Whether the set has no elements. Counts no more than necessary.
    pub fn is_empty(&self, set: Value) -> Result<bool, SetError> {
        match self.view(set) {
            View::Set(elems) => Ok(elems.is_empty()),
            View::Interval { .. } | View::Powerset(_) | View::SeqSet(_) | View::Infinite(_) => Ok(false),
            View::FunctionSet { domain, range } => Ok(!self.is_empty(domain)? && self.is_empty(range)?),
            View::RecordSet { sets, .. } | View::Product(sets) => {
                for set in sets {
                    if self.is_empty(set)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            View::Cup(left, right) => Ok(self.is_empty(left)? && self.is_empty(right)?),
            View::Cap(..) | View::Diff(..) => self.is_empty(self.normalize(set)?),
            _ => Err(SetError::NotASet(set)),
        }
    }

    /// Whether the set is finite. Fails for some combinations of infinite sets, as TLC does.
    pub fn is_finite(&self, set: Value) -> Result<bool, SetError> {
        match self.view(set) {
            View::Set(_) | View::Interval { .. } => Ok(true),
            View::SeqSet(_) | View::Infinite(_) => Ok(false),
            View::Powerset(base) => self.is_finite(base),
            View::FunctionSet { domain, range } => Ok(self.is_finite(domain)? && self.is_finite(range)?),
            View::RecordSet { sets, .. } | View::Product(sets) => {
                for set in sets {
                    if !self.is_finite(set)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            View::Cup(left, right) => Ok(self.is_finite(left)? && self.is_finite(right)?),
            View::Cap(left, right) => {
                if self.is_finite(left)? || self.is_finite(right)? {
                    Ok(true)
                } else {
                    Err(SetError::Infinite(set))
                }
            }
            View::Diff(left, right) => {
                if self.is_finite(left)? {
                    Ok(true)
                } else if self.is_finite(right)? {
                    Ok(false)
                } else {
                    Err(SetError::Infinite(set))
                }
            }
            _ => Err(SetError::NotASet(set)),
        }
    }
}

/// `base ^ exponent`. `None` if it overflows.
fn power(base: usize, exponent: u32) -> Option<usize> {
    match (base, exponent) {
        (_, 0) | (1, _) => Some(1),
        (0, _) => Some(0),
        _ => base.checked_pow(exponent),
    }
}
