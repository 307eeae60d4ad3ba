//! The group of permutations that a model declares with SYMMETRY.

use std::collections::HashSet;

use kilter_eval::{EvalError, Worker};
use kilter_value::{Permutation, Value, View};

/// All permutations but the identity.
pub(super) fn group(worker: &mut Worker<'_>) -> Result<Vec<Permutation>, EvalError> {
    let (program, store) = (worker.program(), worker.store());
    let mut generators = Vec::new();
    for symmetry in &program.symmetry {
        let set = worker.value(symmetry, &[], None)?;
        for function in store.items(set).into_iter().flat_map(|items| items.iter().collect::<Vec<_>>()) {
            if let View::Function { domain, values } = store.view(function) {
                let domain: Vec<Value> =
                    store.items(domain).map(|items| items.iter().collect()).unwrap_or_default();
                generators.push(Permutation::new(domain.into_iter().zip(values.iter())));
            }
        }
    }
    Ok(closure(&generators))
}

fn closure(generators: &[Permutation]) -> Vec<Permutation> {
    let mut known = HashSet::new();
    let mut members = Vec::new();
    let mut waiting: Vec<Permutation> = generators.to_vec();
    while let Some(one) = waiting.pop() {
        if !one.is_identity() && known.insert(one.clone()) {
            waiting.extend(generators.iter().map(|generator| one.then(generator)));
            members.push(one);
        }
    }
    members
}
