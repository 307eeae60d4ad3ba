//! The modules Integers, Reals and Bitwise.

use kilter_value::Value;

use crate::error::Eval;
use crate::node::NativeCall;
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn negate(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let value = self.eval(&call.args[0])?;
        let i = self.int_operand(value, "-", true, origin)?;
        match i.checked_neg() {
            Some(i) => Ok(self.store.int(i)),
            None => {
                self.fail(origin, format!("overflow when computing the value -({i}): integers have 32 bits"))
            }
        }
    }

    pub(super) fn divide(&mut self, _: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.fail(origin, "division of reals (/) cannot be evaluated; integers are divided with \\div")
    }

    pub(super) fn infinity(&mut self, _: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.fail(origin, "Infinity cannot be evaluated: there are integers only")
    }

    pub(super) fn bit_and(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.bitwise(call, origin, |a, b| a & b)
    }

    pub(super) fn bit_or(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.bitwise(call, origin, |a, b| a | b)
    }

    pub(super) fn bit_xor(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.bitwise(call, origin, |a, b| a ^ b)
    }

    /// Inverts the bits up to the highest one that is set.
    pub(super) fn bit_not(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.bitwise(call, origin, |a, _| {
            !a & 1i32.checked_shl(32 - a.leading_zeros()).map_or(-1, |bit| bit.wrapping_sub(1))
        })
    }

    /// As in Java's `>>>`, the sign bit is shifted like any other bit, and only the last five bits of the distance
    /// count.
    pub(super) fn shift_right(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        self.bitwise(call, origin, |a, b| (a as u32).wrapping_shr(b as u32) as i32)
    }

    fn bitwise(
        &mut self,
        call: &NativeCall,
        origin: OriginId,
        combine: impl Fn(i32, i32) -> i32,
    ) -> Eval<Value> {
        let mut operands = [0; 2];
        for (index, arg) in call.args.iter().enumerate() {
            let value = self.eval(arg)?;
            operands[index] = self.int_operand(value, call.native.name(), index == 0, origin)?;
        }
        let [a, b] = operands;
        Ok(self.store.int(combine(a, b)))
    }
}
