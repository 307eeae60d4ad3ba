//! Words that threads share. `tests/orders.rs` puts loom's words in their place, under the same names.

use kilter_base::pages;

pub(super) use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Allocates `n` words that are zero, in large pages where the system has them.
pub(super) fn zeroes(n: usize) -> Box<[AtomicU64]> {
    let words = bytemuck::allocation::zeroed_slice_box(n);
    pages::prefer_large(&words);
    words
}
