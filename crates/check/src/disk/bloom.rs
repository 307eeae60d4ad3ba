//! A Bloom filter in cache lines: says of a hash that it was not added, or that it may have been.

use std::io;

use kilter_base::pages;

const WORDS: usize = 8;
/// The bits for each entry.
const BITS: u64 = 12;
/// The bits that each entry sets in its line.
const PROBES: u32 = 6;

pub(crate) struct Bloom {
    lines: Vec<Line>,
}

/// One line of the processor's cache, so that a question costs one access to memory.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line([u64; WORDS]);

impl Bloom {
    /// An empty filter for about `n_entries`.
    pub(crate) fn new(n_entries: usize) -> io::Result<Bloom> {
        let n_lines = (n_entries as u64 * BITS).div_ceil(64 * WORDS as u64).max(1) as usize;
        let mut lines = Vec::new();
        lines.try_reserve_exact(n_lines).map_err(|_| io::ErrorKind::OutOfMemory)?;
        pages::prefer_large_for(&lines);
        lines.resize(n_lines, Line::default());
        Ok(Bloom { lines })
    }

    pub(crate) fn add(&mut self, hash: u32) {
        let (line, mut bits) = self.place(hash);
        for _ in 0..PROBES {
            self.lines[line].0[(bits >> 6) as usize % WORDS] |= 1 << (bits & 63);
            bits >>= 9;
        }
    }

    #[inline]
    pub(crate) fn may_have(&self, hash: u32) -> bool {
        let (line, mut bits) = self.place(hash);
        let words = &self.lines[line].0;
        let mut all = true;
        for _ in 0..PROBES {
            all &= words[(bits >> 6) as usize % WORDS] >> (bits & 63) & 1 == 1;
            bits >>= 9;
        }
        all
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.lines.capacity() * size_of::<Line>()) as u64
    }

    /// The memory for a filter of this many entries.
    pub(crate) fn bytes_for(n_entries: u64) -> u64 {
        n_entries * BITS / 8
    }

    /// A line, and 54 bits that choose bits of it.
    #[inline]
    fn place(&self, hash: u32) -> (usize, u64) {
        let mixed = (u64::from(hash) ^ 0x6A09_E667).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let bits = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let line = ((mixed >> 32) * self.lines.len() as u64) >> 32;
        (line as usize, bits ^ bits >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_there_and_little_else() {
        let n = 20_000;
        let hash = |i: u32| i.wrapping_mul(0x9E37_79B1) ^ i >> 7;
        let mut bloom = Bloom::new(n as usize).expect("there is memory");
        (0..n).for_each(|i| bloom.add(hash(i)));
        assert!((0..n).all(|i| bloom.may_have(hash(i))));
        let wrong = (n..11 * n).filter(|i| bloom.may_have(hash(*i))).count();
        assert!(wrong < 2 * n as usize / 10, "{wrong} of {} are taken for others", 10 * n);
    }
}
