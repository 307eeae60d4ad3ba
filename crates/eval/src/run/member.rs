//! Decides membership from the expression of a set, where that avoids building the set.

use kilter_spec::native::Native;
use kilter_value::{Value, View};

use super::Worker;
use super::endless::is_made_of_endless;
use crate::error::Eval;
use crate::node::{Binary, Kind, Node};
use crate::origin::OriginId;

impl Worker<'_> {
    /// Whether `elem` is an element of the set that the expression `set` describes.
    pub(super) fn member(&mut self, elem: Value, set: &Node, origin: OriginId) -> Eval<bool> {
        match &set.kind {
            Kind::Value(value) => self.contains(*value, elem, origin),
            Kind::SetEnum(items) => {
                let elem = self.explicit(elem, origin)?;
                for item in items {
                    let value = self.eval(item)?;
                    if self.equal(elem, value, origin)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Kind::Binary(Binary::Range, pair) => {
                let lo = self.eval(&pair[0])?;
                let hi = self.eval(&pair[1])?;
                let lo = self.int_operand(lo, "..", true, set.origin)?;
                let hi = self.int_operand(hi, "..", false, set.origin)?;
                match self.store.as_int(elem) {
                    Some(i) => Ok(lo <= i && i <= hi),
                    None => {
                        let range = self.store.interval(lo, hi);
                        self.contains(range, elem, origin)
                    }
                }
            }
            Kind::Binary(Binary::Cup, pair) => {
                let [first, second] = enumerated_first(pair);
                Ok(self.member(elem, first, origin)? || self.member(elem, second, origin)?)
            }
            Kind::Binary(Binary::Cap, pair) => {
                let [first, second] = enumerated_first(pair);
                Ok(self.member(elem, first, origin)? && self.member(elem, second, origin)?)
            }
            Kind::Binary(Binary::Minus, pair) => {
                Ok(self.member(elem, &pair[0], origin)? && !self.member(elem, &pair[1], origin)?)
            }
            Kind::Filter(binder) => {
                let bound = &binder.bounds[0];
                if !self.member(elem, &bound.set, origin)? {
                    return Ok(false);
                }
                self.bind_one(&bound.target, elem, origin)?;
                self.eval_bool(&binder.body)
            }
            Kind::Powerset(base) => {
                let elem = self.explicit(elem, origin)?;
                if !self.store.is_set(elem) {
                    let whole = self.eval(set)?;
                    return self.contains(whole, elem, origin);
                }
                self.subset_of(elem, base, origin)
            }
            Kind::Native(..) | Kind::Product(_) if is_made_of_endless(set) => {
                self.member_by_parts(elem, set, origin)
            }
            Kind::FunctionSet(pair) => self.member_function_set(elem, pair, set, origin),
            Kind::RecordSet(fields) => self.member_record_set(elem, fields, set, origin),
            Kind::Scope(slots, body) => {
                self.check_depth(origin)?;
                self.frames.unset(slots);
                self.member(elem, body, origin)
            }
            Kind::If(parts) => {
                let branch = if self.condition(&parts[0], "the condition of an IF")? { 1 } else { 2 };
                self.member(elem, &parts[branch], origin)
            }
            Kind::BigUnion(sets) if is_structural(set) => self.member_big_union(elem, sets, origin),
            Kind::Cell(cell, body)
                if self.caches.cells[cell.0 as usize] == Value::UNSET && is_structural(body) =>
            {
                self.member_constant(elem, cell.0, body, origin)
            }
            Kind::Memo(memo) if is_structural(&memo.body) => self.member(elem, &memo.body, origin),
            Kind::Lazy(_, body) | Kind::Shared(body) if is_structural(body) => {
                self.member(elem, body, origin)
            }
            _ => {
                let set = self.eval(set)?;
                self.contains(set, elem, origin)
            }
        }
    }

    pub(super) fn contains(&mut self, set: Value, elem: Value, origin: OriginId) -> Eval<bool> {
        let elem = self.explicit(elem, origin)?;
        self.store.contains(set, elem).or_else(|error| self.fail_set(origin, &error))
    }

    /// Decides membership in a constant set that is not built. The answer is kept, because the same elements come
    /// again.
    fn member_constant(&mut self, elem: Value, cell: u32, body: &Node, origin: OriginId) -> Eval<bool> {
        if let Some(known) = self.caches.operations.get_member(cell, elem) {
            return Ok(known);
        }
        let result = self.member(elem, body, origin)?;
        self.caches.operations.put_member(cell, elem, result);
        Ok(result)
    }

    /// Decides `elem \in UNION sets`, where the sets are listed or mapped.
    fn member_big_union(&mut self, elem: Value, sets: &Node, origin: OriginId) -> Eval<bool> {
        match &sets.kind {
            Kind::SetEnum(items) => {
                for item in items {
                    if self.member(elem, item, origin)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Kind::Map(binder) => {
                let body = &binder.body;
                Ok(!self
                    .each_binding(&binder.bounds, &mut |worker| Ok(!worker.member(elem, body, origin)?))?)
            }
            Kind::Cell(_, body) => self.member_big_union(elem, body, origin),
            Kind::Memo(memo) => self.member_big_union(elem, &memo.body, origin),
            _ => {
                let sets = self.eval_set(sets)?;
                Ok(!self.each(sets, origin, |worker, set| Ok(!worker.contains(set, elem, origin)?))?)
            }
        }
    }

    /// Decides `left \subseteq right`, where the right side may be infinite.
    pub(super) fn subset_eq(&mut self, left: &Node, right: &Node, origin: OriginId) -> Eval<bool> {
        let left = self.eval_set(left)?;
        self.subset_eq_value(left, right, origin)
    }

    fn subset_eq_value(&mut self, left: Value, right: &Node, origin: OriginId) -> Eval<bool> {
        if let (View::Powerset(inner), Some(base)) = (self.store.view(left), powerset_base(right)) {
            // For `SUBSET A \subseteq SUBSET B` it is enough to look at the elements of A.
            return self.subset_eq_value(inner, base, origin);
        }
        if is_structural(right) {
            return self.subset_of(left, right, origin);
        }
        let right = self.eval(right)?;
        self.store.subset_eq(left, right).or_else(|error| self.fail_set(origin, &error))
    }

    /// Decides `elem \subseteq base`, where `base` may be infinite.
    fn subset_of(&mut self, elem: Value, base: &Node, origin: OriginId) -> Eval<bool> {
        self.each(elem, origin, |worker, inner| worker.member(inner, base, origin))
    }

    fn member_record_set(
        &mut self,
        elem: Value,
        fields: &[(Value, Node)],
        set: &Node,
        origin: OriginId,
    ) -> Eval<bool> {
        let elem = self.explicit(elem, origin)?;
        let View::Record { values, .. } = self.store.view(elem) else {
            let whole = self.eval(set)?;
            return self.contains(whole, elem, origin);
        };
        if values.len() != fields.len() {
            return Ok(false);
        }
        for (name, field) in fields {
            match self.store.field(elem, *name) {
                Some(value) if self.member(value, field, origin)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn member_function_set(
        &mut self,
        elem: Value,
        pair: &[Node; 2],
        set: &Node,
        origin: OriginId,
    ) -> Eval<bool> {
        let elem = self.explicit(elem, origin)?;
        let store = self.store;
        let Some(values) = store.range_elems(elem) else {
            let whole = self.eval(set)?;
            return self.contains(whole, elem, origin);
        };
        let domain = self.eval_set(&pair[0])?;
        let own = self.domain(elem, origin)?;
        if !self.equal(own, domain, origin)? {
            return Ok(false);
        }
        if is_structural(&pair[1]) {
            for value in values {
                if !self.member(value, &pair[1], origin)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let range = self.eval(&pair[1])?;
        for value in values {
            if !self.contains(range, value, origin)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether membership is better decided from the expression. The value of such a set may be large or infinite.
fn is_structural(set: &Node) -> bool {
    match &set.kind {
        Kind::Filter(_) | Kind::Powerset(_) | Kind::FunctionSet(_) | Kind::RecordSet(_) => true,
        Kind::Scope(_, body) => is_structural(body),
        Kind::Cell(_, body) => is_structural(body),
        Kind::Memo(memo) => is_structural(&memo.body),
        Kind::Lazy(_, body) | Kind::Shared(body) => is_structural(body),
        Kind::Binary(Binary::Cup | Binary::Cap | Binary::Minus, pair) => pair.iter().any(is_structural),
        Kind::BigUnion(sets) => lists_structural(sets),
        _ => is_made_of_endless(set),
    }
}

/// The operands of `\cup` or `\cap` in the order in which TLC asks them: first the set that TLC has listed, then the
/// set that it keeps as a description. So a model value is found in `SUBSET S \cup {none}` without a comparison with
/// sets.
fn enumerated_first(pair: &[Node; 2]) -> [&Node; 2] {
    let [left, right] = pair;
    if is_description(left) && !is_description(right) { [right, left] } else { [left, right] }
}

/// Whether TLC keeps this set as a description and does not list its elements.
fn is_description(set: &Node) -> bool {
    match &set.kind {
        Kind::Powerset(_) | Kind::FunctionSet(_) | Kind::RecordSet(_) | Kind::Product(_) => true,
        Kind::Value(Value::NAT | Value::INT | Value::REAL | Value::STRING) => true,
        Kind::Native(call) => call.native == Native::Seq,
        Kind::Filter(binder) => is_description(&binder.bounds[0].set),
        Kind::Binary(Binary::Cup, pair) => pair.iter().any(is_description),
        Kind::Cell(_, body) | Kind::Lazy(_, body) | Kind::Shared(body) => is_description(body),
        Kind::Scope(_, body) => is_description(body),
        Kind::Memo(memo) => is_description(&memo.body),
        _ => false,
    }
}

/// Returns `B` for `SUBSET B`.
fn powerset_base(set: &Node) -> Option<&Node> {
    match &set.kind {
        Kind::Powerset(base) => Some(base),
        Kind::Cell(_, body) | Kind::Lazy(_, body) | Kind::Shared(body) => powerset_base(body),
        Kind::Memo(memo) => powerset_base(&memo.body),
        _ => None,
    }
}

fn lists_structural(sets: &Node) -> bool {
    match &sets.kind {
        Kind::SetEnum(items) => items.iter().any(is_structural),
        Kind::Map(binder) => is_structural(&binder.body),
        Kind::Cell(_, body) => lists_structural(body),
        Kind::Memo(memo) => lists_structural(&memo.body),
        _ => false,
    }
}
