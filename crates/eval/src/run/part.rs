//! Divides the initial states into parts, so that several workers can find them at once.
//!
//! The first choice of the initial predicate is divided, if it is a choice among the elements of a set. Each part takes
//! about as many elements as the others; the first part takes the first elements. So the parts, one after the other,
//! are all initial states in the order in which one worker finds them. For `x \in {y \in S : p}` the set `S` is
//! divided, unless its elements are listed. If the first choice is of another kind, the first part is everything.

use kilter_value::Value;

use super::Worker;
use crate::error::Eval;
use crate::origin::OriginId;

/// One of several parts of about equal size.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The index of the part, from 0.
    pub index: usize,
    /// The number of parts.
    pub of: usize,
}

impl Part {
    /// The only part, which is everything.
    pub const WHOLE: Part = Part { index: 0, of: 1 };

    pub(super) fn is_first(self) -> bool {
        self.index == 0
    }
}

impl Worker<'_> {
    /// Calls `body` for the elements of a set. If this is the first choice, only for those of the wanted part.
    pub(super) fn each_choice(
        &mut self,
        set: Value,
        origin: OriginId,
        mut body: impl FnMut(&mut Self, Value) -> Eval<bool>,
    ) -> Eval<bool> {
        let Some(part) = self.finding.part.take().filter(|part| part.of > 1) else {
            return self.each(set, origin, body);
        };
        let store = self.store;
        let Ok(n_elems) = store.cardinality(set) else {
            // An infinite set, or not a set at all.
            return if part.is_first() { self.each(set, origin, body) } else { Ok(true) };
        };
        let mut iter = match store.iterate(set) {
            Ok(iter) => iter,
            Err(error) => return self.fail_set(origin, &error),
        };
        let wanted = n_elems * part.index / part.of..n_elems * (part.index + 1) / part.of;
        iter.skip(wanted.start, store);
        for elem in wanted.map_while(|_| iter.next(store)) {
            self.tick(origin)?;
            if !body(self, elem)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether this part does the work where a choice cannot be divided, or where there was none. That is the first
    /// part.
    pub(super) fn is_in_part(&mut self) -> bool {
        let mine = self.finding.part.is_none_or(Part::is_first);
        if mine {
            self.finding.part = None;
        }
        mine
    }
}
