//! Large pages for large arrays, and large arrays that are gone when they are freed.
//!
//! A search reads and writes arrays of many megabytes at random places. With pages of 4 KiB the processor has to look
//! up the page for nearly every access. With pages of 2 MiB it hardly ever has to. On Linux a program must ask for
//! large pages.
//!
//! And it must ask for memory that was freed to go back to the system.

/// The size of a large page. Shorter arrays would not fill one.
const LARGE_BYTES: usize = 2 << 20;

/// Asks for large pages for an array. Does nothing if the array is short.
pub fn prefer_large<T>(array: &[T]) {
    if size_of_val(array) >= LARGE_BYTES {
        ask(array.as_ptr().cast(), size_of_val(array));
    }
}

/// Asks for large pages for a vector, including its unused capacity. Does nothing if the vector is short.
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

    // The advice is for whole pages. A large array begins a few bytes into a page that the allocator took for it.
    let before = start.addr() % page_size();
    let bytes = (before + bytes).next_multiple_of(page_size());
    let start = start.wrapping_sub(before).cast_mut().cast();
    // Everything works without large pages, so a failure is not reported.
    // SAFETY: this advice changes neither the contents of memory nor who may use it.
    let _ = unsafe { madvise(start, bytes, Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn ask(_start: *const u8, _bytes: usize) {}

/// Pieces of memory that are larger than this go back to the system when they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_BYTES: libc::c_int = 1 << 20;

/// Makes the C library give large pieces of memory back to the system as soon as they are freed. Otherwise it keeps pieces of up to 32 MiB,
/// and the process looks larger than it is.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library is told by its own function")]
pub fn give_back_large() {
    // SAFETY: this changes only where later allocations come from. If it fails, nothing changes.
    let _ = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT_BYTES) };
}

/// Other C libraries have no such limit.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_large() {}

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

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn what_is_freed_goes_back_to_the_system() {
        const PIECE: usize = 4 << 20;
        let resident = || {
            let text = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
            let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
            pages.expect("a number") * crate::memory::page_bytes()
        };
        give_back_large();
        for _ in 0..2 {
            // Between two pieces lies something small that stays, so that the C library cannot just give back the end of its memory.
            let (mut large, mut small) = (Vec::new(), Vec::new());
            for number in 0..40u8 {
                large.push(vec![number | 1; PIECE]);
                small.push(vec![number; 1 << 10]);
            }
            let before = resident();
            assert!(large.iter().all(|piece| piece.iter().all(|byte| *byte > 0)));
            drop(large);
            assert!(resident() + 30 * PIECE as u64 <= before, "{} of {before} bytes are left", resident());
            assert_eq!(small.len(), 40);
        }
    }
}
