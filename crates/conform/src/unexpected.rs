//! Decides whether the specification allows what nodes are about to do.
//!
//! An offer is allowed if there is a step for it in the current state, or in a state that can be reached by other
//! actions that are offered at the same time. Nodes offer everything that they can do by themselves, and the
//! specification may demand some order.

use std::collections::VecDeque;

use kilter_graph::StateId;
use rustc_hash::FxHashSet;

use crate::plan::Plan;
use crate::reading::{Library, ReadId};
use kilter_mapping::mapping::Deed;

/// The most states that are searched. A longer search finds nothing that people would call unexpected.
const STATES_MAX: usize = 2000;

/// The first of the offers that the specification forbids.
pub fn forbidden(plan: &Plan<'_>, library: &Library, offers: &[ReadId], state: StateId) -> Option<ReadId> {
    let mut open: Vec<ReadId> = offers.iter().copied().filter(|id| !library.get(*id).is_exempt).collect();
    if let Some(nonsense) = open.iter().find(|id| library.get(**id).problem.is_some()) {
        return Some(*nonsense);
    }
    let mut seen = FxHashSet::default();
    let mut queue = VecDeque::from([state]);
    seen.insert(state);
    while let Some(state) = queue.pop_front() {
        open.retain(|id| !plan.graph.outgoing(state).any(|edge| library.get(*id).fits(plan.step(edge))));
        if open.is_empty() || plan.is_border(state) || seen.len() > STATES_MAX {
            return None;
        }
        for edge in plan.graph.outgoing(state) {
            let step = plan.step(edge);
            let is_internal = matches!(plan.rule(edge).deed, Deed::Internal);
            if (is_internal || offers.iter().any(|id| library.get(*id).fits(step)))
                && seen.insert(plan.graph.target(edge))
            {
                queue.push_back(plan.graph.target(edge));
            }
        }
    }
    open.first().copied()
}
