//! Tables that workers share without locks: a table that overwrites old entries, and a ring of words that its entries
//! point into.
//!
//! Each entry has a version, which is odd while a worker writes it. A reader that sees an odd version, or a version
//! that changed while it read, finds nothing. So nobody waits, and nobody sees half an entry. The test `orders` of this
//! crate tries all orders in which threads can see each other's writes.

use kilter_base::memory;

use super::atomics::{AtomicU64, Ordering, fence, zeroes};

/// Where the address space is limited, a table takes at most one part in this many of it.
const LIMIT_SHARE: u64 = 64;

/// The number of entries of `stride` words that fit. It is `n_entries`, or a smaller power of two where memory is
/// scarce.
fn fitting(n_entries: usize, stride: usize) -> usize {
    let bytes = memory::share(n_entries * stride * 8, LIMIT_SHARE);
    let n_fitting = bytes / (stride * 8);
    if n_fitting >= n_entries { n_entries } else { 1 << n_fitting.max(1).ilog2() }
}

/// Entries with keys of `K` words and a value of one word. The caller computes the place of an entry.
pub(super) struct Table<const K: usize> {
    words: Box<[AtomicU64]>,
    /// The index of the first entry's first word, at the start of a cache line.
    first: usize,
    /// One less than the number of entries, which is a power of two.
    mask: usize,
}

impl<const K: usize> Table<K> {
    /// The words of an entry: one for its version and its owner's number plus one (0 if it is empty), the key, the
    /// value, and padding.
    const STRIDE: usize = (K + 2).next_power_of_two();

    /// Makes a table of `n_entries` entries, which is 0 or a power of two. It gets fewer where memory is scarce.
    pub(super) fn new(n_entries: usize) -> Self {
        let padding = if n_entries == 0 { 0 } else { 8 };
        let n_entries = fitting(n_entries, Self::STRIDE);
        let words = zeroes(n_entries * Self::STRIDE + padding);
        let first = words.as_ptr().align_offset(64).min(padding);
        Table { words, first, mask: n_entries.saturating_sub(1) }
    }

    /// A power of two of entries that takes at most `bytes_max` bytes, and at most this one.
    pub(super) fn entries_within(n_entries: usize, bytes_max: usize) -> usize {
        n_entries.min(1 << (bytes_max / (Self::STRIDE * 8)).max(1).ilog2())
    }

    #[inline]
    fn entry(&self, place: usize) -> &[AtomicU64] {
        let start = self.first + (place & self.mask) * Self::STRIDE;
        &self.words[start..start + Self::STRIDE]
    }

    /// The value that was put at this place for this number and key.
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

    /// Puts a value at a place. Does nothing if another worker is writing there.
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

/// Words that are kept until newer ones need their room. Each word carries the lap it was written in, that is how often
/// the ring had been filled before. A reader that finds another lap knows that the word was overwritten, or was written
/// too late.
pub(super) struct Ring {
    words: Box<[AtomicU64]>,
    /// The ring has two to the power of this many words.
    bits: u32,
    /// The number of words that workers have taken so far.
    pub(super) taken: Taken,
}

/// A counter on a cache line of its own, because all workers write it.
#[repr(align(128))]
pub(super) struct Taken(pub(super) AtomicU64);

/// A worker's own piece of a ring. So workers neither wait for each other nor write to the same cache lines.
#[derive(Default)]
pub(super) struct Room {
    pub(super) next: u64,
    pub(super) end: u64,
}

/// The number of pieces that a ring is given out in.
const ROOMS: usize = 1 << 10;

impl Ring {
    /// Makes a ring of two to the power of `bits` words. It gets fewer where memory is scarce.
    pub(super) fn new(bits: u32) -> Self {
        let bits = fitting(1 << bits, 1).ilog2();
        Ring { words: zeroes(1 << bits), bits, taken: Taken(AtomicU64::new(0)) }
    }

    /// The bits of a ring that takes at most `bytes_max` bytes, and at most so many.
    pub(super) fn bits_within(bits: u32, bytes_max: usize) -> u32 {
        bits.min((bytes_max / 8).max(ROOMS).ilog2())
    }

    /// Writes words and returns where they start. Returns `None` if there are too many for the ring.
    pub(super) fn keep(
        &self,
        room: &mut Room,
        length: usize,
        words: impl Iterator<Item = u32>,
    ) -> Option<u64> {
        if length > self.words.len() / 8 {
            return None;
        }
        // A piece that was taken long ago will soon be overwritten by other workers.
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

    /// A word that was written from `start` on. `None` if it has been overwritten.
    #[inline]
    pub(super) fn get(&self, start: u64, index: usize) -> Option<u32> {
        let place = start + index as u64;
        let word = self.word(place).load(Ordering::Relaxed);
        (word >> 32 == self.lap(place)).then_some(word as u32)
    }

    /// The lap of a place, in 32 bits. A ring is not in use long enough for the number to come again.
    #[inline]
    fn lap(&self, place: u64) -> u64 {
        place >> self.bits & u64::from(u32::MAX)
    }

    #[inline]
    fn word(&self, place: u64) -> &AtomicU64 {
        &self.words[place as usize & (self.words.len() - 1)]
    }
}
