//! Finds what changed between two values: the changed components of functions, records and sequences, and the elements
//! that a set gained or lost.

use kilter_value::{Sequence, Store, Value, View};

/// One change at one place in a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The variable with indices and fields, such as `log[n1]`.
    pub place: String,
    /// What happened there.
    pub kind: Kind,
}

/// What changed at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The value changed from the first to the second.
    Became(Value, Value),
    /// The component is new.
    Added(Value),
    /// The component is gone.
    Removed(Value),
    /// The sequence got these elements at its end.
    Appended(Vec<Value>),
    /// The sequence lost these elements at its head.
    Dropped(Vec<Value>),
    /// The set gained and lost elements.
    Elements {
        /// The new elements.
        gained: Vec<Value>,
        /// The elements that are gone.
        lost: Vec<Value>,
    },
}

/// If the old and the new value together have at most this many characters, both are shown as a whole.
const SHORT: usize = 40;

/// The changes from `old` to `new` at a place. Empty if they are equal.
pub fn between(store: &Store, place: &str, old: Value, new: Value) -> Vec<Change> {
    if old == new {
        return Vec::new();
    }
    let parts = inside(store, place, old, new);
    let short = || store.show(old).chars().count() + store.show(new).chars().count() <= SHORT;
    match parts {
        Some(parts) if parts.len() == 1 && !is_list(&parts[0].kind) => parts,
        Some(parts) if !short() => parts,
        _ => vec![Change { place: place.to_owned(), kind: Kind::Became(old, new) }],
    }
}

fn is_list(kind: &Kind) -> bool {
    matches!(kind, Kind::Appended(_) | Kind::Dropped(_) | Kind::Elements { .. })
}

/// The changes of components. `None` if the values have no components in common.
fn inside(store: &Store, place: &str, old: Value, new: Value) -> Option<Vec<Change>> {
    match (store.view(old), store.view(new)) {
        (View::Tuple(a), View::Tuple(b)) => tuples(store, place, a, b),
        _ if store.is_function(old) && store.is_function(new) => functions(store, place, old, new),
        _ => sets(store, place, old, new),
    }
}

fn tuples(store: &Store, place: &str, old: Sequence<'_>, new: Sequence<'_>) -> Option<Vec<Change>> {
    let change = |kind| Some(vec![Change { place: place.to_owned(), kind }]);
    let (n, m) = (old.len(), new.len());
    if n == m {
        let pairs = old.iter().zip(new).enumerate();
        return Some(
            pairs.flat_map(|(i, (a, b))| between(store, &format!("{place}[{}]", i + 1), a, b)).collect(),
        );
    }
    let same = |a: &mut dyn Iterator<Item = Value>, b: &mut dyn Iterator<Item = Value>| a.eq(b);
    if m > n && n > 0 && same(&mut old.iter(), &mut new.iter().take(n)) {
        return change(Kind::Appended(new.iter().skip(n).collect()));
    }
    if n > m && m > 0 && same(&mut old.iter().skip(n - m), &mut new.iter()) {
        return change(Kind::Dropped(old.iter().take(n - m).collect()));
    }
    None
}

fn functions(store: &Store, place: &str, old: Value, new: Value) -> Option<Vec<Change>> {
    let (before, after) = (pairs(store, old)?, pairs(store, new)?);
    let find =
        |list: &[(Value, Value)], arg| list.iter().find(|(other, _)| *other == arg).map(|(_, value)| *value);
    if !after.iter().any(|(arg, _)| find(&before, *arg).is_some()) {
        return None;
    }
    let mut changes = Vec::new();
    for (arg, value) in &after {
        let place = component(store, place, *arg);
        match find(&before, *arg) {
            Some(earlier) => changes.extend(between(store, &place, earlier, *value)),
            None => changes.push(Change { place, kind: Kind::Added(*value) }),
        }
    }
    for (arg, value) in &before {
        if find(&after, *arg).is_none() {
            changes.push(Change { place: component(store, place, *arg), kind: Kind::Removed(*value) });
        }
    }
    Some(changes)
}

/// The place of a component: `f[x]` or `r.x`.
fn component(store: &Store, place: &str, arg: Value) -> String {
    match store.string_text(arg) {
        Some(name) if is_name(name) => format!("{place}.{name}"),
        _ => format!("{place}[{}]", store.show(arg)),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn pairs(store: &Store, function: Value) -> Option<Vec<(Value, Value)>> {
    let domain = store.items(store.domain(function)?)?;
    let values = store.range_elems(function)?;
    Some(domain.iter().zip(values).collect())
}

fn sets(store: &Store, place: &str, old: Value, new: Value) -> Option<Vec<Change>> {
    let before: Vec<Value> = store.items(old)?.iter().collect();
    let after: Vec<Value> = store.items(new)?.iter().collect();
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let without =
        |list: &[Value], other: &[Value]| list.iter().copied().filter(|item| !other.contains(item)).collect();
    let (gained, lost): (Vec<Value>, Vec<Value>) = (without(&after, &before), without(&before, &after));
    Some(vec![Change { place: place.to_owned(), kind: Kind::Elements { gained, lost } }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_that_gains_and_loses_elements_shows_both() {
        let store = Store::new();
        // Short values are shown as a whole.
        let long = |number: i32| store.int(100_000_000 + number);
        let set = |numbers: &[i32]| {
            let mut items: Vec<Value> = numbers.iter().map(|number| long(*number)).collect();
            store.set(&mut items).expect("numbers can be compared")
        };
        for (old, new) in [(&[1, 2][..], &[2, 3][..]), (&[1, 2, 4], &[2, 3, 4])] {
            let changes = between(&store, "s", set(old), set(new));
            let [Change { kind: Kind::Elements { gained, lost }, .. }] = &changes[..] else {
                panic!("{} changes", changes.len())
            };
            assert_eq!((gained, lost), (&vec![long(3)], &vec![long(1)]));
        }
        assert!(matches!(between(&store, "s", set(&[]), set(&[1]))[0].kind, Kind::Became(..)));
    }
}
