//! Random elements and subsets, and the time.

use kilter_value::{SetError, Value, View};

use crate::error::Eval;
use crate::node::NativeCall;
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn random_element(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let set = self.eval(&call.args[0])?;
        self.finite_set(set, "argument", "RandomElement", origin)?;
        match self.element_of(set, origin)? {
            Some(elem) => Ok(elem),
            None => self.fail(origin, "RandomElement was applied to the empty set"),
        }
    }

    pub(super) fn test_random_set_of_subsets(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let mut sizes = Vec::new();
        for _ in 0..5 {
            let subsets = self.random_set_of_subsets(call, origin)?;
            let size = self.store.items(subsets).map_or(0, kilter_value::Items::len);
            sizes.push(self.size_value(size, origin)?);
        }
        Ok(self.store.tuple(&sizes))
    }

    #[expect(clippy::disallowed_methods, reason = "the specification asks for the time")]
    pub(super) fn java_time(&mut self, _: &NativeCall, _: OriginId) -> Eval<Value> {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Ok(self.store.int((since.as_secs() & 0x7FFF_FFFF) as i32))
    }

    fn finite_set(&mut self, set: Value, which: &str, op: &str, origin: OriginId) -> Eval<()> {
        match self.store.is_finite(set) {
            Ok(true) => Ok(()),
            _ => self.expected(which, op, "a finite set", set, origin),
        }
    }

    /// Draws an element with equal probability for each. Does not list sets that have a description. `None` if the set
    /// is empty.
    fn element_of(&mut self, set: Value, origin: OriginId) -> Eval<Option<Value>> {
        let store = self.store;
        match store.view(set) {
            View::Powerset(base) => {
                let elems = self.elements(base, origin)?;
                let chosen: Vec<Value> =
                    elems.into_iter().filter(|_| self.context.random_below(2) == 1).collect();
                Ok(Some(store.set_sorted(&chosen)))
            }
            View::FunctionSet { domain, range } => {
                let domain = self.canonical(domain, origin)?;
                let n = store.items(domain).map_or(0, kilter_value::Items::len);
                let values = self.elements_of(std::iter::repeat_n(range, n), origin)?;
                Ok(values.map(|values| store.function(domain, &values)))
            }
            View::RecordSet { shape, sets } => {
                let values = self.elements_of(sets.iter(), origin)?;
                Ok(values.map(|values| store.record(&mut shape.iter().zip(values).collect())))
            }
            View::Product(sets) => {
                let values = self.elements_of(sets.iter(), origin)?;
                Ok(values.map(|values| store.tuple(&values)))
            }
            _ => {
                let set = self.canonical(set, origin)?;
                let items = store.items(set).filter(|items| !items.is_empty());
                Ok(items.map(|items| items.get(self.context.random_below(items.len()))))
            }
        }
    }

    /// Draws an element of each set. `None` if one of them is empty.
    fn elements_of(
        &mut self,
        sets: impl Iterator<Item = Value>,
        origin: OriginId,
    ) -> Eval<Option<Vec<Value>>> {
        let mut values = Vec::new();
        for set in sets {
            match self.element_of(set, origin)? {
                Some(value) => values.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(values))
    }

    fn elements(&mut self, set: Value, origin: OriginId) -> Eval<Vec<Value>> {
        let set = self.canonical(set, origin)?;
        Ok(self.store.items(set).map(|items| items.iter().collect()).unwrap_or_default())
    }

    pub(super) fn random_subset(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let size = self.natural_arg(call, 0)?;
        let set = self.eval(&call.args[1])?;
        self.finite_set(set, "second argument", "RandomSubset", origin)?;
        let n = match self.store.cardinality(set) {
            Ok(n) => n,
            Err(SetError::TooLarge(_)) => usize::MAX,
            Err(error) => return self.fail_set(origin, &error),
        };
        let mut chosen = if size < n / 2 && set.is_lazy() {
            // A few elements of a large set are drawn one by one until enough are different.
            let mut seen = std::collections::BTreeSet::new();
            while seen.len() < size {
                seen.extend(self.element_of(set, origin)?.map(Value::bits));
            }
            seen.into_iter().map(Value::from_bits).collect()
        } else {
            let mut elems = self.elements(set, origin)?;
            let size = size.min(elems.len());
            for i in 0..size {
                let other = i + self.context.random_below(elems.len() - i);
                elems.swap(i, other);
            }
            elems.truncate(size);
            elems
        };
        self.store.set(&mut chosen).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    /// Draws subsets. Each element is in a subset with the same probability.
    pub(super) fn random_set_of_subsets(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let op = call.native.name();
        let n_draws = self.natural_arg(call, 0)?;
        let set = self.eval(&call.args[2])?;
        self.finite_set(set, "third argument", op, origin)?;
        let elems = self.elements(set, origin)?;
        if elems.len() < 31 && n_draws > 1 << elems.len() {
            let message = format!(
                "the first argument of {op} is {n_draws}, but its set has only {} subsets",
                1 << elems.len()
            );
            return self.fail(origin, message);
        }
        let size = self.natural_arg(call, 1)?;
        if size > elems.len() {
            let message = format!(
                "the second argument of {op} is {size}, but its set has only {} elements",
                elems.len()
            );
            return self.fail(origin, message);
        }
        // Sets have fewer than 2^32 elements.
        let share = f64::from(size as u32) / f64::from(elems.len().max(1) as u32);
        let mut subsets = Vec::new();
        for _ in 0..n_draws {
            let subset: Vec<Value> =
                elems.iter().copied().filter(|_| self.random_fraction() < share).collect();
            subsets.push(self.store.set_sorted(&subset));
        }
        self.store.set(&mut subsets).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    /// Draws a number from 0 up to but not including 1.
    fn random_fraction(&mut self) -> f64 {
        const STEPS: u32 = 1 << 30;
        f64::from(self.context.random_below(STEPS as usize) as u32) / f64::from(STEPS)
    }
}
