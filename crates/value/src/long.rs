//! Long sequences. They lie on the heap in chunks, which sequences share: a sequence with one element more, or without its
//! first one, has nearly all its chunks in common with the one that it was made from.
//!
//! Equal sequences must have equal handles, so chunks depend on nothing but the elements: a chunk ends where the elements before
//! its end say so. After a change in the middle, chunks soon end at the same elements as before.

use crate::handle::Value;
use crate::hash;
use crate::heap::{Kind, header};
use crate::sequence::Sequence;
use crate::store::Store;
use std::ops::Range;

/// Sequences that are not longer than this lie on the heap as a whole.
pub(crate) const WHOLE_MAX: usize = 256;
/// The shortest chunk, but for the last of a sequence.
const CHUNK_MIN: usize = 32;
/// The longest chunk.
const CHUNK_MAX: usize = 256;
/// So many elements decide whether a chunk ends after them.
const WINDOW: usize = 4;
/// One in this many of them ends a chunk.
const ENDS: u32 = 32;

impl Store {
    /// The sequence of parts of others, one after the other. Each is a sequence with the range that is taken of it.
    pub(crate) fn join<'e>(&self, parts: impl IntoIterator<Item = (Sequence<'e>, Range<usize>)>) -> Value {
        let mut maker = Maker { store: self, chunks: Vec::new(), open: Vec::new(), len: 0 };
        for (sequence, range) in parts {
            maker.extend(sequence, range);
        }
        maker.finish()
    }

    /// `Append(seq, elem)` for a long sequence. Only its last chunk is looked at.
    pub(crate) fn append_to_long(&self, seq: Value, elem: Value) -> Option<Value> {
        let place = seq.as_heap()?;
        let words = self.words(place);
        let (n_words, last) = (words.len(), words.get(words.len() - 2));
        let mut chunk = self.as_sequence(last)?.to_vec();
        let end = self.int(words.last()?.as_small_int()? + 1);
        let kept = if self.is_whole(&chunk) { n_words } else { n_words - 2 };
        if kept == n_words {
            chunk.clear();
        }
        chunk.push(elem);
        let new = [self.intern_values(Kind::Tuple, &chunk), end];
        let terms = |values: &mut dyn Iterator<Item = Value>| {
            let terms = values.enumerate().map(|(at, value)| hash::term(kept + at, self.hash(value)));
            terms.fold(0, u32::wrapping_add)
        };
        let (old_header, new_header) = (header(Kind::Long, n_words), header(Kind::Long, kept + 2));
        let sum = self
            .hash(seq)
            .wrapping_sub(hash::seed(old_header))
            .wrapping_add(hash::seed(new_header))
            .wrapping_sub(terms(&mut words.slice(kept, n_words).iter()))
            .wrapping_add(terms(&mut new.iter().copied()));
        let words = words.slice(0, kept).iter().chain(new).map(Value::bits);
        Some(self.intern(new_header, kept + 2, sum, words))
    }

    /// A sequence that is too long to lie on the heap as a whole.
    pub(crate) fn long(&self, elems: impl Iterator<Item = Value>) -> Value {
        let mut maker = Maker { store: self, chunks: Vec::new(), open: Vec::new(), len: 0 };
        elems.for_each(|elem| maker.push(elem));
        maker.finish()
    }

    /// Whether a chunk ends with these elements.
    fn is_whole(&self, chunk: &[Value]) -> bool {
        let len = chunk.len();
        if !(CHUNK_MIN..CHUNK_MAX).contains(&len) {
            return len >= CHUNK_MAX;
        }
        let last = chunk[len - WINDOW..].iter().enumerate();
        let sum = last.fold(0, |sum: u32, (at, elem)| sum.wrapping_add(hash::term(at, self.hash(*elem))));
        sum.is_multiple_of(ENDS)
    }
}

/// Makes a long sequence.
struct Maker<'s> {
    store: &'s Store,
    /// The chunks so far, each with the index of its end.
    chunks: Vec<Value>,
    /// The elements after them.
    open: Vec<Value>,
    len: usize,
}

impl Maker<'_> {
    fn push(&mut self, elem: Value) {
        self.open.push(elem);
        self.len += 1;
        if self.store.is_whole(&self.open) {
            self.close();
        }
    }

    fn close(&mut self) {
        let chunk = self.store.intern_values(Kind::Tuple, &self.open);
        self.open.clear();
        self.add(chunk);
    }

    fn add(&mut self, chunk: Value) {
        self.chunks.push(chunk);
        self.chunks.push(self.store.int(self.len as i32));
    }

    fn extend(&mut self, sequence: Sequence<'_>, range: Range<usize>) {
        let (mut at, end) = (range.start, range.end);
        while at < end {
            if self.open.is_empty() {
                // Every chunk but the last of a sequence is whole.
                for (chunk, len) in sequence.chunks_from(at) {
                    if at + len >= end {
                        break;
                    }
                    self.len += len;
                    self.add(chunk);
                    at += len;
                }
            }
            self.push(sequence.get(at));
            at += 1;
        }
    }

    fn finish(mut self) -> Value {
        if self.len <= WHOLE_MAX {
            let mut all = Vec::with_capacity(self.len);
            for chunk in self.chunks.iter().step_by(2) {
                all.extend(self.store.as_sequence(*chunk).into_iter().flatten());
            }
            all.append(&mut self.open);
            return self.store.intern_values(Kind::Tuple, &all);
        }
        if !self.open.is_empty() {
            self.close();
        }
        self.store.intern_values(Kind::Long, &self.chunks)
    }
}
