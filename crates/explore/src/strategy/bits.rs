//! Sets of indices of frames.

/// As many frames as a path may have where sets of places are kept.
pub const PLACES_MAX: usize = 256;

/// A set of indices below [`PLACES_MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits([u64; PLACES_MAX / 64]);

impl Bits {
    /// Adds an index.
    pub fn add(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    /// Whether an index is in the set.
    pub fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    /// Adds all indices of another set.
    pub fn join(&mut self, other: &Bits) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    /// Whether two sets have an index in common.
    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(other.0).any(|(word, other)| word & other != 0)
    }

    /// The largest index. `None` if the set is empty.
    pub fn last(&self) -> Option<usize> {
        let word = (0..self.0.len()).rev().find(|word| self.0[*word] != 0)?;
        Some(word * 64 + 63 - self.0[word].leading_zeros() as usize)
    }
}
