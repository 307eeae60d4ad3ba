//! Actions whose successors are remembered.
//!
//! An action that reads few of the variables meets the same values of those again and again, in states that differ
//! elsewhere. What it writes then is the same, and what it leaves unchanged is not even looked at.

use std::collections::BTreeSet;

use super::Compiler;
use crate::node::{Act, ActKind, CachedAct, Var};

/// A key has at most this many values.
const KEY_MAX: usize = 6;

/// Variables that an action assigns, and those that it declares unchanged.
#[derive(Default)]
struct Writes {
    assigned: BTreeSet<Var>,
    unchanged: BTreeSet<Var>,
    /// Set when there is something inside whose writes are not known.
    unknown: bool,
}

impl Compiler<'_> {
    /// Wraps the parts of Next that are worth it: its leaves, and loops over sets that depend on the state.
    pub(super) fn cache_units(&mut self, act: Act) -> Act {
        let Act { kind, origin } = act;
        let kind = match kind {
            ActKind::Or(arms) => {
                ActKind::Or(arms.into_iter().map(|(block, arm)| (block, self.cache_units(arm))).collect())
            }
            ActKind::Scope(slots, body) => ActKind::Scope(slots, Box::new(self.cache_units(*body))),
            ActKind::Exists(mut binder) => {
                let constant = binder.bounds.iter().all(|bound| {
                    self.deps.get(&bound.set.origin).is_some_and(|free| free.vars.is_empty() && !free.impure)
                });
                if !constant {
                    return self.cached(Act { kind: ActKind::Exists(binder), origin });
                }
                binder.body = self.cache_units(binder.body);
                ActKind::Exists(binder)
            }
            ActKind::Named(..) => return self.cached(Act { kind, origin }),
            other => other,
        };
        Act { kind, origin }
    }

    fn cached(&mut self, act: Act) -> Act {
        let Some(free) = self.act_deps.get(&act.origin) else { return act };
        let mut writes = Writes::default();
        collect(&act, &mut writes);
        let mut vars = free.vars.clone();
        // Where a variable may be assigned and declared unchanged, its old value matters.
        vars.extend(writes.assigned.intersection(&writes.unchanged));
        // So it does where an unchanged variable is read with a prime.
        vars.extend(writes.unchanged.intersection(&free.primed));
        let n_vars = self.spec.variables.len();
        let too_much = vars.len() + free.slots.len() > KEY_MAX || vars.len() == n_vars;
        if free.impure || writes.unknown || too_much {
            return act;
        }
        let origin = act.origin;
        let cached = CachedAct {
            number: self.n_cached,
            slots: free.slots.iter().copied().collect(),
            vars: vars.into_iter().collect(),
            writes: writes.assigned.into_iter().collect(),
            body: act,
        };
        self.n_cached += 1;
        Act { kind: ActKind::Cached(Box::new(cached)), origin }
    }
}

/// The variables that an action declares unchanged.
pub(super) fn unchanged_vars(act: &Act) -> BTreeSet<Var> {
    let mut writes = Writes::default();
    collect(act, &mut writes);
    writes.unchanged
}

fn collect(act: &Act, writes: &mut Writes) {
    match &act.kind {
        ActKind::And(items) => items.iter().for_each(|item| collect(item, writes)),
        ActKind::Or(arms) => arms.iter().for_each(|(_, arm)| collect(arm, writes)),
        ActKind::Exists(binder) | ActKind::Forall(binder) => collect(&binder.body, writes),
        ActKind::Assign(var, _) | ActKind::AssignIn(var, _) | ActKind::AssignSubset(var, _) => {
            writes.assigned.insert(*var);
        }
        ActKind::Unchanged(var) => {
            writes.unchanged.insert(*var);
        }
        ActKind::If(_, branches) => branches.iter().for_each(|(_, branch)| collect(branch, writes)),
        ActKind::Case(arms, other) => {
            arms.iter().for_each(|(_, _, arm)| collect(arm, writes));
            if let Some(other) = other {
                collect(&other.1, writes);
            }
        }
        ActKind::Implies(_, body) | ActKind::Scope(_, body) | ActKind::Named(_, body) => {
            collect(body, writes);
        }
        ActKind::Cached(cached) => collect(&cached.body, writes),
        ActKind::Guard(_) | ActKind::Changed(_) => {}
        ActKind::Index(_) | ActKind::Call(..) | ActKind::Compose(_) => writes.unknown = true,
    }
}
