//! TLC's order and TLC's equality, with TLC's errors for values that cannot be compared.
//!
//! Sets compare by size and then element by element. Functions compare by size, then domain, then values. An untyped
//! model value is less than everything that is not a model value. There is one difference: TLC's answer may depend on
//! how a function was written (as a record, or as a function over strings). If one of the answers is an error, we give
//! the other one.

use crate::handle::Value;
use crate::sequence::Sequence;
use crate::store::Store;
use crate::view::{Elems, Infinite, Items, View};
use std::cmp::Ordering;

/// The question about two values that could not be answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Which one is less.
    Order,
    /// Whether they are equal.
    Equality,
}

/// Two values that TLC cannot compare. [`Store::mismatch_message`] makes the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The value on the left.
    pub left: Value,
    /// The value on the right.
    pub right: Value,
    /// What was asked.
    pub relation: Relation,
}

impl Mismatch {
    pub(crate) fn order(left: Value, right: Value) -> Mismatch {
        Mismatch { left, right, relation: Relation::Order }
    }

    pub(crate) fn equality(left: Value, right: Value) -> Mismatch {
        Mismatch { left, right, relation: Relation::Equality }
    }
}

/// Values by the classes within which they can be compared.
enum Class<'s> {
    Set(Items<'s>),
    Function(Parts<'s>),
    Lazy,
    Atom(View<'s>),
}

/// A function as its domain and its values.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'s> {
    pub(crate) domain: Items<'s>,
    pub(crate) values: Sequence<'s>,
}

impl Store {
    /// TLC's `compareTo`.
    #[inline]
    pub fn compare(&self, a: Value, b: Value) -> Result<Ordering, Mismatch> {
        if a == b {
            return Ok(Ordering::Equal);
        }
        if let (Some(x), Some(y)) = (a.as_small_int(), b.as_small_int()) {
            return Ok(x.cmp(&y));
        }
        if let (Some(x), Some(y)) = (a.as_string_number(), b.as_string_number()) {
            return Ok(x.cmp(&y));
        }
        self.compare_slowly(a, b)
    }

    /// TLC's `equals`. Canonical values with different handles are different, but TLC may refuse to say so.
    #[inline]
    pub fn equal(&self, a: Value, b: Value) -> Result<bool, Mismatch> {
        if a == b {
            return Ok(true);
        }
        if a.as_small_int().is_some() && b.as_small_int().is_some()
            || a.as_string_number().is_some() && b.as_string_number().is_some()
        {
            return Ok(false);
        }
        self.equal_slowly(a, b)
    }

    /// The domain and values of a function. `None` if it is no function.
    #[inline]
    pub(crate) fn parts(&self, function: Value) -> Option<Parts<'_>> {
        match self.view(function) {
            View::Tuple(values) => {
                Some(Parts { domain: self.interval_items(1, values.len() as i32), values })
            }
            View::Record { shape, values } => {
                Some(Parts { domain: Items::Elems(shape), values: values.into() })
            }
            View::Function { domain, values } => {
                Some(Parts { domain: self.items(domain)?, values: values.into() })
            }
            _ => None,
        }
    }

    fn class(&self, value: Value) -> Class<'_> {
        match self.view(value) {
            View::Set(elems) => Class::Set(Items::Elems(elems)),
            View::Interval { lo, hi } => Class::Set(self.interval_items(lo, hi)),
            _ if value.is_lazy() => Class::Lazy,
            view => match self.parts(value) {
                Some(parts) => Class::Function(parts),
                None => Class::Atom(view),
            },
        }
    }

    fn compare_slowly(&self, a: Value, b: Value) -> Result<Ordering, Mismatch> {
        match (self.view(a), self.view(b)) {
            (View::Tuple(x), View::Tuple(y)) if x.len() == y.len() => self.compare_each(x.iter(), y.iter()),
            (View::Set(x), View::Set(y)) if x.len() == y.len() => self.compare_each(x.iter(), y.iter()),
            (View::Record { shape, values }, View::Record { shape: shape_b, values: values_b })
                if shape.same(shape_b) =>
            {
                self.compare_each(values.iter(), values_b.iter())
            }
            (View::Model(x), View::Model(y)) if self.same_model_type(x, y) => Ok(x.cmp(&y)),
            _ => self.compare_classes(a, b),
        }
    }

    fn compare_classes(&self, a: Value, b: Value) -> Result<Ordering, Mismatch> {
        let mismatch = Mismatch::order(a, b);
        match (self.class(a), self.class(b)) {
            (Class::Atom(View::Model(_)), Class::Atom(View::Model(_))) => Err(mismatch),
            (Class::Atom(View::Model(x)), _) => self.untyped(x).then_some(Ordering::Less).ok_or(mismatch),
            (_, Class::Atom(View::Model(y))) => self.untyped(y).then_some(Ordering::Greater).ok_or(mismatch),
            (Class::Atom(View::Int(x)), Class::Atom(View::Int(y))) => Ok(x.cmp(&y)),
            (Class::Atom(View::Bool(x)), Class::Atom(View::Bool(y))) => Ok(x.cmp(&y)),
            (Class::Atom(View::String(x)), Class::Atom(View::String(y))) => Ok(x.cmp(&y)),
            (Class::Atom(View::Infinite(x)), Class::Atom(View::Infinite(y))) => {
                compare_infinite(x, y).ok_or(mismatch)
            }
            (Class::Set(x), Class::Set(y)) => self.compare_items(x, y),
            (Class::Function(x), Class::Function(y)) => self.compare_parts(x, y),
            (Class::Lazy, Class::Lazy | Class::Set(_)) | (Class::Set(_), Class::Lazy) => {
                self.compare(self.normal_or(a, mismatch)?, self.normal_or(b, mismatch)?)
            }
            _ => Err(mismatch),
        }
    }

    fn compare_items(&self, a: Items<'_>, b: Items<'_>) -> Result<Ordering, Mismatch> {
        if a.len() != b.len() {
            return Ok(a.len().cmp(&b.len()));
        }
        match (a, b) {
            (Items::Interval { lo: x, .. }, Items::Interval { lo: y, .. }) => Ok(x.cmp(&y)),
            (Items::Elems(x), Items::Elems(y)) => self.compare_elems(x, y),
            _ => self.compare_each(a.iter(), b.iter()),
        }
    }

    fn compare_elems(&self, a: Elems<'_>, b: Elems<'_>) -> Result<Ordering, Mismatch> {
        if a.same(b) {
            return Ok(Ordering::Equal);
        }
        self.compare_each(a.iter(), b.iter())
    }

    fn compare_each(
        &self,
        a: impl Iterator<Item = Value>,
        b: impl Iterator<Item = Value>,
    ) -> Result<Ordering, Mismatch> {
        for (x, y) in a.zip(b) {
            let order = self.compare(x, y)?;
            if order != Ordering::Equal {
                return Ok(order);
            }
        }
        Ok(Ordering::Equal)
    }

    fn compare_parts(&self, a: Parts<'_>, b: Parts<'_>) -> Result<Ordering, Mismatch> {
        match self.compare_items(a.domain, b.domain)? {
            Ordering::Equal if a.values.same(b.values) => Ok(Ordering::Equal),
            Ordering::Equal => self.compare_each(a.values.iter(), b.values.iter()),
            order => Ok(order),
        }
    }

    fn equal_slowly(&self, a: Value, b: Value) -> Result<bool, Mismatch> {
        let mismatch = Mismatch::equality(a, b);
        match (self.class(a), self.class(b)) {
            (Class::Atom(View::Model(x)), Class::Atom(View::Model(y))) => {
                self.same_model_type(x, y).then_some(false).ok_or(mismatch)
            }
            (Class::Atom(View::Model(x)), _) | (_, Class::Atom(View::Model(x))) => {
                self.untyped(x).then_some(false).ok_or(mismatch)
            }
            (Class::Atom(View::Int(_)), Class::Atom(View::Int(_)))
            | (Class::Atom(View::Bool(_)), Class::Atom(View::Bool(_)))
            | (Class::Atom(View::String(_)), Class::Atom(View::String(_))) => Ok(false),
            (Class::Atom(View::Infinite(x)), Class::Atom(View::Infinite(y))) => {
                compare_infinite(x, y).map(|_| false).ok_or(mismatch)
            }
            (Class::Set(x), Class::Set(y)) => self.equal_items(x, y),
            (Class::Function(x), Class::Function(y)) => self.equal_parts(x, y),
            (Class::Lazy, Class::Lazy | Class::Set(_)) | (Class::Set(_), Class::Lazy) => {
                self.equal_lazy(a, b, mismatch)
            }
            _ => Err(mismatch),
        }
    }

    fn equal_items(&self, a: Items<'_>, b: Items<'_>) -> Result<bool, Mismatch> {
        if a.len() != b.len() {
            return Ok(false);
        }
        match (a, b) {
            (Items::Interval { lo: x, .. }, Items::Interval { lo: y, .. }) => Ok(x == y),
            (Items::Elems(x), Items::Elems(y)) => Ok(x.same(y) || self.equal_each(x.iter(), y.iter())?),
            _ => self.equal_each(a.iter(), b.iter()),
        }
    }

    fn equal_each(
        &self,
        a: impl Iterator<Item = Value>,
        b: impl Iterator<Item = Value>,
    ) -> Result<bool, Mismatch> {
        for (x, y) in a.zip(b) {
            if !self.equal(x, y)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn equal_parts(&self, a: Parts<'_>, b: Parts<'_>) -> Result<bool, Mismatch> {
        Ok(self.equal_items(a.domain, b.domain)? && self.equal_each(a.values.iter(), b.values.iter())?)
    }

    /// Compares two sets of which at least one is lazy. If both have the same form, TLC compares their components.
    fn equal_lazy(&self, a: Value, b: Value, mismatch: Mismatch) -> Result<bool, Mismatch> {
        match (self.view(a), self.view(b)) {
            (View::Powerset(x), View::Powerset(y)) | (View::SeqSet(x), View::SeqSet(y)) => self.equal(x, y),
            (View::FunctionSet { domain, range }, View::FunctionSet { domain: domain_b, range: range_b }) => {
                Ok(self.equal(domain, domain_b)? && self.equal(range, range_b)?)
            }
            (View::RecordSet { shape, sets }, View::RecordSet { shape: shape_b, sets: sets_b }) => {
                match self.both_empty(a, b) {
                    Some(empty) => Ok(empty),
                    None => Ok(shape.same(shape_b) && self.equal_each(sets.iter(), sets_b.iter())?),
                }
            }
            (View::Product(x), View::Product(y)) => match self.both_empty(a, b) {
                Some(empty) => Ok(empty),
                None => Ok(x.len() == y.len() && self.equal_each(x.iter(), y.iter())?),
            },
            _ => {
                if let (Ok(x), Ok(y)) = (self.cardinality(a), self.cardinality(b))
                    && x != y
                {
                    return Ok(false);
                }
                self.equal(self.normal_or(a, mismatch)?, self.normal_or(b, mismatch)?)
            }
        }
    }

    /// Whether both sets are empty. `None` if neither is, or if that is unknown.
    fn both_empty(&self, a: Value, b: Value) -> Option<bool> {
        let (a, b) = (self.is_empty(a).ok()?, self.is_empty(b).ok()?);
        (a || b).then_some(a && b)
    }

    fn normal_or(&self, set: Value, mismatch: Mismatch) -> Result<Value, Mismatch> {
        self.normalize(set).map_err(|_| mismatch)
    }

    pub(crate) fn untyped(&self, model: u32) -> bool {
        self.names().model_type(model).is_none()
    }

    /// Whether TLC compares these model values. It does if either is untyped, or if their types agree.
    fn same_model_type(&self, x: u32, y: u32) -> bool {
        let (x, y) = (self.names().model_type(x), self.names().model_type(y));
        x.is_none() || y.is_none() || x == y
    }
}

fn compare_infinite(x: Infinite, y: Infinite) -> Option<Ordering> {
    match (x, y) {
        _ if x == y => Some(Ordering::Equal),
        (Infinite::Nat, Infinite::Int) => Some(Ordering::Less),
        (Infinite::Int, Infinite::Nat) => Some(Ordering::Greater),
        _ => None,
    }
}
