//! The module Sequences, which works on strings too.

use kilter_spec::native::Native;
use kilter_value::{Value, View};

use super::Worker;
use crate::error::Eval;
use crate::node::{Node, OriginId};

impl Worker<'_> {
    pub(super) fn sequence_native(&mut self, native: Native, args: &[Node], node: &Node) -> Eval<Value> {
        use Native as N;
        let origin = node.origin;
        let first = self.eval(&args[0])?;
        if native == N::Seq {
            if !self.store.is_set(first) {
                return self.expected("argument", "Seq", "a set", first, origin);
            }
            return Ok(self.store.seq_set(first));
        }
        let first = self.explicit(first, origin)?;
        if let Some(text) = self.store.string_text(first) {
            let text = text.to_owned();
            return self.string_native(native, &text, first, args, node);
        }
        match native {
            N::Len => match self.store.sequence_len(first) {
                Some(length) => self.size_value(length, origin),
                None => self.expected("argument", "Len", "a sequence", first, origin),
            },
            N::Head | N::Tail => {
                let name = if native == N::Head { "Head" } else { "Tail" };
                let value = if native == N::Head { self.store.head(first) } else { self.store.tail(first) };
                match value {
                    Some(value) => Ok(value),
                    None if self.store.sequence_len(first) == Some(0) => {
                        self.fail(origin, format!("{name} was applied to the empty sequence"))
                    }
                    None => self.expected("argument", name, "a sequence", first, origin),
                }
            }
            N::Append => {
                let elem = self.eval_canonical(&args[1])?;
                match self.store.append(first, elem) {
                    Some(value) => Ok(value),
                    None => self.expected("first argument", "Append", "a sequence", first, origin),
                }
            }
            N::Concat => {
                let second = self.eval_canonical(&args[1])?;
                match self.store.concat(first, second) {
                    Some(value) => Ok(value),
                    None if self.store.sequence_len(first).is_none() => {
                        self.expected("left argument", "\\o", "a sequence", first, origin)
                    }
                    None => self.expected("right argument", "\\o", "a sequence", second, origin),
                }
            }
            _ => {
                let Some(length) = self.store.sequence_len(first) else {
                    return self.expected("first argument", "SubSeq", "a sequence", first, origin);
                };
                let (from, to) = self.subseq_bounds(args, length, first, origin)?;
                match self.store.subseq(first, from, to) {
                    Some(value) => Ok(value),
                    None => self.expected("first argument", "SubSeq", "a sequence", first, origin),
                }
            }
        }
    }

    /// The second and third argument of `SubSeq`, which must lie in the sequence unless they select nothing.
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

    fn string_native(
        &mut self,
        native: Native,
        text: &str,
        value: Value,
        args: &[Node],
        node: &Node,
    ) -> Eval<Value> {
        use Native as N;
        let origin = node.origin;
        let units: Vec<u16> = text.encode_utf16().collect();
        match native {
            N::Len => self.size_value(units.len(), origin),
            N::Tail if !units.is_empty() => Ok(self.store.string(&String::from_utf16_lossy(&units[1..]))),
            N::Concat => {
                let second = self.eval(&args[1])?;
                match self.store.string_text(second) {
                    Some(second) => Ok(self.store.string(&format!("{text}{second}"))),
                    None => self.expected("right argument", "\\o", "a string", second, origin),
                }
            }
            N::SubSeq => {
                let (from, to) = self.subseq_bounds(args, units.len(), value, origin)?;
                if from > to {
                    return Ok(self.store.string(""));
                }
                let part = &units[from as usize - 1..to as usize];
                Ok(self.store.string(&String::from_utf16_lossy(part)))
            }
            N::Head => self.expected("argument", "Head", "a sequence", value, origin),
            N::Tail => self.fail(origin, "Tail was applied to the empty sequence"),
            _ => self.expected("first argument", "Append", "a sequence", value, origin),
        }
    }

    /// The view of a value's elements as a sequence, or an error that names the operator.
    pub(super) fn sequence_of(&mut self, node: &Node, which: &str, op: &str) -> Eval<Vec<Value>> {
        let value = self.eval(node)?;
        let value = self.explicit(value, node.origin)?;
        match self.store.view(value) {
            View::Tuple(elems) => Ok(elems.to_vec()),
            _ => self.expected(which, op, "a sequence", value, node.origin),
        }
    }
}
