//! The elements of a tuple, read where they lie on the heap: side by side, or in chunks if it is long.

use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::handle::Value;
use crate::heap::Heap;

/// The elements of a tuple, or the values of any other function.
#[derive(Clone, Copy)]
pub struct Sequence<'s> {
    /// The elements. For a long sequence: its chunks, each followed by the index of its end.
    words: &'s [AtomicU32],
    /// Where the chunks are, if the words are chunks.
    heap: Option<&'s Heap>,
}

impl<'s> Sequence<'s> {
    #[inline]
    pub(crate) fn flat(words: &'s [AtomicU32]) -> Sequence<'s> {
        Sequence { words, heap: None }
    }

    pub(crate) fn long(words: &'s [AtomicU32], heap: &'s Heap) -> Sequence<'s> {
        Sequence { words, heap: Some(heap) }
    }

    /// The number of elements.
    #[inline]
    pub fn len(self) -> usize {
        match self.heap {
            None => self.words.len(),
            Some(_) => self.chunk_start(self.words.len() / 2),
        }
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// The element at `index`, which counts from 0 and must be less than [`Sequence::len`].
    #[inline]
    pub fn get(self, index: usize) -> Value {
        match self.heap {
            None => value_of(&self.words[index]),
            Some(heap) => {
                let (chunk, start) = self.chunk_of(heap, index);
                value_of(&chunk[index - start])
            }
        }
    }

    /// The first element.
    #[inline]
    pub fn first(self) -> Option<Value> {
        (!self.is_empty()).then(|| self.get(0))
    }

    /// The last element.
    #[inline]
    pub fn last(self) -> Option<Value> {
        self.len().checked_sub(1).map(|last| self.get(last))
    }

    /// The elements in order.
    #[inline]
    pub fn iter(self) -> SequenceIter<'s> {
        match self.heap {
            None => SequenceIter { words: self.words.iter(), rest: None },
            Some(_) => self.part(0, self.len()),
        }
    }

    /// The elements from `start` to `end`, counted from 0, without the one at `end`. The range must lie inside.
    pub fn part(self, start: usize, end: usize) -> SequenceIter<'s> {
        match self.heap {
            None => SequenceIter { words: self.words[start..end].iter(), rest: None },
            Some(heap) => {
                SequenceIter { words: [].iter(), rest: Some(Rest { sequence: self, heap, start, end }) }
            }
        }
    }

    /// Whether both lie at the same place on the heap.
    #[inline]
    pub fn same(self, other: Sequence<'_>) -> bool {
        std::ptr::eq(self.words, other.words)
    }

    /// The elements as a vector.
    pub fn to_vec(self) -> Vec<Value> {
        self.iter().collect()
    }

    /// The chunks from `index` on, and their lengths, if one begins there.
    pub(crate) fn chunks_from(self, index: usize) -> impl Iterator<Item = (Value, usize)> {
        let first = self.heap.and_then(|_| {
            let number = self.chunk_number(index);
            (self.chunk_start(number) == index).then_some(number)
        });
        let numbers = first.map_or(0..0, |first| first..self.words.len() / 2);
        numbers.map(move |number| {
            let len = self.chunk_start(number + 1) - self.chunk_start(number);
            (value_of(&self.words[number * 2]), len)
        })
    }

    /// The words of the chunk with the element at `index`, and the index of its first element.
    fn chunk_of(self, heap: &'s Heap, index: usize) -> (&'s [AtomicU32], usize) {
        let at = self.chunk_number(index);
        let place = value_of(&self.words[at * 2]).as_heap().unwrap_or_default();
        (heap.record(place).1, self.chunk_start(at))
    }

    /// The number of the chunk with the element at `index`.
    fn chunk_number(self, index: usize) -> usize {
        let (mut low, mut high) = (0, self.words.len() / 2);
        while low < high {
            let middle = low.midpoint(high);
            if self.chunk_start(middle + 1) <= index {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The index of the first element of a chunk: the end of the one before it.
    fn chunk_start(self, number: usize) -> usize {
        let end = number.checked_sub(1).map(|before| value_of(&self.words[before * 2 + 1]));
        end.and_then(Value::as_small_int).unwrap_or(0) as usize
    }
}

#[inline]
fn value_of(word: &AtomicU32) -> Value {
    Value::from_bits(word.load(Ordering::Relaxed))
}

impl std::fmt::Debug for Sequence<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'s> IntoIterator for Sequence<'s> {
    type Item = Value;
    type IntoIter = SequenceIter<'s>;
    fn into_iter(self) -> SequenceIter<'s> {
        self.iter()
    }
}

/// Iterates over a [`Sequence`].
#[derive(Clone)]
pub struct SequenceIter<'s> {
    /// The elements that come next: all of them, or those of one chunk.
    words: slice::Iter<'s, AtomicU32>,
    /// What comes after them in a long sequence.
    rest: Option<Rest<'s>>,
}

/// The elements of a long sequence from `start` to `end`.
#[derive(Clone, Copy)]
struct Rest<'s> {
    sequence: Sequence<'s>,
    heap: &'s Heap,
    start: usize,
    end: usize,
}

impl SequenceIter<'_> {
    /// Goes to the next chunk of a long sequence.
    #[cold]
    fn next_chunk(&mut self) -> Option<Value> {
        let rest = self.rest.as_mut().filter(|rest| rest.start < rest.end)?;
        let (chunk, start) = rest.sequence.chunk_of(rest.heap, rest.start);
        let end = (start + chunk.len()).min(rest.end);
        self.words = chunk[rest.start - start..end - start].iter();
        rest.start = end;
        self.words.next().map(value_of)
    }
}

impl Iterator for SequenceIter<'_> {
    type Item = Value;
    #[inline]
    fn next(&mut self) -> Option<Value> {
        match self.words.next() {
            Some(word) => Some(value_of(word)),
            None if self.rest.is_none() => None,
            None => self.next_chunk(),
        }
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.words.len() + self.rest.map_or(0, |rest| rest.end - rest.start);
        (len, Some(len))
    }
}

impl ExactSizeIterator for SequenceIter<'_> {}

impl DoubleEndedIterator for SequenceIter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Value> {
        match self.rest.as_mut().filter(|rest| rest.start < rest.end) {
            None => self.words.next_back().map(value_of),
            Some(rest) => {
                rest.end -= 1;
                Some(rest.sequence.get(rest.end))
            }
        }
    }
}
