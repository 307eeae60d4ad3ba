//! Decides which actions keep their successors in a table.
//!
//! An action that reads few variables meets the same values of these again and again, in states that differ elsewhere.
//! For equal values read it writes equal values, whatever the other variables are.
//!
//! Simple guards at the start of an action are evaluated before each lookup. Most actions are disabled in most states,
//! and what only these guards read then does not take room in the key.

use std::collections::BTreeSet;

use super::Compiler;
use super::free::Free;
use crate::node::{Act, ActKind, CachedAct, Node, Var};

/// The most values that a key may have.
const KEY_MAX: usize = 6;

/// Variables that an action assigns, and those that it declares unchanged.
#[derive(Default)]
struct Writes {
    assigned: BTreeSet<Var>,
    unchanged: BTreeSet<Var>,
    /// Whether the action has a part whose writes are not known.
    unknown: bool,
}

impl Compiler<'_> {
    /// Wraps the parts of Next for which a table pays: its leaves, and loops over sets that depend on the state.
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
        let Some(whole) = self.act_deps.get(&act.origin) else { return act };
        let n_guards = act.first_guards().take_while(|guard| self.is_simple(guard)).count();
        let free = self.reads_after(&act, n_guards).unwrap_or_else(|| whole.clone());
        let mut writes = Writes::default();
        collect(&act, &mut writes);
        let mut vars = free.vars.clone();
        // If a variable may be assigned and may also be declared unchanged, its old value shows in the result.
        vars.extend(writes.assigned.intersection(&writes.unchanged));
        // The same holds if an unchanged variable is read with a prime.
        vars.extend(writes.unchanged.intersection(&free.primed));
        let n_vars = self.spec.variables.len();
        let too_much = vars.len() + free.slots.len() > KEY_MAX || vars.len() == n_vars;
        if whole.impure || writes.unknown || too_much {
            return act;
        }
        let origin = act.origin;
        let cached = CachedAct {
            number: self.n_cached,
            slots: free.slots.iter().copied().collect(),
            vars: vars.into_iter().collect(),
            n_guards,
            guards_decide: free.vars.len() + free.slots.len() < whole.vars.len() + whole.slots.len(),
            writes: writes.assigned.into_iter().collect(),
            body: act,
        };
        self.n_cached += 1;
        Act { kind: ActKind::Cached(Box::new(cached)), origin }
    }
}

impl Compiler<'_> {
    /// Whether evaluating a guard is about as fast as a lookup.
    fn is_simple(&self, guard: &Node) -> bool {
        let simple = |free: &Free| !free.loops && !free.impure && free.primed.is_empty();
        self.deps.get(&guard.origin).is_some_and(|free| simple(free))
    }

    /// What an action reads after its first `n_guards` guards. `None` if that is not known.
    fn reads_after(&self, act: &Act, n_guards: usize) -> Option<Free> {
        let ActKind::Named(_, body) = &act.kind else { return None };
        let ActKind::And(items) = &body.kind else { return None };
        self.reads(&items[n_guards..])
    }

    fn reads(&self, items: &[Act]) -> Option<Free> {
        let mut all = Free::default();
        for item in items {
            match &item.kind {
                ActKind::And(items) => all.merge(&self.reads(items)?),
                ActKind::Guard(node)
                | ActKind::Assign(_, node)
                | ActKind::AssignIn(_, node)
                | ActKind::AssignSubset(_, node) => all.merge(self.deps.get(&node.origin)?),
                ActKind::Unchanged(_) => {}
                _ => return None,
            }
        }
        Some(all)
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
