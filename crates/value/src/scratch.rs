//! A list of values that lives on the stack while it is short.

use crate::handle::Value;

const INLINE: usize = 32;

pub(crate) struct Scratch {
    inline: [Value; INLINE],
    len: usize,
    spill: Vec<Value>,
}

impl Scratch {
    #[inline]
    pub(crate) fn new() -> Scratch {
        Scratch { inline: [Value::UNSET; INLINE], len: 0, spill: Vec::new() }
    }

    #[inline]
    pub(crate) fn push(&mut self, value: Value) {
        if self.len < INLINE {
            self.inline[self.len] = value;
        } else {
            if self.len == INLINE {
                self.spill.extend_from_slice(&self.inline);
            }
            self.spill.push(value);
        }
        self.len += 1;
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[Value] {
        if self.len <= INLINE { &self.inline[..self.len] } else { &self.spill }
    }
}

impl Extend<Value> for Scratch {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, values: I) {
        for value in values {
            self.push(value);
        }
    }
}
