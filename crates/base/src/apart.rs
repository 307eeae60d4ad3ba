//! Vectors that share no cache line with each other.

/// Free room behind the values, in bytes. It is much longer than a cache line.
const ROOM_BYTES: usize = 4096;

/// Makes a vector of `length` copies of `value`, with free room behind them. Use it for data that one thread writes all
/// the time. Short vectors that are allocated one after the other share cache lines, and two cores that write to the
/// same line wait for each other.
pub fn apart<T: Clone>(value: T, length: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(length + ROOM_BYTES.div_ceil(size_of::<T>().max(1)));
    values.resize(length, value);
    values
}
