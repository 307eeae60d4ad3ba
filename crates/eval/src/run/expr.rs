//! Evaluates expressions.

use kilter_value::{Value, View};

use super::Worker;
use super::native::handler;
use crate::error::{Eval, Raised};
use crate::node::{Binary, Kind, Node, Test};
use crate::origin::OriginId;

/// The error for a variable of an instantiated module inside of ENABLED. It has a next value of its own, and no name in
/// the specification.
pub(super) const NO_OWN_VALUE: &str = "the next value of this variable of an instantiated module is not known yet here; ENABLED can look for one after `v' = …` or `v' \\in …`";

impl Worker<'_> {
    /// Evaluates to a value, which may be lazy.
    pub(super) fn eval(&mut self, node: &Node) -> Eval<Value> {
        match &node.kind {
            Kind::Value(value) => Ok(*value),
            Kind::Slot(slot) => Ok(self.frames.get(*slot)),
            Kind::Var(var) => Ok(self.states.now[*var as usize]),
            Kind::VarPrimed(var) => self.primed(*var, node),
            Kind::Cell(cell, body) => {
                let value = self.caches.cells[cell.0 as usize];
                if value == Value::UNSET { self.fill_cell(cell.0, body) } else { Ok(value) }
            }
            Kind::Lazy(slot, body) => {
                let value = self.frames.get(*slot);
                if value != Value::UNSET {
                    return Ok(value);
                }
                self.check_depth(node.origin)?;
                let value = self.eval(body)?;
                self.frames.set(*slot, value);
                Ok(value)
            }
            Kind::Param(slot) => self.param(*slot),
            Kind::Shared(body) => {
                self.check_depth(node.origin)?;
                self.eval(body)
            }
            Kind::Scope(slots, body) => {
                self.check_depth(node.origin)?;
                self.frames.unset(slots);
                self.eval(body)
            }
            Kind::Memo(memo) => self.eval_memo(memo),
            Kind::InNext(body) => self.in_next(|worker| worker.eval(body)),
            Kind::And(_)
            | Kind::Or(_)
            | Kind::Not(_)
            | Kind::Implies(_)
            | Kind::Equiv(_)
            | Kind::Test(..)
            | Kind::In(..)
            | Kind::Quantifier(..)
            | Kind::Unchanged(_)
            | Kind::Enabled(..) => self.eval_bool(node).map(Value::bool),
            Kind::Binary(op, pair) => {
                if matches!(op, Binary::Cap | Binary::Minus)
                    && let Some(value) = self.without_listing(*op, pair, node.origin)?
                {
                    return Ok(value);
                }
                let a = self.eval(&pair[0])?;
                let b = self.eval(&pair[1])?;
                self.binary(*op, a, b, node)
            }
            Kind::Index(pair) => self.index(&pair[0], &pair[1], node),
            Kind::Field(record, name) => {
                let value = self.eval(record)?;
                self.field(value, *name, node)
            }
            Kind::Tuple(items) => {
                let start = self.push_all(items)?;
                let value = self.store.tuple(self.frames.pushed(start));
                self.frames.pop_to(start);
                Ok(value)
            }
            Kind::SetEnum(items) => {
                let start = self.push_all(items)?;
                self.set_from(start, node.origin)
            }
            Kind::Record(shape, fields) => {
                let start = self.push_all(fields)?;
                let value = self.store.function(*shape, self.frames.pushed(start));
                self.frames.pop_to(start);
                Ok(value)
            }
            Kind::Except(function, updates) => self.except(function, updates, node),
            Kind::If(parts) => {
                if self.condition(&parts[0], "the condition of an IF")? {
                    self.eval(&parts[1])
                } else {
                    self.eval(&parts[2])
                }
            }
            Kind::Case(arms, other) => {
                for (guard, value) in arms {
                    if self.condition(guard, "a condition of a CASE")? {
                        return self.eval(value);
                    }
                }
                match other {
                    Some(other) => self.eval(other),
                    None => self.fail(
                        node.origin,
                        "none of the conditions of this CASE is true, and it has no OTHER",
                    ),
                }
            }
            Kind::Powerset(set) => {
                let set = self.eval_set(set)?;
                Ok(self.store.powerset(set))
            }
            Kind::BigUnion(sets) => {
                let sets = self.eval_set(sets)?;
                self.store.big_union(sets).or_else(|error| self.fail_set(node.origin, &error))
            }
            Kind::Domain(function) => {
                let function = self.eval(function)?;
                self.domain(function, node.origin)
            }
            Kind::Choose(binder) => self.choose(binder, node),
            Kind::Filter(binder) => self.filter(binder, node),
            Kind::Map(binder) => self.map(binder, node),
            Kind::Function(lambda) => self.function(lambda, node),
            Kind::FunctionSet(pair) => {
                let domain = self.eval_set(&pair[0])?;
                let range = self.eval_set(&pair[1])?;
                Ok(self.store.function_set(domain, range))
            }
            Kind::RecordSet(fields) => {
                let mut sets = Vec::with_capacity(fields.len());
                for (name, set) in fields {
                    sets.push((*name, self.eval_set(set)?));
                }
                Ok(self.store.record_set(&sets))
            }
            Kind::Product(items) => {
                let mut sets = Vec::with_capacity(items.len());
                for item in items {
                    sets.push(self.eval_set(item)?);
                }
                Ok(self.store.product(&sets))
            }
            Kind::Call(function, args) => self.call(*function, args, node),
            Kind::Closure(function, captures) => Ok(self.closure(*function, captures)),
            Kind::Apply(operator, args) => self.apply_operator(operator, args, node),
            Kind::Native(call) => handler(call.native)(self, call, node.origin),
            Kind::Refuse(why) => self.fail(node.origin, &**why),
        }
    }

    /// Evaluates to TRUE or FALSE.
    pub(super) fn eval_bool(&mut self, node: &Node) -> Eval<bool> {
        match &node.kind {
            Kind::And(items) => {
                for item in items {
                    if !self.eval_bool(item)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Kind::Or(items) => {
                for item in items {
                    if self.eval_bool(item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Kind::Not(item) => Ok(!self.eval_bool(item)?),
            Kind::Implies(pair) => Ok(!self.eval_bool(&pair[0])? || self.eval_bool(&pair[1])?),
            Kind::Equiv(pair) => Ok(self.eval_bool(&pair[0])? == self.eval_bool(&pair[1])?),
            Kind::Test(Test::SubsetEq, pair) => self.subset_eq(&pair[0], &pair[1], node.origin),
            Kind::Test(test, pair) => {
                let a = self.eval(&pair[0])?;
                let b = self.eval(&pair[1])?;
                self.test(*test, a, b, node)
            }
            Kind::In(positive, pair) => {
                let elem = self.eval(&pair[0])?;
                Ok(self.member(elem, &pair[1], node.origin)? == *positive)
            }
            Kind::Quantifier(all, binder) => self.quantifier(*all, binder),
            Kind::Unchanged(pair) => {
                let a = self.eval(&pair[0])?;
                let b = self.eval(&pair[1])?;
                self.equal(a, b, node.origin)
            }
            Kind::Enabled(act, n_more) => self.enabled(act, *n_more),
            Kind::InNext(body) => self.in_next(|worker| worker.eval_bool(body)),
            Kind::If(parts) => {
                if self.condition(&parts[0], "the condition of an IF")? {
                    self.eval_bool(&parts[1])
                } else {
                    self.eval_bool(&parts[2])
                }
            }
            Kind::Scope(slots, body) => {
                self.check_depth(node.origin)?;
                self.frames.unset(slots);
                self.eval_bool(body)
            }
            _ => {
                let value = self.eval(node)?;
                match value.as_bool() {
                    Some(b) => Ok(b),
                    None => self.not_boolean(value, node.origin, "a formula"),
                }
            }
        }
    }

    /// Evaluates a condition. `place` says in an error where the condition stands.
    pub(super) fn condition(&mut self, node: &Node, place: &str) -> Eval<bool> {
        match &node.kind {
            Kind::Slot(_) | Kind::Var(_) | Kind::Index(_) | Kind::Field(..) => {
                let value = self.eval(node)?;
                match value.as_bool() {
                    Some(b) => Ok(b),
                    None => self.not_boolean(value, node.origin, place),
                }
            }
            _ => self.eval_bool(node),
        }
    }

    #[cold]
    fn not_boolean<T>(&mut self, value: Value, origin: OriginId, place: &str) -> Eval<T> {
        let shown = self.show(value);
        self.fail(origin, format!("{place} must be a boolean, but its value is\n{shown}"))
    }

    pub(super) fn show(&mut self, value: Value) -> String {
        match value.as_transient() {
            Some(_) => match self.canonical_or_none(value) {
                Some(value) => self.store.show(value),
                None => "a function that cannot be enumerated".to_owned(),
            },
            None => self.store.show(value),
        }
    }

    #[inline]
    fn primed(&mut self, var: u32, node: &Node) -> Eval<Value> {
        let value = self.states.next.get(var as usize).copied().unwrap_or(Value::UNSET);
        if value == Value::UNSET { self.unassigned(var, node) } else { Ok(value) }
    }

    #[cold]
    fn unassigned(&mut self, var: u32, node: &Node) -> Eval<Value> {
        let Some(name) = self.program.variables.get(var as usize).cloned() else {
            return self.fail(node.origin, NO_OWN_VALUE);
        };
        let hint = if self.states.is_initial() {
            format!(
                "the variable {name} has no value yet here; assign it with {name} = … or {name} \\in … before"
            )
        } else {
            format!(
                "the variable {name}' has no value yet here; assign it with {name}' = … or {name}' \\in … before"
            )
        };
        self.fail(node.origin, hint)
    }

    fn fill_cell(&mut self, cell: u32, body: &Node) -> Eval<Value> {
        self.check_depth(body.origin)?;
        let random = self.context.draw_for_constant(cell);
        let value = self.eval(body);
        self.context.draw_on(random);
        let value = value?;
        self.caches.cells[cell as usize] = value;
        if value.as_transient().is_some() {
            self.closures.keep_all();
        }
        Ok(value)
    }

    /// Evaluates items and pushes their canonical values above the frame. Returns where they start.
    fn push_all(&mut self, items: &[Node]) -> Eval<usize> {
        let start = self.frames.top();
        for item in items {
            let value = self.eval(item).and_then(|value| self.canonical(value, item.origin));
            match value {
                Ok(value) => self.frames.push(value),
                Err(Raised) => {
                    self.frames.pop_to(start);
                    return Err(Raised);
                }
            }
        }
        Ok(start)
    }

    /// Makes a set of the values above `start`, and drops them from the stack.
    pub(super) fn set_from(&mut self, start: usize, origin: OriginId) -> Eval<Value> {
        let mut elems = self.frames.pushed(start).to_vec();
        self.frames.pop_to(start);
        self.store.set(&mut elems).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    pub(super) fn field(&mut self, record: Value, name: Value, node: &Node) -> Eval<Value> {
        if let Some(value) = self.store.field(record, name) {
            return Ok(value);
        }
        if record.as_transient().is_some() {
            return self.apply(record, name, node);
        }
        let field = self.store.string_text(name).unwrap_or("?").to_owned();
        let shown = self.show(record);
        if self.store.is_function(record) {
            self.fail(
                node.origin,
                format!("the record has no field named {field}; it is not in the domain of\n{shown}"),
            )
        } else {
            self.fail(
                node.origin,
                format!("the field {field} was selected from a value that is not a record:\n{shown}"),
            )
        }
    }

    pub(super) fn domain(&mut self, function: Value, origin: OriginId) -> Eval<Value> {
        if function.as_transient().is_some() {
            return self.closure_domain(function, origin);
        }
        match self.store.domain(function) {
            Some(domain) => Ok(domain),
            None => {
                let shown = self.show(function);
                self.fail(origin, format!("DOMAIN was applied to a value that is not a function:\n{shown}"))
            }
        }
    }

    /// The elements of a sequence. `None` if the value is not a sequence.
    pub(super) fn sequence(&mut self, value: Value, origin: OriginId) -> Eval<Option<Vec<Value>>> {
        let value = self.explicit(value, origin)?;
        Ok(match self.store.view(value) {
            View::Tuple(elems) => Some(elems.to_vec()),
            _ => None,
        })
    }
}
