//! Membership, decided on the expression of the set where that spares building it.

use kilter_value::{Value, View};

use super::Worker;
use crate::error::Eval;
use crate::node::{Binary, Kind, Node, OriginId};

impl Worker<'_> {
    /// Whether `elem` is an element of the set that `set` stands for.
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
                Ok(self.member(elem, &pair[0], origin)? || self.member(elem, &pair[1], origin)?)
            }
            Kind::Binary(Binary::Cap, pair) => {
                Ok(self.member(elem, &pair[0], origin)? && self.member(elem, &pair[1], origin)?)
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
            Kind::FunctionSet(pair) => self.member_function_set(elem, pair, set, origin),
            Kind::Scope(slots, body) => {
                for slot in slots {
                    self.set(*slot, Value::UNSET);
                }
                self.member(elem, body, origin)
            }
            Kind::If(parts) => {
                let branch = if self.condition(&parts[0], "the condition of an IF")? { 1 } else { 2 };
                self.member(elem, &parts[branch], origin)
            }
            Kind::Cell(cell, body) if self.cells[cell.0 as usize] == Value::UNSET && is_structural(body) => {
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

    /// `elem \subseteq base`, where `base` may be infinite.
    fn subset_of(&mut self, elem: Value, base: &Node, origin: OriginId) -> Eval<bool> {
        self.each(elem, origin, |worker, inner| worker.member(inner, base, origin))
    }

    fn member_function_set(&mut self, elem: Value, pair: &[Node; 2], set: &Node, origin: OriginId) -> Eval<bool> {
        let elem = self.explicit(elem, origin)?;
        let store = self.store;
        let values = match store.view(elem) {
            View::Tuple(values) | View::Record { values, .. } | View::Function { values, .. } => values,
            _ => {
                let whole = self.eval(set)?;
                return self.contains(whole, elem, origin);
            }
        };
        let domain = self.eval_set(&pair[0])?;
        let own = self.domain(elem, origin)?;
        if !self.equal(own, domain, origin)? {
            return Ok(false);
        }
        if is_structural(&pair[1]) {
            for value in values.iter() {
                if !self.member(value, &pair[1], origin)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let range = self.eval(&pair[1])?;
        for value in values.iter() {
            if !self.contains(range, value, origin)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether membership in this set is cheaper to decide on the expression than on its value.
fn is_structural(set: &Node) -> bool {
    match &set.kind {
        Kind::Filter(_) | Kind::Powerset(_) | Kind::FunctionSet(_) => true,
        Kind::Scope(_, body) => is_structural(body),
        Kind::Binary(Binary::Cup | Binary::Cap | Binary::Minus, pair) => pair.iter().any(is_structural),
        _ => false,
    }
}
