//! Checks a graph that comes from a file, once, so that no other code has to check it.

use crate::graph::Parts;
use crate::lists::Lists;

/// Checks that every id refers to something that exists. The error names the first that does not.
pub(crate) fn check(parts: &Parts) -> Result<(), &'static str> {
    let claims = [
        (parts.values.is_sound(), "values"),
        (are_blocks_sound(parts), "basic blocks"),
        (are_labels_sound(parts), "labels"),
        (are_states_sound(parts), "states"),
        (are_edges_sound(parts), "edges"),
    ];
    match claims.iter().find(|(holds, _)| !holds) {
        Some((_, what)) => Err(what),
        None => Ok(()),
    }
}

fn are_blocks_sound(parts: &Parts) -> bool {
    parts.blocks.iter().all(|block| below(block.file, parts.files.len()))
}

fn are_labels_sound(parts: &Parts) -> bool {
    let holds_ids_below =
        |lists: &Lists, n: usize| lists.is_sound() && lists.iter().flatten().all(|id| below(*id, n));
    holds_ids_below(&parts.arg_lists, parts.values.len())
        && holds_ids_below(&parts.ways, parts.blocks.len())
        && holds_ids_below(&parts.way_sets, parts.ways.len())
        && parts.way_sets.iter().all(|set| !set.is_empty())
        && parts.labels.iter().all(|label| {
            let (args, ways) = label.lists();
            let action = parts.actions.get(label.action().0 as usize);
            below(args, parts.arg_lists.len())
                && below(ways, parts.way_sets.len())
                && action.is_some_and(|action| action.params.len() == parts.arg_lists.get(args).len())
        })
}

fn are_states_sound(parts: &Parts) -> bool {
    let n_states = parts.n_states as usize;
    n_states.checked_mul(parts.variables.len()) == Some(parts.rows.len())
        && parts.rows.iter().all(|value| below(*value, parts.values.len()))
        && parts.initial.iter().all(|state| below(*state, n_states))
        && parts.initial.is_sorted_by(|a, b| a < b)
}

fn are_edges_sound(parts: &Parts) -> bool {
    parts.starts.len() == parts.n_states as usize + 1
        && parts.starts.first() == Some(&0)
        && parts.starts.is_sorted()
        && parts.starts.last().is_some_and(|end| *end as usize == parts.targets.len())
        && parts.edge_labels.len() == parts.targets.len()
        && parts.targets.iter().all(|target| below(*target, parts.n_states as usize))
        && parts.edge_labels.iter().all(|label| below(*label, parts.labels.len()))
        && parts.edge_exchanges.len() == if parts.exchanges.is_empty() { 0 } else { parts.targets.len() }
        && parts.edge_exchanges.iter().all(|exchange| below(*exchange, parts.exchanges.len()))
        && parts.exchanges.iter().all(|pairs| is_exchange(pairs))
}

/// Whether each name is renamed once, and no two to the same name.
pub(crate) fn is_exchange(pairs: &[(String, String)]) -> bool {
    let mut from: Vec<&str> = pairs.iter().map(|(from, _)| from.as_str()).collect();
    let mut to: Vec<&str> = pairs.iter().map(|(_, to)| to.as_str()).collect();
    from.sort_unstable();
    to.sort_unstable();
    from == to && from.is_sorted_by(|a, b| a < b)
}

fn below(id: u32, n: usize) -> bool {
    (id as usize) < n
}
