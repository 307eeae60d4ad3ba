//! The slots in which bound names, arguments and intermediate values live.

use kilter_value::Value;

/// The slots of all frames, innermost last. A frame belongs to one call of a function. Above the current frame are
/// values that are about to become a tuple, a set or the arguments of a call.
pub(super) struct Frames {
    slots: Vec<Value>,
    /// The start of the current frame.
    base: usize,
    /// The start of the next frame.
    top: usize,
}

/// Remembers a frame, to come back to it.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub(super) base: usize,
    pub(super) top: usize,
}

impl Frames {
    pub(super) fn new() -> Self {
        Frames { slots: vec![Value::UNSET; 1024], base: 0, top: 0 }
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> Value {
        self.slots[self.base + slot as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, slot: u32, value: Value) {
        let index = self.base + slot as usize;
        self.slots[index] = value;
    }

    /// Empties lazy slots.
    #[inline]
    pub(super) fn unset(&mut self, slots: &[u32]) {
        for slot in slots {
            self.set(*slot, Value::UNSET);
        }
    }

    /// Remembers the current frame.
    #[inline]
    pub(super) fn mark(&self) -> Mark {
        Mark { base: self.base, top: self.top }
    }

    /// Makes a remembered frame the current one again.
    #[inline]
    pub(super) fn restore(&mut self, mark: Mark) {
        (self.base, self.top) = (mark.base, mark.top);
    }

    /// Makes the frame that starts at `base` the current one, and keeps what is above. Returns the start of the frame
    /// before.
    #[inline]
    pub(super) fn rebase(&mut self, base: usize) -> usize {
        std::mem::replace(&mut self.base, base)
    }

    /// Opens a frame at `start`, where its arguments may have been pushed already.
    pub(super) fn open(&mut self, start: usize, size: u32) {
        self.base = start;
        self.top = start + size as usize;
        if self.slots.len() < self.top {
            self.slots.resize(self.top * 2, Value::UNSET);
        }
    }

    /// The place at which the next value will be pushed.
    #[inline]
    pub(super) fn top(&self) -> usize {
        self.top
    }

    #[inline]
    pub(super) fn push(&mut self, value: Value) {
        if self.top == self.slots.len() {
            self.slots.resize(self.top * 2, Value::UNSET);
        }
        self.slots[self.top] = value;
        self.top += 1;
    }

    /// The values pushed from `start` on.
    #[inline]
    pub(super) fn pushed(&self, start: usize) -> &[Value] {
        &self.slots[start..self.top]
    }

    /// Drops the values pushed from `start` on.
    #[inline]
    pub(super) fn pop_to(&mut self, start: usize) {
        self.top = start;
    }

    /// A copy of the current frame and of what is above it.
    pub(super) fn copy(&self) -> Vec<Value> {
        self.slots[self.base..self.top].to_vec()
    }

    /// Writes a copy back into the current frame.
    pub(super) fn put_back(&mut self, copy: &[Value]) {
        let base = self.base;
        self.slots[base..base + copy.len()].copy_from_slice(copy);
    }
}
