//! Sequences, which are tuples. Strings count as sequences where TLC allows it.

use crate::handle::Value;
use crate::hash;
use crate::heap::{Kind, header};
use crate::long::WHOLE_MAX;
use crate::sequence::Sequence;
use crate::store::Store;
use crate::view::View;
use std::ops::Range;

impl Store {
    /// The elements, if this is a sequence.
    #[inline]
    pub fn as_sequence(&self, value: Value) -> Option<Sequence<'_>> {
        match self.view(value) {
            View::Tuple(elems) => Some(elems),
            _ => None,
        }
    }

    /// `Len(seq)`. The length of a string is counted in UTF-16 units, as in Java. `None` for other values.
    pub fn sequence_len(&self, seq: Value) -> Option<usize> {
        match self.view(seq) {
            View::Tuple(elems) => Some(elems.len()),
            View::String(number) => Some(self.names().text(number).encode_utf16().count()),
            _ => None,
        }
    }

    /// `Append(seq, elem)`. `None` if `seq` is no sequence.
    pub fn append(&self, seq: Value, elem: Value) -> Option<Value> {
        let elems = self.as_sequence(seq)?;
        let len = elems.len();
        if len > WHOLE_MAX {
            return self.append_to_long(seq, elem);
        }
        if len == WHOLE_MAX {
            return Some(self.long(elems.iter().chain([elem])));
        }
        let (old, new) = (header(Kind::Tuple, len), header(Kind::Tuple, len + 1));
        let change =
            hash::seed(new).wrapping_sub(hash::seed(old)).wrapping_add(hash::term(len, self.hash(elem)));
        let words = elems.iter().chain(std::iter::once(elem)).map(Value::bits);
        Some(self.intern(new, len + 1, self.hash(seq).wrapping_add(change), words))
    }

    /// `left \o right`, for two sequences or two strings. `None` for other values.
    pub fn concat(&self, left: Value, right: Value) -> Option<Value> {
        if let (Some(a), Some(b)) = (self.string_text(left), self.string_text(right)) {
            return Some(self.string(&format!("{a}{b}")));
        }
        let (a, b) = (self.as_sequence(left)?, self.as_sequence(right)?);
        if b.is_empty() {
            return Some(left);
        }
        if a.len() + b.len() > WHOLE_MAX {
            return Some(self.join([(a, 0..a.len()), (b, 0..b.len())]));
        }
        Some(self.intern_iter(Kind::Tuple, a.len() + b.len(), a.iter().chain(b.iter())))
    }

    /// `Head(seq)`. `None` if `seq` is empty or no sequence.
    #[inline]
    pub fn head(&self, seq: Value) -> Option<Value> {
        self.as_sequence(seq)?.first()
    }

    /// `Tail(seq)`. `None` if `seq` is empty or no sequence.
    pub fn tail(&self, seq: Value) -> Option<Value> {
        let elems = self.as_sequence(seq)?;
        if elems.is_empty() { None } else { Some(self.tuple_of(elems, 1..elems.len())) }
    }

    /// `SubSeq(seq, from, to)`, for sequences and strings. As in TLC, it is empty if `from > to`. `None` if either end
    /// lies outside, or if `seq` is no sequence.
    pub fn subseq(&self, seq: Value, from: i32, to: i32) -> Option<Value> {
        let len = self.sequence_len(seq)?;
        let inside = |index: i32| index >= 1 && index as usize <= len;
        if from <= to && !(inside(from) && inside(to)) {
            return None;
        }
        let (start, end) = if from > to { (0, 0) } else { (from as usize - 1, to as usize) };
        if let Some(elems) = self.as_sequence(seq) {
            return Some(self.tuple_of(elems, start..end));
        }
        let units: Vec<u16> = self.string_text(seq)?.encode_utf16().skip(start).take(end - start).collect();
        Some(self.string(&String::from_utf16_lossy(&units)))
    }

    fn tuple_of(&self, elems: Sequence<'_>, range: Range<usize>) -> Value {
        if range.len() > WHOLE_MAX {
            return self.join([(elems, range)]);
        }
        self.intern_iter(Kind::Tuple, range.len(), elems.part(range.start, range.end))
    }
}
