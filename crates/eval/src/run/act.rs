//! Runs actions to find successor states.
//!
//! An action runs with a list of continuations: what remains to be done after it. As in TLC, once all variables are
//! assigned the rest is only evaluated. So a disjunction there yields one successor, not several.

use kilter_value::Value;

use super::Worker;
use super::successors::Label;
use crate::error::Eval;
use crate::node::{
    Act, ActBinder, ActKind, ActionId, Binder, BlockId, Bound, FunctionId, Kind, Node, Target,
};
use crate::origin::OriginId;

/// The continuation of an action.
#[derive(Clone, Copy)]
pub(super) enum Rest<'r, 'p> {
    /// Nothing: a successor has been found.
    Done,
    /// Runs these actions, then the rest.
    Then(&'p [Act], &'r Rest<'r, 'p>),
    /// Runs the body of a `\A` for each of these bindings, then the rest.
    Forall(&'p ActBinder, &'r [Vec<Value>], &'r Rest<'r, 'p>),
    /// Goes back to the frame that starts here, then runs the rest.
    Return(usize, &'r Rest<'r, 'p>),
}

impl<'p> Worker<'p> {
    /// Runs an action. Returns `false` if the search was cut short.
    pub(super) fn run_action(&mut self, act: &'p Act) -> Eval<bool> {
        self.run(act, &Rest::Done)
    }

    /// Runs `body` with the next state in the place of the current one.
    pub(super) fn in_next<T>(&mut self, body: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        let level = self.info.level;
        let now = std::mem::replace(&mut self.states.now, self.states.next.clone());
        // The initial predicate has level 0 and takes no step.
        self.info.level += u32::from(level > 0);
        let result = body(self);
        self.info.level = level;
        self.states.now = now;
        result
    }

    /// Evaluates `ENABLED A`. The action may also assign `n_more` variables of instantiated modules.
    pub(super) fn enabled(&mut self, act: &Act, n_more: u32) -> Eval<bool> {
        let n_vars = self.program.variables.len() + n_more as usize;
        let next = self.states.begin_next(n_vars);
        let probing = std::mem::replace(&mut self.finding.probing, true);
        let part = self.finding.part.take();
        let result = self.run(act, &Rest::Done);
        self.finding.part = part;
        self.finding.probing = probing;
        self.states.put_back(next);
        Ok(!result?)
    }

    pub(super) fn run<'a>(&mut self, act: &'a Act, rest: &Rest<'_, 'a>) -> Eval<bool> {
        self.check_depth(act.origin)?;
        match &act.kind {
            ActKind::And(items) => match items.split_first() {
                Some((first, others)) => self.run(first, &Rest::Then(others, rest)),
                None => self.resume(rest),
            },
            ActKind::Or(arms) => {
                if !self.is_in_part() {
                    return Ok(true);
                }
                for (block, arm) in arms {
                    if !self.in_block(*block, arm, rest)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            ActKind::Exists(binder) => {
                if !self.is_in_part() {
                    return Ok(true);
                }
                if self.is_guided() {
                    return self.run_exists_guided(binder, rest);
                }
                if self.finding.obstacles.is_some() {
                    return self.run_exists_watched(binder, act, rest);
                }
                let body = &binder.body;
                self.each_binding(&binder.bounds, &mut |worker| worker.run(body, rest))
            }
            ActKind::Forall(binder) => {
                let bindings = self.bindings(binder)?;
                self.resume(&Rest::Forall(binder, &bindings, rest))
            }
            ActKind::Guard(node) => {
                if self.condition(node, "a conjunct of an action")? {
                    return self.resume(rest);
                }
                if self.finding.obstacles.is_some() {
                    self.note_obstacle(Some(node), node.origin)?;
                }
                Ok(true)
            }
            ActKind::Assign(var, expr) => {
                let value = self.eval(expr)?;
                self.assign(*var, value, expr.origin, rest)
            }
            ActKind::AssignIn(var, set) => self.assign_in(*var, set, rest),
            ActKind::AssignSubset(var, set) => {
                let set_value = self.eval_set(set)?;
                let subsets = self.store.powerset(set_value);
                self.assign_from(*var, subsets, set.origin, rest)
            }
            ActKind::Unchanged(var) => {
                let value = self.states.now[*var as usize];
                self.assign(*var, value, act.origin, rest)
            }
            ActKind::If(condition, branches) => {
                let branch = usize::from(!self.condition(condition, "the condition of an IF")?);
                let (block, act) = &branches[branch];
                self.in_block(*block, act, rest)
            }
            ActKind::Case(arms, other) => {
                for (guard, block, arm) in arms {
                    if self.condition(guard, "a condition of a CASE")? {
                        return self.in_block(*block, arm, rest);
                    }
                }
                match other {
                    Some(other) => self.in_block(other.0, &other.1, rest),
                    None => self
                        .fail(act.origin, "none of the conditions of this CASE is true, and it has no OTHER"),
                }
            }
            ActKind::Implies(condition, act) => {
                if self.condition(condition, "the left side of =>")? {
                    self.run(act, rest)
                } else {
                    self.resume(rest)
                }
            }
            ActKind::Scope(slots, body) => {
                self.frames.unset(slots);
                self.run(body, rest)
            }
            ActKind::Cached(cached) => self.run_cached(cached, rest),
            ActKind::Named(action, body) => {
                if self.finding.guide.is_some() && !self.is_wanted(*action) {
                    return Ok(true);
                }
                let outer = std::mem::replace(&mut self.finding.action, action.0);
                let result = self.run(body, rest);
                self.finding.action = outer;
                result
            }
            ActKind::Compose(pair) => self.run_composed(pair, rest),
            ActKind::Index(pair) => self.run_index(pair, act, rest),
            ActKind::Call(function, args) => self.run_call(*function, args, act, rest),
            ActKind::Changed(_) => {
                if self.act_holds(act)? {
                    self.resume(rest)
                } else {
                    Ok(true)
                }
            }
        }
    }

    /// Runs a function that is applied where an action is expected. As in TLC, a recursive function is searched for
    /// successors.
    fn run_index(&mut self, pair: &[Node; 2], act: &Act, rest: &Rest<'_, '_>) -> Eval<bool> {
        let function = self.eval(&pair[0])?;
        let arg = self.eval(&pair[1])?;
        let arg = self.canonical(arg, act.origin)?;
        let node = Node { kind: Kind::Value(Value::TRUE), origin: act.origin };
        let lazy = self.closures.function(function);
        let Some(lazy) = lazy.filter(|lazy| lazy.lambda.act.is_some() && !lazy.is_replaced(arg)) else {
            let value = self.apply(function, arg, &node)?;
            return match value.as_bool() {
                Some(true) => self.resume(rest),
                Some(false) => Ok(true),
                None => self.fail(act.origin, "an action must be a boolean"),
            };
        };
        self.check_domain(&lazy, arg, &node)?;
        self.check_stack(&node)?;
        let outer = self.frames.mark();
        self.open_frame(lazy.lambda.frame);
        let result = self.bind_lazy(function, &lazy, arg).and_then(|()| match &lazy.lambda.act {
            Some(body) => self.run(body, &Rest::Return(outer.base, rest)),
            None => Ok(true),
        });
        self.frames.restore(outer);
        result
    }

    /// Runs `A \cdot B`: a step of A, then a step of B, as one step. As in TLC, the states in between count as
    /// generated.
    fn run_composed<'a>(&mut self, pair: &'a [Act; 2], rest: &Rest<'_, 'a>) -> Eval<bool> {
        if !self.is_in_part() {
            return Ok(true);
        }
        let n_vars = self.states.next.len();
        let outer = std::mem::take(&mut self.finding.out);
        let next = self.states.begin_next(n_vars);
        let probing = std::mem::replace(&mut self.finding.probing, false);
        let first = self.run(&pair[0], &Rest::Done);
        let between = std::mem::replace(&mut self.finding.out, outer);
        self.finding.probing = probing;
        self.states.put_back(next);
        first?;
        self.finding.out.pass_through(between.len() as u64);
        let now = self.states.now.clone();
        let mut result = Ok(true);
        for (row, _) in between.iter(n_vars) {
            self.states.now.copy_from_slice(row);
            result = self.run(&pair[1], rest);
            if !matches!(result, Ok(true)) {
                break;
            }
        }
        self.states.now = now;
        result
    }

    /// Runs a recursive operator as an action.
    fn run_call(
        &mut self,
        function: FunctionId,
        args: &[Node],
        act: &Act,
        rest: &Rest<'_, '_>,
    ) -> Eval<bool> {
        let program = self.program;
        let code = &program.functions[function.0 as usize];
        let Some(body) = &code.act else {
            return if self.act_holds(act)? { self.resume(rest) } else { Ok(true) };
        };
        let node = Node { kind: Kind::Value(Value::TRUE), origin: act.origin };
        self.check_stack(&node)?;
        let outer = self.frames.mark();
        for arg in args {
            let value = self.argument(arg);
            self.frames.push(value);
        }
        self.frames.open(outer.top, program.frame_sizes[code.frame as usize]);
        let result = self.run(body, &Rest::Return(outer.base, rest));
        self.frames.restore(outer);
        result
    }

    fn in_block<'a>(&mut self, block: BlockId, act: &'a Act, rest: &Rest<'_, 'a>) -> Eval<bool> {
        self.finding.blocks.push(block.0);
        let result = self.run(act, rest);
        self.finding.blocks.pop();
        result
    }

    /// Continues with what remains after an action.
    fn resume(&mut self, rest: &Rest<'_, '_>) -> Eval<bool> {
        if self.states.n_unassigned == 0 {
            if self.rest_holds(rest)? {
                return self.emit();
            }
            if self.finding.obstacles.is_some() {
                self.note_rest(rest)?;
            }
            return Ok(true);
        }
        match rest {
            Rest::Done => self.emit(),
            Rest::Then(items, after) => match items.split_first() {
                Some((first, others)) => self.run(first, &Rest::Then(others, after)),
                None => self.resume(after),
            },
            Rest::Return(base, after) => {
                // The top stays, because alternatives of the inner frame may still be tried.
                let inner = self.frames.rebase(*base);
                let result = self.resume(after);
                self.frames.rebase(inner);
                result
            }
            Rest::Forall(binder, bindings, after) => match bindings.split_first() {
                None if self.finding.obstacles.is_some() => {
                    let outer = self.begin_choice(None)?;
                    let result = self.resume(after);
                    self.end_choice(outer);
                    result
                }
                None => self.resume(after),
                Some((first, others)) => {
                    // The next element of this `\A` may overwrite the slots, and the alternatives of this one need them
                    // again. So the frame is copied and put back.
                    let frame = self.frames.copy();
                    self.bind_values(binder, first);
                    let rest = Rest::Forall(binder, others, after);
                    let result = if self.finding.obstacles.is_some() {
                        let outer = self.begin_choice(Some(binder))?;
                        let result = self.run(&binder.body, &rest);
                        self.end_choice(outer);
                        result
                    } else {
                        self.run(&binder.body, &rest)
                    };
                    self.frames.put_back(&frame);
                    result
                }
            },
        }
    }

    /// Runs `x' = value`: assigns if `x'` has no value yet, and compares if it has one.
    #[inline]
    fn assign(&mut self, var: u32, value: Value, origin: OriginId, rest: &Rest<'_, '_>) -> Eval<bool> {
        let known = self.states.next[var as usize];
        if known != Value::UNSET {
            if self.equal(known, value, origin)? {
                return self.resume(rest);
            }
            if self.finding.obstacles.is_some() {
                self.note_obstacle(None, origin)?;
            }
            return Ok(true);
        }
        let value = self.canonical(value, origin)?;
        self.states.next[var as usize] = value;
        self.states.n_unassigned -= 1;
        let result = self.resume(rest);
        self.states.next[var as usize] = Value::UNSET;
        self.states.n_unassigned += 1;
        result
    }

    fn assign_in(&mut self, var: u32, set: &Node, rest: &Rest<'_, '_>) -> Eval<bool> {
        let known = self.states.next[var as usize];
        if known != Value::UNSET {
            return if self.member(known, set, set.origin)? { self.resume(rest) } else { Ok(true) };
        }
        if self.finding.part.is_some()
            && let Some(Binder { bounds, body }) = filter_of(set)
        {
            // This is the first choice of the initial predicate. Each part of the initial states takes its share of the
            // unfiltered set. As in TLC, a set whose elements are listed is filtered as a whole first.
            let Bound { target, set: whole, .. } = &bounds[0];
            let value = self.eval(whole)?;
            if value.is_lazy() {
                return self.each_choice(value, whole.origin, |worker, elem| {
                    worker.bind_one(target, elem, whole.origin)?;
                    let wanted = worker.eval_bool(body)?;
                    if wanted { worker.assign(var, elem, set.origin, rest) } else { Ok(true) }
                });
            }
        }
        let value = self.eval(set)?;
        self.assign_from(var, value, set.origin, rest)
    }

    fn assign_from(&mut self, var: u32, set: Value, origin: OriginId, rest: &Rest<'_, '_>) -> Eval<bool> {
        let known = self.states.next[var as usize];
        if known != Value::UNSET {
            return if self.contains(set, known, origin)? { self.resume(rest) } else { Ok(true) };
        }
        self.each_choice(set, origin, |worker, elem| worker.assign(var, elem, origin, rest))
    }

    /// All choices of values for the names of a `\A`.
    fn bindings(&mut self, binder: &ActBinder) -> Eval<Vec<Vec<Value>>> {
        let mut bindings = Vec::new();
        self.each_binding(&binder.bounds, &mut |worker| {
            bindings.push(slots_of(binder).map(|slot| worker.frames.get(slot)).collect());
            Ok(true)
        })?;
        Ok(bindings)
    }

    pub(super) fn bind_values(&mut self, binder: &ActBinder, values: &[Value]) {
        for (slot, value) in slots_of(binder).zip(values) {
            self.frames.set(slot, *value);
        }
    }

    /// Adds the next state to the successors. Returns `false` if the search can end here.
    fn emit(&mut self) -> Eval<bool> {
        if self.finding.probing {
            return Ok(false);
        }
        if !self.is_in_part() {
            return Ok(true);
        }
        if let Some(listing) = &mut self.finding.listing
            && (self.states.n_unassigned > 0 || self.finding.out.len() >= listing.n_max)
        {
            listing.cut = true;
            return Ok(false);
        }
        if self.states.n_unassigned > 0 {
            return self.incomplete();
        }
        let action = (self.finding.action != u32::MAX).then_some(ActionId(self.finding.action));
        let empty = self.store.empty_tuple();
        let mut label = Label { action, args: empty, blocks: empty };
        if self.finding.record {
            if let Some(action) = action {
                let program = self.program;
                let mut args = Vec::new();
                for (_, node) in &program.actions[action].args {
                    let value = self.eval(node)?;
                    args.push(self.canonical(value, node.origin)?);
                }
                label.args = self.store.tuple(&args);
            }
            let blocks: Vec<Value> =
                self.finding.blocks.iter().map(|block| self.store.int(*block as i32)).collect();
            label.blocks = self.store.tuple(&blocks);
        }
        self.finding.out.push(&self.states.next, label);
        Ok(true)
    }

    #[cold]
    fn incomplete(&mut self) -> Eval<bool> {
        let missing: Vec<&str> = (self.program.variables.iter().zip(&self.states.next))
            .filter(|(_, value)| **value == Value::UNSET)
            .map(|(name, _)| name.as_str())
            .collect();
        let missing = missing.join(", ");
        let program = self.program;
        if self.states.is_initial() {
            let origin = program.init.as_ref().map(|init| init.body.origin);
            let message = format!("the initial predicate gives no value to: {missing}");
            return self.raise(crate::ErrorKind::Evaluation, origin, message);
        }
        let action = (self.finding.action != u32::MAX)
            .then_some(ActionId(self.finding.action))
            .map(|action| &program.actions[action]);
        let name = action.map_or("Next", |action| action.name.as_str());
        let origin =
            action.map(|action| action.origin).or(program.next.as_ref().map(|next| next.body.origin));
        let message = format!(
            "the successor state is not completely specified: action {name} gives no next value to: {missing}"
        );
        self.raise(crate::ErrorKind::Evaluation, origin, message)
    }
}

/// The filter that makes a set, if the set is written as one.
fn filter_of(set: &Node) -> Option<&Binder> {
    match &set.kind {
        Kind::Cell(_, body) => filter_of(body),
        Kind::Filter(binder) => Some(binder),
        _ => None,
    }
}

fn slots_of(binder: &ActBinder) -> impl Iterator<Item = u32> + '_ {
    binder.bounds.iter().flat_map(|bound| match &bound.target {
        Target::Slots(slots) | Target::Tuple(slots) => slots.iter().copied(),
    })
}
