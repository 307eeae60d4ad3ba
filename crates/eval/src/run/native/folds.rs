//! Operators that take operators: folds, sorting, selection; and other helpers of the community modules.

use kilter_value::{Value, View};

use crate::error::Eval;
use crate::node::{NativeCall, Operator};
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn apply1(&mut self, operator: &Operator, arg: Value) -> Eval<Value> {
        self.frames.set(operator.params[0], arg);
        let value = self.eval(&operator.body)?;
        self.canonical(value, operator.body.origin)
    }

    pub(super) fn apply2(&mut self, operator: &Operator, first: Value, second: Value) -> Eval<Value> {
        self.frames.set(operator.params[0], first);
        self.frames.set(operator.params[1], second);
        let value = self.eval(&operator.body)?;
        self.canonical(value, operator.body.origin)
    }

    /// Applies an operator that was passed to `whom`, and expects TRUE or FALSE.
    fn test1(&mut self, operator: &Operator, arg: Value, whom: &str) -> Eval<bool> {
        self.frames.set(operator.params[0], arg);
        let value = self.eval(&operator.body)?;
        self.truth(value, operator, whom)
    }

    fn test2(&mut self, operator: &Operator, first: Value, second: Value, whom: &str) -> Eval<bool> {
        let value = self.apply2(operator, first, second)?;
        self.truth(value, operator, whom)
    }

    fn truth(&mut self, value: Value, operator: &Operator, whom: &str) -> Eval<bool> {
        match value.as_bool() {
            Some(holds) => Ok(holds),
            None => {
                let shown = self.show(value);
                self.fail(
                    operator.body.origin,
                    format!(
                        "the second argument of {whom} should be an operator with boolean values, but a value is:\n{shown}"
                    ),
                )
            }
        }
    }

    pub(super) fn select_seq(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let elems = self.sequence_of(&call.args[0], "first argument", "SelectSeq")?;
        let mut selected = Vec::new();
        for elem in elems {
            if self.test1(&call.operators[0], elem, "SelectSeq")? {
                selected.push(elem);
            }
        }
        Ok(self.store.tuple(&selected))
    }

    pub(super) fn sort_seq(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let elems = self.sequence_of(&call.args[0], "first argument", "SortSeq")?;
        self.sort(elems, &call.operators[0])
    }

    pub(super) fn fold_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let mut result = self.eval_canonical(&call.args[0])?;
        let set = self.eval_canonical(&call.args[1])?;
        self.each(set, origin, |worker, elem| {
            result = worker.apply2(&call.operators[0], elem, result)?;
            Ok(true)
        })?;
        Ok(result)
    }

    pub(super) fn map_then_sum_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let set = self.eval(&call.args[0])?;
        let mut sum = 0i32;
        self.each(set, origin, |worker, elem| {
            let value = worker.apply1(&call.operators[0], elem)?;
            let value = worker.int_operand(value, "+", true, origin)?;
            sum = match sum.checked_add(value) {
                Some(sum) => sum,
                None => {
                    return worker.fail(origin, "overflow when computing a sum: integers have 32 bits");
                }
            };
            Ok(true)
        })?;
        Ok(self.store.int(sum))
    }

    pub(super) fn quantify(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let set = self.eval(&call.args[0])?;
        let mut count = 0;
        self.each(set, origin, |worker, elem| {
            count += usize::from(worker.test1(&call.operators[0], elem, "Quantify")?);
            Ok(true)
        })?;
        self.size_value(count, origin)
    }

    pub(super) fn fold_function(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let (base, function) = self.base_and_function(call, "a function", origin)?;
        let domain = self.domain(function, origin)?;
        self.fold_values(call, base, function, domain, origin)
    }

    pub(super) fn fold_seq(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let (base, function) = self.base_and_function(call, "a sequence", origin)?;
        let domain = self.domain(function, origin)?;
        self.fold_values(call, base, function, domain, origin)
    }

    pub(super) fn fold_function_on_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let (base, function) = self.base_and_function(call, "a function", origin)?;
        let domain = self.eval_canonical(&call.args[2])?;
        self.fold_values(call, base, function, domain, origin)
    }

    /// Evaluates the arguments of a fold over the values of a function.
    fn base_and_function(&mut self, call: &NativeCall, what: &str, origin: OriginId) -> Eval<(Value, Value)> {
        let base = self.eval_canonical(&call.args[0])?;
        let function = self.eval(&call.args[1])?;
        if function.as_transient().is_none() && !self.store.is_function(function) {
            return self.expected("third argument", call.native.name(), what, function, origin);
        }
        Ok((base, function))
    }

    fn fold_values(
        &mut self,
        call: &NativeCall,
        base: Value,
        function: Value,
        domain: Value,
        origin: OriginId,
    ) -> Eval<Value> {
        let mut result = base;
        self.each(domain, origin, |worker, elem| {
            let value = worker.apply(function, elem, &call.args[1])?;
            result = worker.apply2(&call.operators[0], value, result)?;
            Ok(true)
        })?;
        Ok(result)
    }

    pub(super) fn fold_left(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let mut result = self.eval_canonical(&call.args[0])?;
        for elem in self.sequence_of(&call.args[1], "third argument", "FoldLeft")? {
            result = self.apply2(&call.operators[0], result, elem)?;
        }
        Ok(result)
    }

    pub(super) fn fold_right(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let elems = self.sequence_of(&call.args[0], "second argument", "FoldRight")?;
        let mut result = self.eval_canonical(&call.args[1])?;
        for elem in elems.into_iter().rev() {
            result = self.apply2(&call.operators[0], elem, result)?;
        }
        Ok(result)
    }

    pub(super) fn to_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let value = self.eval_canonical(&call.args[0])?;
        let mut elems = match self.store.view(value) {
            View::Tuple(elems) => elems.to_vec(),
            View::Record { values, .. } | View::Function { values, .. } => values.to_vec(),
            _ => return self.expected("argument", "ToSet", "a sequence", value, origin),
        };
        self.store.set(&mut elems).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    pub(super) fn reverse(&mut self, call: &NativeCall, _: OriginId) -> Eval<Value> {
        let mut elems = self.sequence_of(&call.args[0], "argument", "Reverse")?;
        elems.reverse();
        Ok(self.store.tuple(&elems))
    }

    pub(super) fn set_to_seq(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let set = self.eval_canonical(&call.args[0])?;
        match self.store.items(set) {
            Some(items) => {
                let elems: Vec<Value> = items.iter().collect();
                Ok(self.store.tuple(&elems))
            }
            None => self.expected("argument", "SetToSeq", "a finite set", set, origin),
        }
    }

    /// Insertion sort, as TLC does it. It is stable, and gives TLC's result even if `less` is no order.
    fn sort(&mut self, mut elems: Vec<Value>, less: &Operator) -> Eval<Value> {
        for i in 1..elems.len() {
            let mut place = i;
            while place > 0 && self.test2(less, elems[i], elems[place - 1], "SortSeq")? {
                place -= 1;
            }
            elems[place..=i].rotate_right(1);
        }
        Ok(self.store.tuple(&elems))
    }

    /// `MapThenFoldSet(op, base, f, choose, S)`: the element that is chosen first is combined last.
    pub(super) fn map_then_fold_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let [op, map, choose] = &*call.operators else {
            return self.fail(origin, "MapThenFoldSet needs three operators");
        };
        let base = self.eval_canonical(&call.args[0])?;
        let mut set = self.eval_canonical(&call.args[1])?;
        let mut chosen = Vec::new();
        while set != self.store.empty_set() {
            let elem = self.apply1(choose, set)?;
            let single =
                self.store.set(&mut vec![elem]).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))?;
            let rest = self.store.difference(set, single).or_else(|error| self.fail_set(origin, &error))?;
            if rest == set {
                return self
                    .fail(origin, "the operator that chooses an element of a set chose something else");
            }
            set = rest;
            chosen.push(elem);
        }
        let mut result = base;
        for elem in chosen.into_iter().rev() {
            let mapped = self.apply1(map, elem)?;
            result = self.apply2(op, mapped, result)?;
        }
        Ok(result)
    }

    pub(super) fn k_subset(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let size = self.eval(&call.args[0])?;
        let size = self.int_operand(size, "kSubset", true, origin)?;
        let set = self.eval_canonical(&call.args[1])?;
        let Some(items) = self.store.items(set) else {
            return self.expected("second argument", "kSubset", "a finite set", set, origin);
        };
        let elems: Vec<Value> = items.iter().collect();
        let mut subsets = Vec::new();
        if let Ok(size) = usize::try_from(size) {
            combinations(&elems, size, &mut Vec::new(), &mut |chosen| {
                subsets.push(self.store.set_sorted(chosen));
            });
        }
        self.store.set(&mut subsets).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    pub(super) fn is_prefix(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let first = self.eval(&call.args[0])?;
        let second = self.eval(&call.args[1])?;
        if let (Some(a), Some(b)) = (self.store.string_text(first), self.store.string_text(second)) {
            return Ok(Value::bool(b.starts_with(a)));
        }
        let Some(a) = self.sequence(first, origin)? else {
            return self.expected("first argument", "IsPrefix", "a sequence", first, origin);
        };
        let Some(b) = self.sequence(second, origin)? else {
            return self.expected("second argument", "IsPrefix", "a sequence", second, origin);
        };
        if a.len() > b.len() {
            return Ok(Value::FALSE);
        }
        for (x, y) in a.iter().zip(&b) {
            if !self.equal(*x, *y, origin)? {
                return Ok(Value::FALSE);
            }
        }
        Ok(Value::TRUE)
    }
}

/// Calls `visit` with each choice of `size` elements, in order.
fn combinations(elems: &[Value], size: usize, chosen: &mut Vec<Value>, visit: &mut dyn FnMut(&[Value])) {
    if size == 0 {
        return visit(chosen);
    }
    for i in 0..elems.len().saturating_sub(size - 1) {
        chosen.push(elems[i]);
        combinations(&elems[i + 1..], size - 1, chosen, visit);
        chosen.pop();
    }
}
