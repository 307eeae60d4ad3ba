//! Actions: successor states.
//!
//! An action is run with what remains to be done after it as a list of continuations. As in TLC, once all variables
//! are assigned the rest is only evaluated, so that a disjunction there yields one successor and not several.

use kilter_value::Value;

use super::Worker;
use crate::error::Eval;
use crate::node::{Act, ActBinder, ActKind, ActionId, BlockId, FunctionId, Kind, Node, OriginId, Target};

/// The successors of a state, or the initial states.
#[derive(Debug, Default)]
pub struct Successors {
    /// The states, one after the other.
    rows: Vec<Value>,
    /// How each came about.
    labels: Vec<Label>,
    /// States between the two steps of a composed action.
    n_between: u64,
}

/// How a successor came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The action, if Next names it.
    pub action: Option<ActionId>,
    /// The action's arguments as a tuple; the empty tuple when labels are not recorded.
    pub args: Value,
    /// The basic blocks taken, as a tuple of their numbers.
    pub blocks: Value,
}

impl Successors {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// How many states were passed through inside of composed actions.
    pub fn n_between(&self) -> u64 {
        self.n_between
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Each with its label; `n_vars` is the number of variables.
    pub fn iter(&self, n_vars: usize) -> impl Iterator<Item = (&[Value], &Label)> {
        // A specification without variables has rows of no length.
        self.labels
            .iter()
            .enumerate()
            .map(move |(i, label)| (&self.rows[i * n_vars..(i + 1) * n_vars], label))
    }

    /// Adds a state that differs from `now` in some variables.
    pub(super) fn push_changed(
        &mut self,
        now: &[Value],
        changes: impl Iterator<Item = (u32, Value)>,
        action: Option<ActionId>,
        empty: Value,
    ) {
        let start = self.rows.len();
        self.rows.extend_from_slice(now);
        for (var, value) in changes {
            self.rows[start + var as usize] = value;
        }
        self.labels.push(Label { action, args: empty, blocks: empty });
    }

    /// Keeps the first ones only.
    pub(super) fn truncate(&mut self, length: usize, n_vars: usize) {
        self.rows.truncate(length * n_vars);
        self.labels.truncate(length);
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.labels.clear();
        self.n_between = 0;
    }
}

/// What remains to be done after an action.
#[derive(Clone, Copy)]
pub(super) enum Rest<'r, 'p> {
    /// Nothing: a successor has been found.
    Done,
    /// These, then the rest.
    Then(&'p [Act], &'r Rest<'r, 'p>),
    /// The body of a `\A` for these bindings, then the rest.
    Forall(&'p ActBinder, &'r [Vec<Value>], &'r Rest<'r, 'p>),
    /// The rest belongs to the frame that starts here.
    Return(usize, &'r Rest<'r, 'p>),
}

impl<'p> Worker<'p> {
    /// Runs an action; `false` means that the search was cut short.
    pub(super) fn run_action(&mut self, act: &'p Act) -> Eval<bool> {
        self.run(act, &Rest::Done)
    }

    /// Does something as if the next state were the current one.
    pub(super) fn in_next<T>(&mut self, body: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        let level = self.info.level;
        let now = std::mem::replace(&mut self.now, self.next.clone());
        // Level 0 is that of the initial predicate, which takes no step.
        self.info.level += u32::from(level > 0);
        let result = body(self);
        self.info.level = level;
        self.now = now;
        result
    }

    /// `ENABLED A`; the action may assign `n_more` variables of an instantiated module.
    pub(super) fn enabled(&mut self, act: &Act, n_more: u32) -> Eval<bool> {
        let n_vars = self.program.variables.len() + n_more as usize;
        let next = std::mem::replace(&mut self.next, vec![Value::UNSET; n_vars]);
        let n_unassigned = std::mem::replace(&mut self.n_unassigned, n_vars);
        let probing = std::mem::replace(&mut self.probing, true);
        let part = self.part.take();
        let result = self.run(act, &Rest::Done);
        self.part = part;
        self.next = next;
        self.n_unassigned = n_unassigned;
        self.probing = probing;
        Ok(!result?)
    }

    pub(super) fn run<'a>(&mut self, act: &'a Act, rest: &Rest<'_, 'a>) -> Eval<bool> {
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
                let body = &binder.body;
                self.each_binding(&binder.bounds, &mut |worker| worker.run(body, rest))
            }
            ActKind::Forall(binder) => {
                let bindings = self.bindings(binder)?;
                self.resume(&Rest::Forall(binder, &bindings, rest))
            }
            ActKind::Guard(node) => {
                if self.condition(node, "a conjunct of an action")? {
                    self.resume(rest)
                } else {
                    Ok(true)
                }
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
                let value = self.now[*var as usize];
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
                for slot in slots {
                    self.set(*slot, Value::UNSET);
                }
                self.run(body, rest)
            }
            ActKind::Cached(cached) => self.run_cached(cached, rest),
            ActKind::Named(action, body) => {
                let outer = std::mem::replace(&mut self.action, action.0);
                let result = self.run(body, rest);
                self.action = outer;
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

    /// A function applied where an action is expected: a recursive one is looked into for successors, as TLC does.
    fn run_index(&mut self, pair: &[Node; 2], act: &Act, rest: &Rest<'_, '_>) -> Eval<bool> {
        let function = self.eval(&pair[0])?;
        let arg = self.eval(&pair[1])?;
        let arg = self.canonical(arg, act.origin)?;
        let node = Node { kind: Kind::Value(Value::TRUE), origin: act.origin };
        let Some(lazy) = self.lazy_function(function).filter(|lazy| lazy.lambda.act.is_some()) else {
            let value = self.apply(function, arg, &node)?;
            return match value.as_bool() {
                Some(true) => self.resume(rest),
                Some(false) => Ok(true),
                None => self.fail(act.origin, "an action must be a boolean"),
            };
        };
        self.check_domain(&lazy, arg, &node)?;
        self.check_stack(&node)?;
        let (base, top) = (self.base, self.top);
        self.open_frame(lazy.lambda.frame);
        let result = self.bind_lazy(function, &lazy, arg).and_then(|()| match &lazy.lambda.act {
            Some(body) => self.run(body, &Rest::Return(base, rest)),
            None => Ok(true),
        });
        (self.base, self.top) = (base, top);
        result
    }

    /// `A \cdot B`: a step of A and then a step of B, seen as one. As in TLC, the states between count as generated.
    fn run_composed<'a>(&mut self, pair: &'a [Act; 2], rest: &Rest<'_, 'a>) -> Eval<bool> {
        if !self.is_in_part() {
            return Ok(true);
        }
        let n_vars = self.next.len();
        let outer = std::mem::take(&mut self.out);
        let next = std::mem::replace(&mut self.next, vec![Value::UNSET; n_vars]);
        let n_unassigned = std::mem::replace(&mut self.n_unassigned, n_vars);
        let probing = std::mem::replace(&mut self.probing, false);
        let first = self.run(&pair[0], &Rest::Done);
        let between = std::mem::replace(&mut self.out, outer);
        (self.next, self.n_unassigned, self.probing) = (next, n_unassigned, probing);
        first?;
        self.out.n_between += between.labels.len() as u64;
        let now = self.now.clone();
        let mut result = Ok(true);
        for (row, _) in between.iter(n_vars) {
            self.now.copy_from_slice(row);
            result = self.run(&pair[1], rest);
            if !matches!(result, Ok(true)) {
                break;
            }
        }
        self.now = now;
        result
    }

    /// A recursive operator used as an action.
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
        let (base, top) = (self.base, self.top);
        for arg in args {
            let value = self.argument(arg);
            self.push(value);
        }
        self.base = top;
        self.top = top + program.frame_sizes[code.frame as usize] as usize;
        self.reserve_slots();
        let result = self.run(body, &Rest::Return(base, rest));
        (self.base, self.top) = (base, top);
        result
    }

