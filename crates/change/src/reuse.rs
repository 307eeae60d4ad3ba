//! Finds what an earlier run has confirmed and no change has touched since.

use kilter_base::Id;
use kilter_graph::{EdgeId, StateGraph};

use crate::graphs::GraphChange;
use crate::pattern::Pattern;
use crate::patterns::Affected;

/// What an earlier record still confirms after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// The number of cases of the record that passed.
    pub passed: usize,
    /// The number of these cases that still count, because no edge on their paths is affected.
    pub standing: usize,
    /// The number of edges that both graphs have and that no passed case has confirmed.
    pub unconfirmed: usize,
}

/// Adds the edges that the record of a run over the old graph does not confirm. `passed` has the edges of each passed
/// case.
pub fn reuse(graphs: &GraphChange, new: &StateGraph, passed: &[Vec<u32>], affected: &mut Affected) -> Reuse {
    let first = |edge: &u32| graphs.old_first.get(*edge as usize).map(|first| first.index());
    let mut is_confirmed = vec![false; graphs.old_first.len()];
    for edge in passed.iter().flatten().filter_map(first) {
        is_confirmed[edge] = true;
    }
    let is_unconfirmed =
        |edge: &EdgeId| graphs.old_edge[edge.index()].is_some_and(|old| !is_confirmed[old.index()]);
    let unconfirmed: Vec<EdgeId> = new.edges().filter(is_unconfirmed).collect();
    let n_unconfirmed = unconfirmed.len();
    affected.add(Pattern::Unconfirmed, "the record", unconfirmed);
    // An old edge still counts if the new graph has it and none of the new edges that are the same have to be tested.
    let mut stands = vec![false; graphs.old_first.len()];
    for edge in new.edges() {
        if let Some(old) = graphs.old_edge[edge.index()] {
            stands[old.index()] = true;
        }
    }
    for edge in new.edges().filter(|edge| affected.edges[edge.index()]) {
        if let Some(old) = graphs.old_edge[edge.index()] {
            stands[old.index()] = false;
        }
    }
    let is_standing = |edges: &&Vec<u32>| edges.iter().all(|edge| first(edge).is_some_and(|old| stands[old]));
    Reuse {
        passed: passed.len(),
        standing: passed.iter().filter(is_standing).count(),
        unconfirmed: n_unconfirmed,
    }
}
