//! The module Sequences. As in TLC, some of its operators work on strings too.

use kilter_value::{Value, View};

use crate::error::Eval;
use crate::node::{NativeCall, Node};
use crate::origin::OriginId;
use crate::run::Worker;

impl Worker<'_> {
    pub(super) fn seq_set(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let set = self.eval(&call.args[0])?;
        if !self.store.is_set(set) {
            return self.expected("argument", "Seq", "a set", set, origin);
        }
        Ok(self.store.seq_set(set))
    }

    pub(super) fn len(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let seq = self.eval_explicit(&call.args[0], origin)?;
        match self.store.sequence_len(seq) {
            Some(length) => self.size_value(length, origin),
            None => self.expected("argument", "Len", "a sequence", seq, origin),
        }
    }

    pub(super) fn head(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let seq = self.eval_explicit(&call.args[0], origin)?;
        match self.store.head(seq) {
            Some(value) => Ok(value),
            None => self.fail_empty(call, seq, origin),
        }
    }

    pub(super) fn tail(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let seq = self.eval_explicit(&call.args[0], origin)?;
        match self.store.tail(seq) {
            Some(value) => Ok(value),
            None => match self.string_tail(seq) {
                Some(value) => Ok(value),
                None => self.fail_empty(call, seq, origin),
            },
        }
    }

    /// A string without its first UTF-16 code unit, which is what Java takes for a character.
    fn string_tail(&self, value: Value) -> Option<Value> {
        let units: Vec<u16> = self.store.string_text(value)?.encode_utf16().collect();
        let (_, rest) = units.split_first()?;
        Some(self.store.string(&String::from_utf16_lossy(rest)))
    }

    /// Raises the error for a value that has no first element.
    #[cold]
    fn fail_empty(&mut self, call: &NativeCall, seq: Value, origin: OriginId) -> Eval<Value> {
        let name = call.native.name();
        if self.store.sequence_len(seq) == Some(0) {
            self.fail(origin, format!("{name} was applied to the empty sequence"))
        } else {
            self.expected("argument", name, "a sequence", seq, origin)
        }
    }

    pub(super) fn append(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let seq = self.eval_explicit(&call.args[0], origin)?;
        let elem = self.eval_canonical(&call.args[1])?;
        match self.store.append(seq, elem) {
            Some(value) => Ok(value),
            None => self.expected("first argument", "Append", "a sequence", seq, origin),
        }
    }

    pub(super) fn concatenate(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let first = self.eval_explicit(&call.args[0], origin)?;
        let second = self.eval_canonical(&call.args[1])?;
        match self.store.concat(first, second) {
            Some(value) => Ok(value),
            None if self.store.sequence_len(first).is_none() => {
                self.expected("left argument", "\\o", "a sequence", first, origin)
            }
            None => {
                let what = if self.store.string_text(first).is_some() { "a string" } else { "a sequence" };
                self.expected("right argument", "\\o", what, second, origin)
            }
        }
    }

    pub(super) fn sub_seq(&mut self, call: &NativeCall, origin: OriginId) -> Eval<Value> {
        let seq = self.eval_explicit(&call.args[0], origin)?;
        let Some(length) = self.store.sequence_len(seq) else {
            return self.expected("first argument", "SubSeq", "a sequence", seq, origin);
        };
        let (from, to) = self.subseq_bounds(&call.args, length, seq, origin)?;
        match self.store.subseq(seq, from, to) {
            Some(value) => Ok(value),
            None => self.expected("first argument", "SubSeq", "a sequence", seq, origin),
        }
    }

    /// Evaluates the second and third argument of `SubSeq`. They must lie in the sequence unless they select nothing.
    fn subseq_bounds(
        &mut self,
        args: &[Node],
        length: usize,
        seq: Value,
        origin: OriginId,
    ) -> Eval<(i32, i32)> {
        let from = self.eval(&args[1])?;
        let to = self.eval(&args[2])?;
        let from = self.int_operand(from, "SubSeq", false, origin)?;
        let to = self.int_operand(to, "SubSeq", false, origin)?;
        if from <= to {
            for (which, i) in [("second", from), ("third", to)] {
                if i < 1 || i as usize > length {
                    let shown = self.show(seq);
                    return self.fail(
                        origin,
                        format!("the {which} argument of SubSeq is {i}, which is not in the domain of its first argument\n{shown}"),
                    );
                }
            }
        }
        Ok((from, to))
    }

    fn eval_explicit(&mut self, node: &Node, origin: OriginId) -> Eval<Value> {
        let value = self.eval(node)?;
        self.explicit(value, origin)
    }

    /// Evaluates an expression that must be a sequence. The error names the argument and the operator.
    pub(super) fn sequence_of(&mut self, node: &Node, which: &str, op: &str) -> Eval<Vec<Value>> {
        let value = self.eval(node)?;
        let value = self.explicit(value, node.origin)?;
        match self.store.view(value) {
            View::Tuple(elems) => Ok(elems.to_vec()),
            _ => self.expected(which, op, "a sequence", value, node.origin),
        }
    }
}
