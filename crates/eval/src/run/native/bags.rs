//! The module Bags.

use kilter_value::Value;

use crate::error::Eval;
use crate::node::{NativeCall, Node};
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn is_a_bag(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let value = self.eval_canonical(&call.args[0])?;
        Ok(Value::bool(self.bag(value).is_some()))
    }

    pub(super) fn bag_plus(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let mut copies = self.bag_arg(&call.args[0], "first argument", "(+)")?;
        copies.extend(self.bag_arg(&call.args[1], "second argument", "(+)")?);
        self.bag_of(copies, origin)
    }

    /// `B (-) C`. As in TLC, any functions to integers will do.
    pub(super) fn bag_minus(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let copies = self.eval_canonical(&call.args[0])?;
        let Some(copies) = self.counts(copies) else {
            return self.expected("first argument", "(-)", "a bag", copies, origin);
        };
        let without = self.eval_canonical(&call.args[1])?;
        if self.counts(without).is_none() {
            return self.expected("second argument", "(-)", "a bag", without, origin);
        }
        let mut left = Vec::new();
        for (elem, n) in copies {
            let less = match self.store.apply(without, elem) {
                Ok(less) => less.and_then(|less| self.store.as_int(less)).unwrap_or(0),
                Err(mismatch) => return self.fail_mismatch(origin, &mismatch),
            };
            let n = n.saturating_sub(less);
            if n > 0 {
                left.push((elem, n));
            }
        }
        self.bag_of(left, origin)
    }

    pub(super) fn bag_union(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let bags = self.eval_canonical(&call.args[0])?;
        let mut copies = Vec::new();
        self.each(bags, origin, |worker, bag| match worker.bag(bag) {
            Some(more) => {
                copies.extend(more);
                Ok(true)
            }
            None => worker.expected("argument", "BagUnion", "a set of bags", bags, origin),
        })?;
        self.bag_of(copies, origin)
    }

    pub(super) fn bag_cardinality(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let copies = self.bag_arg(&call.args[0], "argument", "BagCardinality")?;
        let total = copies.iter().map(|(_, n)| *n as usize).sum();
        self.size_value(total, origin)
    }

    /// The elements of a bag and the numbers of their copies, in order. `None` if the value is not a bag.
    fn bag(&self, value: Value) -> Option<Vec<(Value, i32)>> {
        self.counts(value).filter(|counts| counts.iter().all(|(_, n)| *n > 0))
    }

    /// The arguments and values of a function to integers. `None` for other values.
    fn counts(&self, value: Value) -> Option<Vec<(Value, i32)>> {
        let elems = self.store.items(self.store.domain(value)?)?;
        let counts = self.store.range_elems(value)?;
        elems.iter().zip(counts).map(|(elem, n)| Some((elem, self.store.as_int(n)?))).collect()
    }

    fn bag_arg(&mut self, node: &Node, which: &str, op: &str) -> Eval<Vec<(Value, i32)>> {
        let value = self.eval_canonical(node)?;
        match self.bag(value) {
            Some(bag) => Ok(bag),
            None => self.expected(which, op, "a bag", value, node.origin),
        }
    }

    /// Makes a bag of all these copies. An element that occurs several times has the sum of its copies.
    fn bag_of(&mut self, copies: Vec<(Value, i32)>, origin: OriginId) -> Eval<Value> {
        let store = self.store;
        let mut elems = copies.iter().map(|(elem, _)| *elem).collect();
        let domain = store.set(&mut elems).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))?;
        // Canonical values are equal exactly if their handles are.
        let mut sums = std::collections::BTreeMap::<u32, i32>::new();
        for (elem, n) in copies {
            let sum = sums.entry(elem.bits()).or_default();
            match sum.checked_add(n) {
                Some(more) => *sum = more,
                None => {
                    return self
                        .fail(origin, "overflow when counting the copies in a bag: integers have 32 bits");
                }
            }
        }
        let values: Vec<Value> = elems.iter().map(|elem| store.int(sums[&elem.bits()])).collect();
        Ok(store.function(domain, &values))
    }
}
