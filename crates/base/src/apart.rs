//! Vectors that lie apart from others.

/// Much longer than a cache line.
const ROOM_BYTES: usize = 4096;

/// A vector of equal values with room around it, for what one thread writes all the time. Short vectors that are made
/// one after the other share cache lines, and two cores that write to the same line wait for each other.
pub fn apart<T: Clone>(value: T, length: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(length + ROOM_BYTES.div_ceil(size_of::<T>().max(1)));
    values.resize(length, value);
    values
}
