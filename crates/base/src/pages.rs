//! Large pages for large arrays.
//!
//! A search reads and writes arrays of many megabytes at random places. With pages of 4 KiB nearly every access has to find its
//! page first; with pages of 2 MiB hardly any. On Linux a program must ask for them.

/// Arrays shorter than this would not fill a large page.
const LARGE_BYTES: usize = 2 << 20;

/// Asks for large pages for an array.
pub fn prefer_large<T>(array: &[T]) {
    if size_of_val(array) >= LARGE_BYTES {
        ask(array.as_ptr().cast(), size_of_val(array));
    }
}

/// Asks for large pages for a vector, with the room that it has to grow.
pub fn prefer_large_for<T>(vector: &Vec<T>) {
    let bytes = vector.capacity() * size_of::<T>();
    if bytes >= LARGE_BYTES {
        ask(vector.as_ptr().cast(), bytes);
    }
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the operating system is asked by address")]
fn ask(start: *const u8, bytes: usize) {
    use rustix::mm::{Advice, madvise};
    use rustix::param::page_size;

    // Whole pages: a large array begins a few bytes into a page that the allocator took for it.
    let before = start.addr() % page_size();
    let bytes = (before + bytes).next_multiple_of(page_size());
    let start = start.wrapping_sub(before).cast_mut().cast();
    // Without large pages everything works as well, so failing is nothing to report.
    // SAFETY: this advice changes neither what is in memory nor who may use it, whatever lies there.
    let _ = unsafe { madvise(start, bytes, Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn ask(_start: *const u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_memory_stays() {
        let mut numbers: Vec<u32> = (0..2 << 20).collect();
        prefer_large(&numbers);
        numbers.reserve(8 << 20);
        prefer_large_for(&numbers);
        numbers.extend(2 << 20..4 << 20);
        assert!(numbers.iter().copied().eq(0..4 << 20));
    }
}