    fn in_block<'a>(&mut self, block: BlockId, act: &'a Act, rest: &Rest<'_, 'a>) -> Eval<bool> {
        self.blocks.push(block.0);
        let result = self.run(act, rest);
        self.blocks.pop();
        result
    }

    /// Goes on with what remains.
    fn resume(&mut self, rest: &Rest<'_, '_>) -> Eval<bool> {
        if self.n_unassigned == 0 {
            return if self.rest_holds(rest)? { self.emit() } else { Ok(true) };
        }
        match rest {
            Rest::Done => self.emit(),
            Rest::Then(items, after) => match items.split_first() {
                Some((first, others)) => self.run(first, &Rest::Then(others, after)),
                None => self.resume(after),
            },
            Rest::Return(base, after) => {
                // The top stays: alternatives of the inner frame may still be tried.
                let inner = std::mem::replace(&mut self.base, *base);
                let result = self.resume(after);
                self.base = inner;
                result
            }
            Rest::Forall(binder, bindings, after) => match bindings.split_first() {
                None => self.resume(after),
                Some((first, others)) => {
                    // Another element of the same `\A` may come back to its alternatives later: give it its slots back.
                    let frame = self.slots[self.base..self.top].to_vec();
                    self.bind_values(binder, first);
                    let result = self.run(&binder.body, &Rest::Forall(binder, others, after));
                    let base = self.base;
                    self.slots[base..base + frame.len()].copy_from_slice(&frame);
                    result
                }
            },
        }
    }

