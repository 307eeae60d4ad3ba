//! What a compiled expression depends on.

use std::collections::BTreeSet;

use crate::node::{Slot, Var};

/// Slots and variables that an expression reads but does not bind, and whether its value may be kept.
#[derive(Clone, Default, Debug)]
pub struct Free {
    pub slots: BTreeSet<Slot>,
    /// Slots of arguments and LET definitions: what these depend on is counted too, so that they add nothing to a key.
    pub lazies: BTreeSet<Slot>,
    pub vars: BTreeSet<Var>,
    pub primed: BTreeSet<Var>,
    /// Depends on more than that: a random number, a counter, a side effect.
    pub impure: bool,
    /// Among that, something other than a random number.
    pub effect: bool,
    /// Contains a loop over a set, or a call.
    pub loops: bool,
}

impl Free {
    /// Adds what another expression depends on.
    pub fn merge(&mut self, other: &Free) {
        self.slots.extend(&other.slots);
        self.lazies.extend(&other.lazies);
        self.vars.extend(&other.vars);
        self.primed.extend(&other.primed);
        self.impure |= other.impure;
        self.effect |= other.effect;
        self.loops |= other.loops;
    }

    /// Whether the value is the same everywhere.
    pub fn is_constant(&self) -> bool {
        !self.impure && self.slots.is_empty() && self.vars.is_empty() && self.primed.is_empty()
    }

    /// How many values it depends on.
    pub fn len(&self) -> usize {
        self.slots.len() + self.vars.len() + self.primed.len()
    }
}
