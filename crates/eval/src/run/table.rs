//! What all workers share without locks: a table that forgets, and a ring of words that its entries point into.
//! What one worker has computed, the others find.
//!
//! An entry has a version, which is odd while somebody writes it. A reader that sees an odd version, or another one
//! after reading than before, has found nothing. So nobody ever waits, and nobody sees half an entry. The test `orders` of this crate tries
//! all orders in which threads can come to see each other's writes.

use kilter_base::memory;

use super::atomics::{AtomicU64, Ordering, fence, zeroes};

/// Where addresses are limited, a table takes one part in so many of them.
const LIMIT_SHARE: u64 = 64;

/// How many entries of so many words a table has, if it should have `n_entries`, a power of two.
fn fitting(n_entries: usize, stride: usize) -> usize {
    let bytes = memory::share(n_entries * stride * 8, LIMIT_SHARE);
    let n_fitting = bytes / (stride * 8);
    if n_fitting >= n_entries { n_entries } else { 1 << n_fitting.max(1).ilog2() }
}

/// Entries with keys of `K` words and a value of one word, by a place that the caller computes.
pub(super) struct Table<const K: usize> {
    words: Box<[AtomicU64]>,
    /// Where the first entry starts: at the start of a cache line.
    first: usize,
    /// One less than the number of entries, which is a power of two.
    mask: usize,
}

impl<const K: usize> Table<K> {
    /// An entry is its version and the number of what it belongs to (0: nothing), its key, its value, and padding.
    const STRIDE: usize = (K + 2).next_power_of_two();

    /// A table of so many entries, a power of two or none; of fewer where memory is scarce.
    pub(super) fn new(n_entries: usize) -> Self {
        let padding = if n_entries == 0 { 0 } else { 8 };
        let n_entries = fitting(n_entries, Self::STRIDE);
        let words = zeroes(n_entries * Self::STRIDE + padding);
        let first = words.as_ptr().align_offset(64).min(padding);
        Table { words, first, mask: n_entries.saturating_sub(1) }
    }

    #[inline]
    fn entry(&self, place: usize) -> &[AtomicU64] {
        let start = self.first + (place & self.mask) * Self::STRIDE;
        &self.words[start..start + Self::STRIDE]
    }

    /// The value that was put there for this number and key.
    #[inline]
    pub(super) fn get(&self, place: usize, number: u32, key: &[u64; K]) -> Option<u64> {
        let entry = self.entry(place);
        let head = entry[0].load(Ordering::Acquire);
        if head as u32 != number + 1 {
            return None;
        }
        if entry[1..].iter().zip(key).any(|(word, wanted)| word.load(Ordering::Relaxed) != *wanted) {
            return None;
        }
        let value = entry[K + 1].load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        (entry[0].load(Ordering::Relaxed) == head).then_some(value)
    }

    /// Puts a value there, unless somebody else is just doing so.
    pub(super) fn put(&self, place: usize, number: u32, key: &[u64; K], value: u64) {
        let entry = self.entry(place);
        let head = entry[0].load(Ordering::Relaxed);
        let version = (head >> 32) as u32;
        if version % 2 == 1 {
            return;
        }
        let busy = u64::from(version.wrapping_add(1)) << 32;
        if entry[0].compare_exchange(head, busy, Ordering::Acquire, Ordering::Relaxed).is_err() {
            return;
        }
        fence(Ordering::Release);
        for (word, part) in entry[1..].iter().zip(key) {
            word.store(*part, Ordering::Relaxed);
        }
        entry[K + 1].store(value, Ordering::Relaxed);
        let head = u64::from(version.wrapping_add(2)) << 32 | u64::from(number + 1);
        entry[0].store(head, Ordering::Release);
    }
}

/// Words that are kept until newer ones need their room. Each is stored with its lap, that is how often the ring had been
/// full before it: who was late in writing, or has read what somebody else has overwritten, can be told by that.
pub(super) struct Ring {
    words: Box<[AtomicU64]>,
    /// The ring has two to the power of this many words.
    bits: u32,
    /// How many words were ever taken.
    pub(super) taken: Taken,
}

/// On a cache line of its own, because it is written often.
#[repr(align(128))]
pub(super) struct Taken(pub(super) AtomicU64);

/// A worker's own piece of a ring, so that workers neither wait for each other nor write next to each other.
#[derive(Default)]
pub(super) struct Room {
    pub(super) next: u64,
    pub(super) end: u64,
}

/// In how many pieces a ring is given out.
const ROOMS: usize = 1 << 10;

impl Ring {
    /// A ring of two to the power of `bits` words; a shorter one where memory is scarce.
    pub(super) fn new(bits: u32) -> Self {
        let bits = fitting(1 << bits, 1).ilog2();
        Ring { words: zeroes(1 << bits), bits, taken: Taken(AtomicU64::new(0)) }
    }

    /// Keeps words; tells where they are, if there are not too many.
    pub(super) fn keep(
        &self,
        room: &mut Room,
        length: usize,
        words: impl Iterator<Item = u32>,
    ) -> Option<u64> {
        if length > self.words.len() / 8 {
            return None;
        }
        // What was taken long ago may soon be taken by somebody else.
        let stale = self.taken.0.load(Ordering::Relaxed) - room.next > self.words.len() as u64 / 2;
        if stale || room.end - room.next < length as u64 {
            let size = length.max(self.words.len() / ROOMS) as u64;
            let next = self.taken.0.fetch_add(size, Ordering::Relaxed);
            *room = Room { next, end: next + size };
        }
        let start = room.next;
        room.next += length as u64;
        for (place, word) in (start..).zip(words.take(length)) {
            self.word(place).store(self.lap(place) << 32 | u64::from(word), Ordering::Relaxed);
        }
        Some(start)
    }

    /// A word that was kept, if it is still there.
    #[inline]
    pub(super) fn get(&self, start: u64, index: usize) -> Option<u32> {
        let place = start + index as u64;
        let word = self.word(place).load(Ordering::Relaxed);
        (word >> 32 == self.lap(place)).then_some(word as u32)
    }

    /// In 32 bits: a ring is not long enough in use for a second lap of the same number.
    #[inline]
    fn lap(&self, place: u64) -> u64 {
        place >> self.bits & u64::from(u32::MAX)
    }

    #[inline]
    fn word(&self, place: u64) -> &AtomicU64 {
        &self.words[place as usize & (self.words.len() - 1)]
    }
}