    /// With all variables assigned: whether what remains holds.
    fn rest_holds(&mut self, rest: &Rest<'_, '_>) -> Eval<bool> {
        let inner = (self.base, self.top);
        let result = self.rest_holds_here(rest);
        (self.base, self.top) = inner;
        result
    }

    fn rest_holds_here(&mut self, rest: &Rest<'_, '_>) -> Eval<bool> {
        let mut rest = *rest;
        loop {
            match rest {
                Rest::Done => return Ok(true),
                Rest::Return(base, after) => {
                    self.base = base;
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

    /// An action as a predicate on a pair of states.
    fn act_holds(&mut self, act: &Act) -> Eval<bool> {
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
                let value = self.now[*var as usize];
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
                for slot in slots {
                    self.set(*slot, Value::UNSET);
                }
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

    /// Whether an expression differs between the two states. With all variables assigned, a tuple is compared component
    /// by component, so that none is made.
    fn changed(&mut self, [now, next]: &[Node; 2], origin: OriginId) -> Eval<bool> {
        if let (Kind::Tuple(before), Kind::Tuple(after), 0) = (&now.kind, &next.kind, self.n_unassigned) {
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
        let value = self.next[var as usize];
        if value == Value::UNSET {
            let name = self.program.variables[var as usize].clone();
            return self.fail(origin, format!("the variable {name}' has no value yet here"));
        }
        Ok(value)
    }

    fn is_assigned(&mut self, var: u32, value: Value, origin: OriginId) -> Eval<bool> {
        let known = self.assigned(var, origin)?;
        self.equal(known, value, origin)
    }

    /// `x' = value`: assigns where `x'` has no value yet, compares where it has.
    #[inline]
    fn assign(&mut self, var: u32, value: Value, origin: OriginId, rest: &Rest<'_, '_>) -> Eval<bool> {
        let known = self.next[var as usize];
        if known != Value::UNSET {
            return if self.equal(known, value, origin)? { self.resume(rest) } else { Ok(true) };
        }
        let value = self.canonical(value, origin)?;
        self.next[var as usize] = value;
        self.n_unassigned -= 1;
        let result = self.resume(rest);
        self.next[var as usize] = Value::UNSET;
        self.n_unassigned += 1;
        result
    }

    fn assign_in(&mut self, var: u32, set: &Node, rest: &Rest<'_, '_>) -> Eval<bool> {
        let known = self.next[var as usize];
        if known != Value::UNSET {
            return if self.member(known, set, set.origin)? { self.resume(rest) } else { Ok(true) };
        }
        let value = self.eval(set)?;
        self.assign_from(var, value, set.origin, rest)
    }

    fn assign_from(&mut self, var: u32, set: Value, origin: OriginId, rest: &Rest<'_, '_>) -> Eval<bool> {
        let known = self.next[var as usize];
        if known != Value::UNSET {
            return if self.contains(set, known, origin)? { self.resume(rest) } else { Ok(true) };
        }
        self.each_choice(set, origin, |worker, elem| worker.assign(var, elem, origin, rest))
    }

    /// All ways to choose values for a `\A`'s names.
    fn bindings(&mut self, binder: &ActBinder) -> Eval<Vec<Vec<Value>>> {
        let mut bindings = Vec::new();
        self.each_binding(&binder.bounds, &mut |worker| {
            bindings.push(slots_of(binder).map(|slot| worker.get(slot)).collect());
            Ok(true)
        })?;
        Ok(bindings)
    }

    fn bind_values(&mut self, binder: &ActBinder, values: &[Value]) {
        for (slot, value) in slots_of(binder).zip(values) {
            self.set(slot, *value);
        }
    }

    /// A successor has been found.
    fn emit(&mut self) -> Eval<bool> {
        if self.probing {
            return Ok(false);
        }
        if !self.is_in_part() {
            return Ok(true);
        }
        if let Some(listing) = &mut self.listing
            && (self.n_unassigned > 0 || self.out.len() >= listing.n_max)
        {
            listing.cut = true;
            return Ok(false);
        }
        if self.n_unassigned > 0 {
            return self.incomplete();
        }
        self.out.rows.extend_from_slice(&self.next);
        let action = (self.action != u32::MAX).then_some(ActionId(self.action));
        let empty = self.store.empty_tuple();
        let mut label = Label { action, args: empty, blocks: empty };
        if self.record {
            if let Some(action) = action {
                let program = self.program;
                let mut args = Vec::new();
                for (_, node) in &program.actions[action].args {
                    let value = self.eval(node)?;
                    args.push(self.canonical(value, node.origin)?);
                }
                label.args = self.store.tuple(&args);
            }
            let blocks: Vec<Value> = self.blocks.iter().map(|block| self.store.int(*block as i32)).collect();
            label.blocks = self.store.tuple(&blocks);
        }
        self.out.labels.push(label);
        Ok(true)
    }

    #[cold]
    fn incomplete(&mut self) -> Eval<bool> {
        let missing: Vec<&str> = (self.program.variables.iter().zip(&self.next))
            .filter(|(_, value)| **value == Value::UNSET)
            .map(|(name, _)| name.as_str())
            .collect();
        let missing = missing.join(", ");
        let initial = self.now.first().is_none_or(|value| *value == Value::UNSET);
        let program = self.program;
        if initial {
            let origin = program.init.as_ref().map(|init| init.body.origin);
            let message = format!("the initial predicate gives no value to: {missing}");
            return self.raise(crate::ErrorKind::Evaluation, origin, message);
        }
        let action =
            (self.action != u32::MAX).then_some(ActionId(self.action)).map(|action| &program.actions[action]);
        let name = action.map_or("Next", |action| action.name.as_str());
        let origin =
            action.map(|action| action.origin).or(program.next.as_ref().map(|next| next.body.origin));
        let message = format!(
            "the successor state is not completely specified: action {name} gives no next value to: {missing}"
        );
        self.raise(crate::ErrorKind::Evaluation, origin, message)
    }
}

fn slots_of(binder: &ActBinder) -> impl Iterator<Item = u32> + '_ {
    binder.bounds.iter().flat_map(|bound| match &bound.target {
        Target::Slots(slots) | Target::Tuple(slots) => slots.iter().copied(),
    })
}
