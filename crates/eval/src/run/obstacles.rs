//! Finds out why an action is not enabled: on each way through it, the first conjunct that is false.

use std::sync::Arc;

use kilter_base::Name;
use kilter_value::Value;

use super::Worker;
use super::act::Rest;
use super::guide::Wanted;
use super::successors::Successors;
use crate::error::{Eval, EvalError};
use crate::node::{Act, ActBinder, ActKind, ActionId};
use crate::program::Program;
use crate::reason::{Choice, Obstacle, Reason};

/// More obstacles are not kept.
const OBSTACLES_MAX: usize = 100_000;

/// What is in the way of one action.
pub(super) struct Obstacles {
    wanted: Name,
    found: Vec<Obstacle>,
    /// The names of the `\A` whose body runs, with their values.
    choice: Vec<(Name, Value)>,
}

impl Worker<'_> {
    /// Looks for successors of a state, and for all that is in the way of the actions named `wanted`. Obstacles before an
    /// action come without it.
    pub fn obstacles(
        &mut self,
        wanted: &Name,
        now: &[Value],
        out: &mut Successors,
    ) -> Result<Vec<Obstacle>, EvalError> {
        let record = std::mem::replace(&mut self.finding.record, true);
        let obstacles = Obstacles { wanted: wanted.clone(), found: Vec::new(), choice: Vec::new() };
        self.finding.obstacles = Some(Box::new(obstacles));
        let result = self.successors(now, out);
        self.finding.record = record;
        let found = self.finding.obstacles.take().map(|obstacles| obstacles.found).unwrap_or_default();
        result.map(|()| found)
    }

    /// Like `obstacles`, for an action with arguments that are known.
    pub fn obstacles_of(
        &mut self,
        wanted: &Arc<[Wanted]>,
        name: &Name,
        now: &[Value],
        out: &mut Successors,
    ) -> Result<Vec<Obstacle>, EvalError> {
        self.begin_guide(wanted);
        let result = self.obstacles(name, now, out);
        self.end_guide();
        result
    }

    /// Notes the names of a `\A` and their values, or that its body is over. Returns what was noted before.
    #[cold]
    pub(super) fn begin_choice(&mut self, binder: Option<&ActBinder>) -> Eval<Vec<(Name, Value)>> {
        let choice = binder.map_or_else(|| Ok(Vec::new()), |binder| self.chosen(&binder.bounds))?;
        let obstacles = self.finding.obstacles.as_mut();
        Ok(obstacles.map(|obstacles| std::mem::replace(&mut obstacles.choice, choice)).unwrap_or_default())
    }

    pub(super) fn end_choice(&mut self, outer: Vec<(Name, Value)>) {
        if let Some(obstacles) = &mut self.finding.obstacles {
            obstacles.choice = outer;
        }
    }

    /// Notes what is in the way. In the body of a `\A`, with the values of its names.
    pub(super) fn add_obstacle(&mut self, mut reasons: Vec<Reason>) -> Eval<()> {
        let program = self.program;
        let action = (self.finding.action != u32::MAX).then_some(ActionId(self.finding.action));
        let is_wanted = |wanted: &Name| action.is_none_or(|action| program.actions[action].name == *wanted);
        let Some(obstacles) = &self.finding.obstacles else { return Ok(()) };
        if !is_wanted(&obstacles.wanted) || obstacles.found.len() >= OBSTACLES_MAX {
            return Ok(());
        }
        if !obstacles.choice.is_empty()
            && let [Reason { choice: choice @ Choice::None, .. }] = &mut reasons[..]
        {
            *choice = Choice::One(obstacles.choice.clone());
        }
        let mut args = Vec::new();
        for (name, node) in action.iter().flat_map(|action| &program.actions[*action].args) {
            let value = self.eval(node)?;
            args.push((name.clone(), self.canonical(value, node.origin)?));
        }
        let obstacle = Obstacle { action: action.map(|action| (action, args)), reasons };
        if let Some(obstacles) = &mut self.finding.obstacles {
            obstacles.found.push(obstacle);
        }
        Ok(())
    }

    /// Runs a `\E`, and notes if there is no element to choose.
    #[cold]
    pub(super) fn run_exists_watched<'a>(
        &mut self,
        binder: &'a ActBinder,
        act: &'a Act,
        rest: &Rest<'_, 'a>,
    ) -> Eval<bool> {
        let mut is_empty = true;
        let result = self.each_binding(&binder.bounds, &mut |worker| {
            is_empty = false;
            worker.run(&binder.body, rest)
        })?;
        let leads_there = self
            .finding
            .obstacles
            .as_ref()
            .is_some_and(|obstacles| leads_to(&binder.body, &obstacles.wanted, self.program));
        if is_empty && (self.finding.action != u32::MAX || leads_there) {
            let reason = self.why_nothing(binder, act)?;
            self.add_obstacle(vec![reason])?;
        }
        Ok(result)
    }

    fn why_nothing(&mut self, binder: &ActBinder, act: &Act) -> Eval<Reason> {
        let (values, below) = self.why_no_choice(&binder.bounds)?;
        let choice = Choice::All(below.len() as u64);
        Ok(Reason { choice, values, below, ..self.reason(act.origin, false) })
    }

    /// Notes which conjunct of the rest of an action is false.
    #[cold]
    pub(super) fn note_rest(&mut self, rest: &Rest<'_, '_>) -> Eval<()> {
        let mut rest = *rest;
        loop {
            match rest {
                Rest::Done => return Ok(()),
                Rest::Return(_, after) | Rest::Forall(_, _, after) => rest = *after,
                Rest::Then(items, after) => {
                    for item in items {
                        if !self.act_holds(item)? {
                            return match &item.kind {
                                ActKind::Guard(node) => self.note_obstacle(Some(node), node.origin),
                                _ => self.note_obstacle(None, item.origin),
                            };
                        }
                    }
                    rest = *after;
                }
            }
        }
    }
}

/// Whether an action of this name is in `act`.
fn leads_to(act: &Act, wanted: &Name, program: &Program) -> bool {
    let below = |act: &Act| leads_to(act, wanted, program);
    match &act.kind {
        ActKind::Named(action, body) => program.actions[*action].name == *wanted || below(body),
        ActKind::And(items) => items.iter().any(below),
        ActKind::Or(arms) => arms.iter().any(|(_, arm)| below(arm)),
        ActKind::Exists(binder) | ActKind::Forall(binder) => below(&binder.body),
        ActKind::If(_, branches) => branches.iter().any(|(_, branch)| below(branch)),
        ActKind::Case(arms, other) => {
            arms.iter().any(|(_, _, arm)| below(arm)) || other.as_ref().is_some_and(|other| below(&other.1))
        }
        ActKind::Implies(_, body) | ActKind::Scope(_, body) => below(body),
        ActKind::Cached(cached) => below(&cached.body),
        ActKind::Compose(pair) => pair.iter().any(below),
        _ => false,
    }
}
