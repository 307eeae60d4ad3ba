//! Content hashes. They are the same in every run, and cheap to update when one component changes.
//!
//! The hash of a composite value is the sum of one well mixed term per component. `EXCEPT` subtracts the old term and
//! adds the new one. A component counts by its own hash, never by its place on the heap, because places depend on the
//! order of allocation.

/// The hash term of a record's header, which holds its kind and length.
#[inline]
pub(crate) fn seed(header: u32) -> u32 {
    mix(u64::from(header) | 0xA5A5 << 48)
}

/// The hash term of a component with the hash `child` at `position`.
#[inline]
pub(crate) fn term(position: usize, child: u32) -> u32 {
    mix(u64::from(child) | (position as u64) << 32)
}

/// Spreads a content hash over the 64 bits that the interning table uses.
#[inline]
pub(crate) fn spread(sum: u32) -> u64 {
    let x = u64::from(sum).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^ (x >> 32)
}

#[inline]
fn mix(x: u64) -> u32 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (x >> 32) as u32
}
