//! Words that threads share. `tests/orders.rs` has the same names for words that loom watches.

use kilter_base::pages;

pub(super) use std::sync::atomic::{AtomicU64, Ordering, fence};

/// So many words, all zero, in large pages where the system has them.
pub(super) fn zeroes(n: usize) -> Box<[AtomicU64]> {
    let words = bytemuck::allocation::zeroed_slice_box(n);
    pages::prefer_large(&words);
    words
}
