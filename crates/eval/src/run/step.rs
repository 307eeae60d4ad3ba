//! Evaluates actions as predicates on a step. This is how the rest of an action is run once all variables are assigned.

use kilter_value::Value;

use super::Worker;
use super::act::Rest;
use super::expr::NO_OWN_VALUE;
use crate::error::Eval;
use crate::node::{Act, ActKind, Kind, Node};
use crate::origin::OriginId;

impl Worker<'_> {
    /// Whether the rest of an action holds. All variables must be assigned.
    pub(super) fn rest_holds(&mut self, rest: &Rest<'_, '_>) -> Eval<bool> {
        let inner = self.frames.mark();
        let result = self.rest_holds_here(rest);
        self.frames.restore(inner);
        result
    }

    fn rest_holds_here(&mut self, rest: &Rest<'_, '_>) -> Eval<bool> {
        let mut rest = *rest;
        loop {
            match rest {
                Rest::Done => return Ok(true),
                Rest::Return(base, after) => {
                    self.frames.rebase(base);
                    rest = *after;
                }
                Rest::Then(items, after) => {
                    for item in items {
                        if !self.act_holds(item)? {
                            return Ok(false);
                        }
                    }
                    rest = *after;
                }
                Rest::Forall(binder, bindings, after) => {
                    for binding in bindings {
                        self.bind_values(binder, binding);
                        if !self.act_holds(&binder.body)? {
                            return Ok(false);
                        }
                    }
                    rest = *after;
                }
            }
        }
    }

    /// Evaluates an action as a predicate on a pair of states.
    pub(super) fn act_holds(&mut self, act: &Act) -> Eval<bool> {
        self.check_depth(act.origin)?;
        match &act.kind {
            ActKind::And(items) => {
                for item in items {
                    if !self.act_holds(item)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            ActKind::Or(arms) => {
                for (_, arm) in arms {
                    if self.act_holds(arm)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            ActKind::Exists(binder) => {
                Ok(!self.each_binding(&binder.bounds, &mut |worker| Ok(!worker.act_holds(&binder.body)?))?)
            }
            ActKind::Forall(binder) => {
                self.each_binding(&binder.bounds, &mut |worker| worker.act_holds(&binder.body))
            }
            ActKind::Guard(node) => self.condition(node, "a conjunct of an action"),
            ActKind::Assign(var, expr) => {
                let value = self.eval(expr)?;
                self.is_assigned(*var, value, expr.origin)
            }
            ActKind::AssignIn(var, set) => {
                let value = self.assigned(*var, set.origin)?;
                self.member(value, set, set.origin)
            }
            ActKind::AssignSubset(var, set) => {
                let value = self.assigned(*var, set.origin)?;
                let set_value = self.eval_set(set)?;
                self.store.subset_eq(value, set_value).or_else(|error| self.fail_set(set.origin, &error))
            }
            ActKind::Unchanged(var) => {
                let value = self.states.now[*var as usize];
                self.is_assigned(*var, value, act.origin)
            }
            ActKind::Changed(pair) => self.changed(pair, act.origin),
            ActKind::If(condition, branches) => {
                let branch = usize::from(!self.condition(condition, "the condition of an IF")?);
                self.act_holds(&branches[branch].1)
            }
            ActKind::Case(arms, other) => {
                for (guard, _, arm) in arms {
                    if self.condition(guard, "a condition of a CASE")? {
                        return self.act_holds(arm);
                    }
                }
                match other {
                    Some(other) => self.act_holds(&other.1),
                    None => self
                        .fail(act.origin, "none of the conditions of this CASE is true, and it has no OTHER"),
                }
            }
            ActKind::Implies(condition, act) => {
                Ok(!self.condition(condition, "the left side of =>")? || self.act_holds(act)?)
            }
            ActKind::Scope(slots, body) => {
                self.frames.unset(slots);
                self.act_holds(body)
            }
            ActKind::Named(_, body) => self.act_holds(body),
            ActKind::Cached(cached) => self.act_holds(&cached.body),
            ActKind::Compose(_) => self
                .fail(act.origin, "an action with \\cdot can be taken, but not evaluated for a given step"),
            ActKind::Index(pair) => {
                let node = Node { kind: Kind::Value(Value::TRUE), origin: act.origin };
                let value = self.index(&pair[0], &pair[1], &node)?;
                match value.as_bool() {
                    Some(b) => Ok(b),
                    None => self.fail(act.origin, "an action must be a boolean"),
                }
            }
            ActKind::Call(function, args) => {
                let node = Node { kind: Kind::Value(Value::TRUE), origin: act.origin };
                let value = self.call(*function, args, &node)?;
                match value.as_bool() {
                    Some(b) => Ok(b),
                    None => self.fail(act.origin, "an action must be a boolean"),
                }
            }
        }
    }

    /// Whether an expression differs between the two states. If all variables are assigned, tuples are compared
    /// component by component, so that none is made.
    fn changed(&mut self, [now, next]: &[Node; 2], origin: OriginId) -> Eval<bool> {
        if let (Kind::Tuple(before), Kind::Tuple(after), 0) =
            (&now.kind, &next.kind, self.states.n_unassigned)
        {
            for (before, after) in before.iter().zip(after) {
                let (before, after) = (self.eval(before)?, self.eval(after)?);
                if !self.equal(before, after, origin)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let (before, after) = (self.eval(now)?, self.eval(next)?);
        Ok(!self.equal(before, after, origin)?)
    }

    fn assigned(&mut self, var: u32, origin: OriginId) -> Eval<Value> {
        let value = self.states.next.get(var as usize).copied().unwrap_or(Value::UNSET);
        if value == Value::UNSET {
            let Some(name) = self.program.variables.get(var as usize) else {
                return self.fail(origin, NO_OWN_VALUE);
            };
            return self.fail(origin, format!("the variable {name}' has no value yet here"));
        }
        Ok(value)
    }

    fn is_assigned(&mut self, var: u32, value: Value, origin: OriginId) -> Eval<bool> {
        let known = self.assigned(var, origin)?;
        self.equal(known, value, origin)
    }
}
