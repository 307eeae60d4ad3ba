//! Operators on two values: comparisons, sets, arithmetic.

use kilter_value::Value;

use super::Worker;
use crate::error::Eval;
use crate::node::{Binary, Node, Test};
use crate::origin::OriginId;

impl Worker<'_> {
    #[inline]
    pub(super) fn equal(&mut self, a: Value, b: Value, origin: OriginId) -> Eval<bool> {
        if a == b {
            return Ok(true);
        }
        let both_ints = a.as_small_int().is_some() && b.as_small_int().is_some();
        if both_ints || a.as_string_number().is_some() && b.as_string_number().is_some() {
            return Ok(false);
        }
        self.equal_slowly(a, b, origin)
    }

    fn equal_slowly(&mut self, a: Value, b: Value, origin: OriginId) -> Eval<bool> {
        let a = self.explicit(a, origin)?;
        let b = self.explicit(b, origin)?;
        self.store.equal(a, b).or_else(|mismatch| self.fail_mismatch(origin, &mismatch))
    }

    pub(super) fn test(&mut self, test: Test, a: Value, b: Value, node: &Node) -> Eval<bool> {
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

    pub(super) fn binary(&mut self, op: Binary, a: Value, b: Value, node: &Node) -> Eval<Value> {
        let origin = node.origin;
        match op {
            Binary::Cup | Binary::Cap | Binary::Minus => {
                if let Some(known) = self.caches.operations.get(op, a, b) {
                    return Ok(known);
                }
                let result = match op {
                    Binary::Cup => self.store.union(a, b),
                    Binary::Cap => self.store.intersect(a, b),
                    _ => self.store.difference(a, b),
                };
                match result {
                    Ok(value) => {
                        self.caches.operations.put(op, a, b, value);
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
}

/// Division that rounds down.
fn floor_div(x: i32, y: i32) -> Option<i32> {
    let quotient = x.checked_div(y)?;
    Some(if x % y != 0 && (x < 0) != (y < 0) { quotient - 1 } else { quotient })
}
