//! The 32-bit handle.
//!
//! ```text
//! 1 1 iiiiii…            a signed integer of 30 bits
//! 1 0 00 ….              FALSE, TRUE, and the infinite sets Nat, Int, Real, STRING, ANY
//! 1 0 01 ….              a string, by its number
//! 1 0 10 ….              a model value, by its number
//! 1 0 11 ….              transient: a number of the evaluator's own (a closure), never in a canonical value
//! 0 0 ….                 canonical, on the heap: its place in units of 8 bytes, never 0
//! 0 1 ….                 lazy, on the heap: a set such as SUBSET S that is not enumerated, never in a canonical value
//! ```

use std::num::NonZeroU32;
use std::sync::atomic::AtomicU32;

/// A TLA+ value in 4 bytes. Canonical values are equal exactly if their handles are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(NonZeroU32);

const IMMEDIATE: u32 = 1 << 31;
const INT: u32 = IMMEDIATE | 1 << 30;
const ATOM_KIND: u32 = 0b11 << 28;
const SPECIAL: u32 = IMMEDIATE;
const STRING: u32 = IMMEDIATE | 0b01 << 28;
const MODEL: u32 = IMMEDIATE | 0b10 << 28;
const TRANSIENT: u32 = IMMEDIATE | 0b11 << 28;
const LAZY: u32 = 1 << 30;
const PAYLOAD: u32 = (1 << 28) - 1;

/// The smallest integer that fits into a handle.
pub const INT_MIN: i32 = -(1 << 29);
/// The largest integer that fits into a handle.
pub const INT_MAX: i32 = (1 << 29) - 1;

#[allow(clippy::inline_always, reason = "one instruction, on every load")]
#[inline(always)]
const fn make(bits: u32) -> Value {
    debug_assert!(bits != 0, "place 0 of the heap is never used");
    match NonZeroU32::new(bits) {
        Some(bits) => Value(bits),
        // Release builds do not check every load.
        None => Value(NonZeroU32::MIN),
    }
}

impl Value {
    /// `FALSE`
    pub const FALSE: Value = make(SPECIAL);
    /// `TRUE`
    pub const TRUE: Value = make(SPECIAL | 1);
    /// `Nat`
    pub const NAT: Value = make(SPECIAL | 2);
    /// `Int`
    pub const INT: Value = make(SPECIAL | 3);
    /// `Real`
    pub const REAL: Value = make(SPECIAL | 4);
    /// `STRING`
    pub const STRING: Value = make(SPECIAL | 5);
    /// TLC's `Any`
    pub const ANY: Value = make(SPECIAL | 6);
    /// Not a value. Marks a slot that has not been evaluated yet, or a variable that has not been assigned.
    pub const UNSET: Value = make(SPECIAL | 7);

    /// `TRUE` or `FALSE`.
    #[inline]
    pub const fn bool(b: bool) -> Value {
        if b { Value::TRUE } else { Value::FALSE }
    }

    /// The handle of an integer. `None` if the integer needs more than 30 bits.
    #[inline]
    pub const fn small_int(i: i32) -> Option<Value> {
        if i < INT_MIN || i > INT_MAX { None } else { Some(make(INT | (i as u32 & !INT))) }
    }

    /// The integer, if this is one that fits into a handle.
    #[inline]
    pub const fn as_small_int(self) -> Option<i32> {
        // Both top bits are set in an integer. Shifting left and then right extends the sign from bit 29.
        if self.0.get() & INT == INT { Some((self.0.get() << 2) as i32 >> 2) } else { None }
    }

    /// The boolean, if this is one.
    #[inline]
    pub const fn as_bool(self) -> Option<bool> {
        match self.0.get() {
            SPECIAL => Some(false),
            b if b == SPECIAL | 1 => Some(true),
            _ => None,
        }
    }

    /// The `n`th string of the store.
    #[inline]
    pub const fn string_number(n: u32) -> Value {
        make(STRING | n)
    }

    /// The string's number, if this is one.
    #[inline]
    pub const fn as_string_number(self) -> Option<u32> {
        if self.0.get() & (INT | ATOM_KIND) == STRING { Some(self.0.get() & PAYLOAD) } else { None }
    }

    /// The `n`th model value of the store.
    #[inline]
    pub const fn model_number(n: u32) -> Value {
        make(MODEL | n)
    }

    /// The model value's number, if this is one.
    #[inline]
    pub const fn as_model_number(self) -> Option<u32> {
        if self.0.get() & (INT | ATOM_KIND) == MODEL { Some(self.0.get() & PAYLOAD) } else { None }
    }

    /// A value that only the evaluator understands, by the evaluator's number for it.
    #[inline]
    pub const fn transient(n: u32) -> Value {
        make(TRANSIENT | n)
    }

    /// The evaluator's number, if this is a transient value.
    #[inline]
    pub const fn as_transient(self) -> Option<u32> {
        if self.0.get() & (INT | ATOM_KIND) == TRANSIENT { Some(self.0.get() & PAYLOAD) } else { None }
    }

    /// A value on the heap. `place` counts units of 8 bytes.
    #[inline]
    pub(crate) const fn heap(place: u32, lazy: bool) -> Value {
        make(if lazy { place | LAZY } else { place })
    }

    /// The place on the heap, if this is a canonical or lazy value there.
    #[inline]
    pub const fn as_heap(self) -> Option<u32> {
        if self.0.get() & IMMEDIATE == 0 { Some(self.0.get() & !LAZY) } else { None }
    }

    /// Whether this is a lazy set on the heap.
    #[inline]
    pub const fn is_lazy(self) -> bool {
        self.0.get() & (IMMEDIATE | LAZY) == LAZY
    }

    /// Whether this can be a part of a canonical value and can be compared by handle. Lazy sets, transient values and
    /// infinite sets cannot.
    #[inline]
    pub const fn is_canonical(self) -> bool {
        let bits = self.0.get();
        if bits & IMMEDIATE == 0 {
            bits & LAZY == 0
        } else {
            bits & INT == INT
                || bits & ATOM_KIND == STRING & ATOM_KIND
                || bits & ATOM_KIND == MODEL & ATOM_KIND
                || bits <= SPECIAL | 1
        }
    }

    /// The bits of the handle, to store it in tables and files.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0.get()
    }

    /// The handle as a word of the heap.
    pub(crate) const fn as_word(self) -> AtomicU32 {
        AtomicU32::new(self.bits())
    }

    /// The handle with these bits, which must come from [`Value::bits`].
    #[inline]
    pub const fn from_bits(bits: u32) -> Value {
        make(bits)
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(i) = self.as_small_int() {
            write!(f, "Value({i})")
        } else {
            write!(f, "Value({:#x})", self.0)
        }
    }
}
