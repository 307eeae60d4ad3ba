//! Looks for the steps of some actions alone, with arguments that the caller knows. A line of a log names the action of
//! a step, and often its arguments; then most of Next need not be run.

use std::sync::Arc;

use kilter_value::Value;
use rustc_hash::FxHashMap;

use super::Worker;
use super::act::Rest;
use super::successors::Successors;
use crate::error::{Eval, EvalError};
use crate::node::{Act, ActBinder, ActKind, ActionId, Bound, Kind, Slot, Target};

/// The steps of an action with these arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The action.
    pub action: ActionId,
    /// The arguments that are known, by their index in [`crate::node::Action::args`].
    pub args: Vec<(usize, Value)>,
}

impl Wanted {
    /// All steps of an action.
    pub fn any(action: ActionId) -> Wanted {
        Wanted { action, args: Vec::new() }
    }
}

/// What a guided search looks for, and what it has found out about the program.
#[derive(Default)]
pub(super) struct Guide {
    wanted: Arc<[Wanted]>,
    /// The actions below each `\E`, by the place of its node in memory. The program stays where it is.
    below: FxHashMap<usize, Arc<[ActionId]>>,
}

impl Worker<'_> {
    /// Finds the steps of a state that are wanted. Steps of no named action are left out.
    pub fn steps(
        &mut self,
        now: &[Value],
        wanted: &Arc<[Wanted]>,
        out: &mut Successors,
    ) -> Result<(), EvalError> {
        self.begin_guide(wanted);
        let record = std::mem::replace(&mut self.finding.record, true);
        let result = self.successors(now, out);
        self.finding.record = record;
        self.end_guide();
        result
    }

    pub(super) fn begin_guide(&mut self, wanted: &Arc<[Wanted]>) {
        let mut guide = self.finding.idle_guide.take().unwrap_or_default();
        guide.wanted = Arc::clone(wanted);
        self.finding.guide = Some(guide);
    }

    pub(super) fn end_guide(&mut self) {
        self.finding.idle_guide = self.finding.guide.take();
    }

    /// Whether a guided search chooses here: outside of actions, and not in a question such as ENABLED.
    #[inline]
    pub(super) fn is_guided(&self) -> bool {
        self.finding.guide.is_some() && self.finding.action == u32::MAX && !self.finding.probing
    }

    /// Whether somebody wants steps of an action with the arguments that it has here.
    pub(super) fn is_wanted(&mut self, action: ActionId) -> bool {
        let program = self.program;
        let Some(guide) = &self.finding.guide else { return true };
        let wanted = Arc::clone(&guide.wanted);
        for one in wanted.iter().filter(|one| one.action == action) {
            let mut fits = true;
            for (index, value) in &one.args {
                let (_, node) = &program.actions[action].args[*index];
                match self.eval(node).and_then(|found| self.canonical(found, node.origin)) {
                    Ok(found) => fits &= found == *value,
                    // The action itself may never evaluate it, or says better what is wrong.
                    Err(_) => self.failure = None,
                }
                if !fits {
                    break;
                }
            }
            if fits {
                return true;
            }
        }
        false
    }

    /// Runs a `\E`. Where an argument of the wanted actions is known, its set is only asked whether it has it. So the set
    /// may also be one that has no end.
    pub(super) fn run_exists_guided<'a>(&mut self, binder: &'a ActBinder, rest: &Rest<'_, 'a>) -> Eval<bool> {
        let below = self.actions_below(binder);
        let wanted = self.finding.guide.as_ref().map(|guide| Arc::clone(&guide.wanted)).unwrap_or_default();
        let wanted: Vec<&Wanted> = wanted.iter().filter(|one| below.contains(&one.action)).collect();
        if wanted.is_empty() {
            return Ok(true);
        }
        let loops: Vec<Loop<'a>> = loops(&binder.bounds)
            .map(|(bound, slot)| Loop {
                bound,
                slot,
                known: slot.and_then(|slot| self.known_values(slot, &wanted)),
            })
            .collect();
        self.each_guided(&loops, &mut |worker| worker.run(&binder.body, rest))
    }

    fn each_guided(
        &mut self,
        loops: &[Loop<'_>],
        body: &mut dyn FnMut(&mut Self) -> Eval<bool>,
    ) -> Eval<bool> {
        let Some((first, others)) = loops.split_first() else { return body(self) };
        let Bound { target, set, .. } = first.bound;
        let (Some(slot), Some(known)) = (first.slot, &first.known) else {
            let value = self.eval(set)?;
            return self.each(value, set.origin, |worker, elem| {
                match (first.slot, target) {
                    (Some(slot), _) => worker.frames.set(slot, elem),
                    (None, Target::Tuple(slots) | Target::Slots(slots)) => {
                        worker.bind_tuple(slots, elem, set.origin)?;
                    }
                }
                worker.each_guided(others, body)
            });
        };
        for value in known {
            let is_member = match self.member(*value, set, set.origin) {
                Ok(is_member) => is_member,
                // A value of another type than the elements is none of them. A set without an end has elements of one type.
                Err(_) => {
                    self.failure = None;
                    let whole = self.eval(set)?;
                    let mut is_member = false;
                    let looked = self.each(whole, set.origin, |_, elem| {
                        is_member |= elem == *value;
                        Ok(!is_member)
                    });
                    if looked.is_err() {
                        self.failure = None;
                    }
                    is_member
                }
            };
            if is_member {
                self.frames.set(slot, *value);
                if !self.each_guided(others, body)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The values that the name in this slot can have in wanted steps. `None` if that is not known.
    fn known_values(&self, slot: Slot, wanted: &[&Wanted]) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        for one in wanted {
            let args = &self.program.actions[one.action].args;
            let is_it = |(index, _): &&(usize, Value)| matches!(args[*index].1.kind, Kind::Slot(other) if other == slot);
            let (_, value) = one.args.iter().find(is_it)?;
            if !values.contains(value) {
                values.push(*value);
            }
        }
        Some(values)
    }

    fn actions_below(&mut self, binder: &ActBinder) -> Arc<[ActionId]> {
        let Some(guide) = &mut self.finding.guide else { return Arc::default() };
        let place = std::ptr::from_ref(binder) as usize;
        let below = guide.below.entry(place).or_insert_with(|| {
            let mut found = Vec::new();
            add_actions(&binder.body, &mut found);
            found.into()
        });
        Arc::clone(below)
    }
}

/// One name, or one tuple of names, of a `\E`.
struct Loop<'a> {
    bound: &'a Bound,
    /// The slot of the name. `None` for a tuple of names.
    slot: Option<Slot>,
    /// The only values that matter.
    known: Option<Vec<Value>>,
}

/// The loops of a `\E`. A bound with several names is several loops.
fn loops(bounds: &[Bound]) -> impl Iterator<Item = (&Bound, Option<Slot>)> {
    bounds.iter().flat_map(|bound| {
        let slots: Vec<Option<Slot>> = match &bound.target {
            Target::Slots(slots) => slots.iter().copied().map(Some).collect(),
            Target::Tuple(_) => vec![None],
        };
        slots.into_iter().map(move |slot| (bound, slot))
    })
}

/// Adds all named actions in `act`.
fn add_actions(act: &Act, found: &mut Vec<ActionId>) {
    match &act.kind {
        ActKind::Named(action, _) => found.push(*action),
        ActKind::And(items) => items.iter().for_each(|item| add_actions(item, found)),
        ActKind::Or(arms) => arms.iter().for_each(|(_, arm)| add_actions(arm, found)),
        ActKind::Exists(binder) | ActKind::Forall(binder) => add_actions(&binder.body, found),
        ActKind::If(_, branches) => branches.iter().for_each(|(_, branch)| add_actions(branch, found)),
        ActKind::Case(arms, other) => {
            arms.iter().for_each(|(_, _, arm)| add_actions(arm, found));
            if let Some(other) = other {
                add_actions(&other.1, found);
            }
        }
        ActKind::Implies(_, body) | ActKind::Scope(_, body) => add_actions(body, found),
        ActKind::Cached(cached) => add_actions(&cached.body, found),
        ActKind::Compose(pair) => pair.iter().for_each(|one| add_actions(one, found)),
        _ => {}
    }
}
