//! Decides which states count as the same: those with equal views, and those that a permutation of model values turns
//! into each other.

use std::cmp::Ordering;
use std::collections::HashSet;

use kilter_eval::{EvalError, Program, Worker};
use kilter_value::{Permutation, PermuteCache, Store, Value, View};

/// How states are told apart.
pub(crate) struct Identity {
    permutations: Vec<Permutation>,
    has_view: bool,
}

impl Identity {
    /// States are the same only if their values are.
    pub(crate) fn none() -> Self {
        Identity { permutations: Vec::new(), has_view: false }
    }

    /// Evaluates SYMMETRY and generates the group of its permutations.
    pub(crate) fn new(program: &Program, store: &Store, worker: &mut Worker<'_>) -> Result<Self, EvalError> {
        let mut generators = Vec::new();
        for symmetry in &program.symmetry {
            let set = worker.value(symmetry, &[], None)?;
            if let Some(items) = store.items(set) {
                for function in items.iter() {
                    generators.push(permutation(store, function));
                }
            }
        }
        Ok(Identity { permutations: group(&generators), has_view: program.view.is_some() })
    }

    /// The permutations under which states count as the same, without the identity.
    pub(crate) fn permutations(&self) -> &[Permutation] {
        &self.permutations
    }

    /// Whether there is a permutation other than the identity.
    pub(crate) fn has_symmetry(&self) -> bool {
        !self.permutations.is_empty()
    }

    /// The number of values that identify a state. `None` if the state itself does.
    pub(crate) fn key_width(&self, n_vars: usize) -> Option<usize> {
        if self.has_view {
            Some(1)
        } else if self.permutations.is_empty() {
            None
        } else {
            Some(n_vars)
        }
    }

    /// Writes what identifies `row` to `key`.
    pub(crate) fn key(
        &self,
        row: &[Value],
        key: &mut Vec<Value>,
        program: &Program,
        worker: &mut Worker<'_>,
        caches: &mut Vec<PermuteCache>,
    ) -> Result<(), EvalError> {
        key.clear();
        key.extend_from_slice(row);
        let Some(view) = &program.view else {
            // Any choice among the images will do, if it is the same for all of them.
            let order = |a: &[Value], b: &[Value]| a.iter().map(|v| v.bits()).cmp(b.iter().map(|v| v.bits()));
            self.take_smallest(key, worker.store(), caches, order);
            return Ok(());
        };
        // A view need not treat model values alike. So the choice must be the same as TLC's.
        let store = worker.store();
        self.take_smallest(key, store, caches, |a, b| {
            let compared = a.iter().zip(b).map(|(a, b)| store.compare(*a, *b));
            // All images of a state have the same shape, so they can be compared.
            compared.flatten().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        let value = worker.value(view, key, None)?;
        key.clear();
        key.push(value);
        Ok(())
    }

    /// Replaces a state by the smallest of its images.
    fn take_smallest(
        &self,
        state: &mut Vec<Value>,
        store: &Store,
        caches: &mut Vec<PermuteCache>,
        order: impl Fn(&[Value], &[Value]) -> Ordering,
    ) {
        if self.permutations.is_empty() {
            return;
        }
        caches.resize_with(self.permutations.len(), PermuteCache::default);
        let original = state.clone();
        let mut image = Vec::with_capacity(original.len());
        for (permutation, cache) in self.permutations.iter().zip(caches) {
            image.clear();
            image.extend(original.iter().map(|value| store.permute(*value, permutation, cache)));
            if order(&image, state).is_lt() {
                std::mem::swap(state, &mut image);
            }
        }
    }
}

fn permutation(store: &Store, function: Value) -> Permutation {
    match store.view(function) {
        View::Function { domain, values } => {
            let domain: Vec<Value> =
                store.items(domain).map(|items| items.iter().collect()).unwrap_or_default();
            Permutation::new(domain.into_iter().zip(values.iter()))
        }
        _ => Permutation::new([]),
    }
}

/// The group that the permutations generate, without the identity.
fn group(permutations: &[Permutation]) -> Vec<Permutation> {
    let mut generators: Vec<&Permutation> = Vec::new();
    let mut members = Vec::new();
    let mut known = HashSet::new();
    for permutation in permutations {
        // A few permutations generate all of `Permutations(S)`. With all of them as generators, large groups would take
        // long.
        if !permutation.is_identity() && !known.contains(permutation) {
            generators.push(permutation);
            (members, known) = closure(&generators);
        }
    }
    members
}

/// All products of the generators except the identity, as a list in the order in which they are found and as a set.
fn closure(generators: &[&Permutation]) -> (Vec<Permutation>, HashSet<Permutation>) {
    let mut members: Vec<Permutation> = Vec::new();
    let mut known = HashSet::new();
    let mut waiting: Vec<Permutation> = generators.iter().copied().cloned().collect();
    while let Some(permutation) = waiting.pop() {
        if permutation.is_identity() || !known.insert(permutation.clone()) {
            continue;
        }
        waiting.extend(generators.iter().map(|generator| permutation.then(generator)));
        members.push(permutation);
    }
    (members, known)
}
