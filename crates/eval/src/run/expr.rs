//! Expressions.

use kilter_value::{Value, View};

use super::Worker;
use crate::error::{Eval, Raised};
use crate::node::{Binary, Kind, Node, OriginId, Test, Update};

impl Worker<'_> {
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Value {
        self.slots[self.base + slot as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, slot: u32, value: Value) {
        let index = self.base + slot as usize;
        self.slots[index] = value;
    }

    /// Evaluates to a value that may be lazy.
    pub(super) fn eval(&mut self, node: &Node) -> Eval<Value> {
        match &node.kind {
            Kind::Value(value) => Ok(*value),
            Kind::Slot(slot) => Ok(self.get(*slot)),
            Kind::Var(var) => Ok(self.now[*var as usize]),
            Kind::VarPrimed(var) => self.primed(*var, node),
            Kind::Cell(cell, body) => {
                let value = self.cells[cell.0 as usize];
                if value == Value::UNSET { self.fill_cell(cell.0, body) } else { Ok(value) }
            }
            Kind::Lazy(slot, body) => {
                let value = self.get(*slot);
                if value != Value::UNSET {
                    return Ok(value);
                }
                let value = self.eval(body)?;
                self.set(*slot, value);
                Ok(value)
            }
            Kind::Param(slot) => self.param(*slot),
            Kind::Shared(body) => self.eval(body),
            Kind::Scope(slots, body) => {
                for slot in slots {
                    self.set(*slot, Value::UNSET);
                }
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
                let value = self.store.tuple(&self.scratch()[start..]);
                self.pop_to(start);
                Ok(value)
            }
            Kind::SetEnum(items) => {
                let start = self.push_all(items)?;
                self.set_from(start, node.origin)
            }
            Kind::Record(shape, fields) => {
                let start = self.push_all(fields)?;
                let value = self.store.function(*shape, &self.scratch()[start..]);
                self.pop_to(start);
                Ok(value)
            }
            Kind::Except(function, updates) => {
                let function = self.eval(function)?;
                let mut function = self.canonical(function, node.origin)?;
                for update in updates {
                    function = self.update(function, update, 0, node)?;
                }
                Ok(function)
            }
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
            Kind::Native(native, args, operators) => self.native(*native, args, operators, node),
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
                for slot in slots {
                    self.set(*slot, Value::UNSET);
                }
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

    /// A condition, with a word for where it stands.
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
        let value = self.next[var as usize];
        if value == Value::UNSET { self.unassigned(var, node) } else { Ok(value) }
    }

    #[cold]
    fn unassigned(&mut self, var: u32, node: &Node) -> Eval<Value> {
        let name = self.program.variables[var as usize].clone();
        let hint = if self.now.first().is_none_or(|value| *value == Value::UNSET) {
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
        // All workers must draw the same random constants, whatever else they have drawn.
        let random = std::mem::replace(&mut self.random, self.seed ^ (u64::from(cell) << 32 | 1));
        let value = self.eval(body);
        self.random = random;
        let value = value?;
        self.cells[cell as usize] = value;
        if value.as_transient().is_some() {
            self.closures_kept = self.closures.len();
        }
        Ok(value)
    }

    /// Evaluates items and leaves their canonical values above the frame; returns where they start.
    fn push_all(&mut self, items: &[Node]) -> Eval<usize> {
        let start = self.top;
        for item in items {
            let value = self.eval(item).and_then(|value| self.canonical(value, item.origin));
            match value {
                Ok(value) => self.push(value),
                Err(Raised) => {
                    self.top = start;
                    return Err(Raised);
                }
            }
        }
        Ok(start)
    }

    #[inline]
    pub(super) fn push(&mut self, value: Value) {
        if self.top == self.slots.len() {
            self.slots.resize(self.top * 2, Value::UNSET);
        }
        self.slots[self.top] = value;
        self.top += 1;
    }

    #[inline]
    pub(super) fn scratch(&self) -> &[Value] {
        &self.slots[..self.top]
    }

    #[inline]
    pub(super) fn pop_to(&mut self, start: usize) {
        self.top = start;
    }

    /// The set of the values above `start`, which are dropped.
    pub(super) fn set_from(&mut self, start: usize, origin: OriginId) -> Eval<Value> {
        let mut elems = self.slots[start..self.top].to_vec();
        self.top = start;
        self.store.set(&mut elems).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    fn update(&mut self, function: Value, update: &Update, depth: usize, node: &Node) -> Eval<Value> {
        if !self.store.is_function(function) {
            let shown = self.show(function);
            return self.fail(
                node.origin,
                format!("EXCEPT was applied to a value that is not a function:\n{shown}"),
            );
        }
        let arg = self.eval(&update.path[depth])?;
        let arg = self.canonical(arg, update.path[depth].origin)?;
        let old = match self.store.apply(function, arg) {
            Ok(Some(old)) => old,
            // As in TLC, replacing what is not there changes nothing.
            Ok(None) => return Ok(function),
            Err(mismatch) => return self.fail_mismatch(node.origin, &mismatch),
        };
        let new = if depth + 1 < update.path.len() {
            self.update(old, update, depth + 1, node)?
        } else {
            if let Some(at) = update.at {
                self.set(at, old);
            }
            let new = self.eval(&update.value)?;
            self.canonical(new, update.value.origin)?
        };
        if new == old {
            return Ok(function);
        }
        match self.store.except(function, arg, new) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Ok(function),
            Err(mismatch) => self.fail_mismatch(node.origin, &mismatch),
        }
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

    #[inline]
    pub(super) fn equal(&mut self, a: Value, b: Value, origin: OriginId) -> Eval<bool> {
        if a == b {
            return Ok(true);
        }
        if a.as_small_int().is_some() && b.as_small_int().is_some() {
            return Ok(false);
        }
        self.equal_slowly(a, b, origin)
    }

    fn equal_slowly(&mut self, a: Value, b: Value, origin: OriginId) -> Eval<bool> {
        let a = self.explicit(a, origin)?;
        let b = self.explicit(b, origin)?;
        self.store.equal(a, b).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    fn test(&mut self, test: Test, a: Value, b: Value, node: &Node) -> Eval<bool> {
        match test {
            Test::Eq => self.equal(a, b, node.origin),
            Test::NotEq => Ok(!self.equal(a, b, node.origin)?),
            Test::SubsetEq | Test::Less | Test::LessEq | Test::Greater | Test::GreaterEq => {
                let symbol = match test {
                    Test::Less => "<",
                    Test::LessEq => "<=",
                    Test::Greater => ">",
                    _ => ">=",
                };
                let a = self.int_operand(a, symbol, true, node.origin)?;
                let b = self.int_operand(b, symbol, false, node.origin)?;
                Ok(match test {
                    Test::Less => a < b,
                    Test::LessEq => a <= b,
                    Test::Greater => a > b,
                    _ => a >= b,
                })
            }
        }
    }

    #[inline]
    pub(super) fn int_operand(&mut self, value: Value, op: &str, first: bool, origin: OriginId) -> Eval<i32> {
        match value.as_small_int() {
            Some(i) => Ok(i),
            None => self.big_int_operand(value, op, first, origin),
        }
    }

    #[cold]
    fn big_int_operand(&mut self, value: Value, op: &str, first: bool, origin: OriginId) -> Eval<i32> {
        if let Some(i) = self.store.as_int(value) {
            return Ok(i);
        }
        let which = if first { "first" } else { "second" };
        let shown = self.show(value);
        self.fail(
            origin,
            format!("the {which} argument of {op} should be an integer, but instead it is:\n{shown}"),
        )
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value, node: &Node) -> Eval<Value> {
        let origin = node.origin;
        match op {
            Binary::Cup | Binary::Cap | Binary::Minus => {
                if let Some(known) = self.operations.get(op, a, b) {
                    return Ok(known);
                }
                let result = match op {
                    Binary::Cup => self.store.union(a, b),
                    Binary::Cap => self.store.intersect(a, b),
                    _ => self.store.difference(a, b),
                };
                match result {
                    Ok(value) => {
                        self.operations.put(op, a, b, value);
                        Ok(value)
                    }
                    Err(error) => self.fail_set(origin, &error),
                }
            }
            _ => self.arithmetic(op, a, b, node),
        }
    }

    fn arithmetic(&mut self, op: Binary, a: Value, b: Value, node: &Node) -> Eval<Value> {
        let origin = node.origin;
        let symbol = match op {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "\\div",
            Binary::Mod => "%",
            Binary::Pow => "^",
            _ => "..",
        };
        let x = self.int_operand(a, symbol, true, origin)?;
        let y = self.int_operand(b, symbol, false, origin)?;
        let result = match op {
            Binary::Add => x.checked_add(y),
            Binary::Sub => x.checked_sub(y),
            Binary::Mul => x.checked_mul(y),
            Binary::Div if y == 0 => {
                return self.fail(origin, "division by zero: the second argument of \\div is 0");
            }
            Binary::Div => floor_div(x, y),
            Binary::Mod if y <= 0 => {
                return self.fail(
                    origin,
                    format!("the second argument of % should be a positive number, but instead it is:\n{y}"),
                );
            }
            Binary::Mod => Some(x.rem_euclid(y)),
            Binary::Pow => return self.power(x, y, origin),
            _ => return Ok(self.store.interval(x, y)),
        };
        match result {
            Some(i) => Ok(self.store.int(i)),
            None => self.fail(
                origin,
                format!("overflow when computing the value {x} {symbol} {y}: integers have 32 bits"),
            ),
        }
    }

    fn power(&mut self, x: i32, y: i32, origin: OriginId) -> Eval<Value> {
        if y < 0 {
            return self.fail(
                origin,
                format!("the second argument of ^ should be a natural number, but instead it is:\n{y}"),
            );
        }
        if x == 0 && y == 0 {
            return self.fail(origin, "0^0 is undefined");
        }
        match x.checked_pow(y as u32) {
            Some(i) => Ok(self.store.int(i)),
            None => self
                .fail(origin, format!("overflow when computing the value {x} ^ {y}: integers have 32 bits")),
        }
    }

    /// Evaluates to a set of any form.
    pub(super) fn eval_set(&mut self, node: &Node) -> Eval<Value> {
        let value = self.eval(node)?;
        if self.store.is_set(value) {
            return Ok(value);
        }
        let shown = self.show(value);
        self.fail(node.origin, format!("a set is needed here, but the value is\n{shown}"))
    }

    /// The form of a value that can be part of others and compared by handle.
    #[inline]
    pub(super) fn canonical(&mut self, value: Value, origin: OriginId) -> Eval<Value> {
        if value.is_canonical() { Ok(value) } else { self.canonical_slowly(value, origin) }
    }

    fn canonical_slowly(&mut self, value: Value, origin: OriginId) -> Eval<Value> {
        if value.as_transient().is_some() {
            return self.enumerate_closure(value, origin);
        }
        self.store.normalize(value).or_else(|error| self.fail_set(origin, &error))
    }

    /// The value without the evaluator's own closures; sets may stay lazy.
    pub(super) fn explicit(&mut self, value: Value, origin: OriginId) -> Eval<Value> {
        if value.as_transient().is_some() { self.enumerate_closure(value, origin) } else { Ok(value) }
    }

    fn canonical_or_none(&mut self, value: Value) -> Option<Value> {
        let saved = self.failure.take();
        let result = self.canonical(value, OriginId(0)).ok();
        self.failure = saved;
        result
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

    /// The elements of a sequence, if it is one.
    pub(super) fn sequence(&mut self, value: Value, origin: OriginId) -> Eval<Option<Vec<Value>>> {
        let value = self.explicit(value, origin)?;
        Ok(match self.store.view(value) {
            View::Tuple(elems) => Some(elems.to_vec()),
            _ => None,
        })
    }
}

/// Division that rounds down.
fn floor_div(x: i32, y: i32) -> Option<i32> {
    let quotient = x.checked_div(y)?;
    Some(if x % y != 0 && (x < 0) != (y < 0) { quotient - 1 } else { quotient })
}
