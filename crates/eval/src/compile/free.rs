//! The dependencies of a compiled expression.

use std::collections::BTreeSet;

use crate::node::{Slot, Var};

/// The slots and variables that an expression reads but does not bind, and whether its value may be kept.
#[derive(Clone, Default, Debug)]
pub struct Free {
    pub slots: BTreeSet<Slot>,
    /// The slots of arguments and LET definitions. What these read is in the other sets too, so a key needs no lazy
    /// slots.
    pub lazies: BTreeSet<Slot>,
    pub vars: BTreeSet<Var>,
    pub primed: BTreeSet<Var>,
    /// Whether the value depends on more than that: a random number, a counter, a side effect.
    pub impure: bool,
    /// Whether `impure` is set for another reason than a random number.
    pub effect: bool,
    /// Whether the expression contains a loop over a set, or a call.
    pub loops: bool,
}

impl Free {
    /// Adds the dependencies of another expression.
    pub fn merge(&mut self, other: &Free) {
        self.slots.extend(&other.slots);
        self.lazies.extend(&other.lazies);
        self.vars.extend(&other.vars);
        self.primed.extend(&other.primed);
        self.impure |= other.impure;
        self.effect |= other.effect;
        self.loops |= other.loops;
    }

    /// Whether the value is the same in all states, so that it can be computed once.
    pub fn is_constant(&self) -> bool {
        !self.impure && self.slots.is_empty() && self.vars.is_empty() && self.primed.is_empty()
    }

    /// The number of values that a key needs.
    pub fn len(&self) -> usize {
        self.slots.len() + self.vars.len() + self.primed.len()
    }
}
