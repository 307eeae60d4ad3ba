//! Finds where two values differ, down to the element.

use kilter_run::Difference;
use kilter_value::{Sequence, Store, Value, View};

/// Finds the differences in one variable.
pub struct Differ<'d> {
    /// The store with the values.
    pub store: &'d Store,
    /// The name of the variable.
    pub variable: &'d str,
    /// The differences that were found.
    pub found: Vec<Difference>,
}

impl Differ<'_> {
    /// Adds the differences between two values. `place` is their place in the variable.
    pub fn compare(&mut self, place: &str, expected: Value, observed: Value) {
        if expected == observed {
            return;
        }
        match (self.store.view(expected), self.store.view(observed)) {
            (View::Tuple(a), View::Tuple(b)) if !a.is_empty() && !b.is_empty() => self.tuples(place, a, b),
            _ if self.have_keys_in_common(expected, observed) => self.functions(place, expected, observed),
            _ => match (self.store.items(expected), self.store.items(observed)) {
                (Some(a), Some(b)) => {
                    self.sets(place, &a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>());
                }
                _ => self.leaf(place, Some(expected), Some(observed)),
            },
        }
    }

    /// Adds a difference at which a value may be missing on one side.
    pub fn leaf(&mut self, place: &str, expected: Option<Value>, observed: Option<Value>) {
        let show = |value: Option<Value>| value.map(|value| self.store.show(value)).unwrap_or_default();
        let (expected, observed) = (show(expected), show(observed));
        self.text(place, expected, observed);
    }

    /// Adds a difference in words.
    pub fn text(&mut self, place: &str, expected: String, observed: String) {
        let variable = self.variable.to_owned();
        self.found.push(Difference { variable, place: place.to_owned(), expected, observed });
    }

    fn tuples(&mut self, place: &str, expected: Sequence<'_>, observed: Sequence<'_>) {
        for index in 0..expected.len().max(observed.len()) {
            let place = format!("{place}[{}]", index + 1);
            let at = |elems: Sequence<'_>| (index < elems.len()).then(|| elems.get(index));
            match (at(expected), at(observed)) {
                (Some(a), Some(b)) => self.compare(&place, a, b),
                (a, b) => self.leaf(&place, a, b),
            }
        }
    }

    fn have_keys_in_common(&self, left: Value, right: Value) -> bool {
        let (Some(left), Some(right)) = (self.pairs(left), self.pairs(right)) else { return false };
        left.iter().any(|(arg, _)| find(&right, *arg).is_some())
    }

    fn functions(&mut self, place: &str, expected: Value, observed: Value) {
        let (Some(expected), Some(observed)) = (self.pairs(expected), self.pairs(observed)) else { return };
        for (arg, value) in &expected {
            let place = self.component(place, *arg);
            match find(&observed, *arg) {
                Some(other) => self.compare(&place, *value, other),
                None => self.leaf(&place, Some(*value), None),
            }
        }
        for (arg, value) in &observed {
            if find(&expected, *arg).is_none() {
                let place = self.component(place, *arg);
                self.leaf(&place, None, Some(*value));
            }
        }
    }

    fn sets(&mut self, place: &str, expected: &[Value], observed: &[Value]) {
        let place = format!("{place} element");
        for value in expected.iter().filter(|value| !observed.contains(value)) {
            self.leaf(&place, Some(*value), None);
        }
        for value in observed.iter().filter(|value| !expected.contains(value)) {
            self.leaf(&place, None, Some(*value));
        }
    }

    fn pairs(&self, function: Value) -> Option<Vec<(Value, Value)>> {
        let args = self.store.items(self.store.domain(function)?)?;
        Some(args.iter().zip(self.store.range_elems(function)?).collect())
    }

    /// The place of a component: `f[x]` or `r.x`.
    fn component(&self, place: &str, arg: Value) -> String {
        match self.store.string_text(arg) {
            Some(name) => format!("{place}.{name}"),
            None => format!("{place}[{}]", self.store.show(arg)),
        }
    }
}

fn find(pairs: &[(Value, Value)], arg: Value) -> Option<Value> {
    pairs.iter().find(|(other, _)| *other == arg).map(|(_, value)| *value)
}
