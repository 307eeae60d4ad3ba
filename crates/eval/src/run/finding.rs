//! Successors, or initial states, while they are being found.

use super::part::Part;
use super::successors::Successors;

/// Where the search for the steps of an action is, and what it is for.
#[derive(Default)]
pub(super) struct Finding {
    /// What was found.
    pub(super) out: Successors,
    /// The named action that is being run; `u32::MAX` outside of them.
    pub(super) action: u32,
    /// The basic blocks on the way through it.
    pub(super) blocks: Vec<u32>,
    /// Whether successors carry arguments and basic blocks.
    pub(super) record: bool,
    /// Whether an action is only asked whether it is enabled.
    pub(super) probing: bool,
    /// The part of the initial states that is wanted, until the first choice among them.
    pub(super) part: Option<Part>,
    /// Set while the steps of an action are listed that need not be complete.
    pub(super) listing: Option<Listing>,
}

/// A list of an action's steps under construction.
pub(super) struct Listing {
    /// No more than this.
    pub(super) n_max: usize,
    /// Whether it was cut short: there are more, or a next state leaves variables out.
    pub(super) cut: bool,
}

impl Finding {
    /// Starts anew, with the room that `out` has.
    pub(super) fn begin(&mut self, out: &mut Successors) {
        out.clear();
        std::mem::swap(out, &mut self.out);
        self.out.clear();
        self.blocks.clear();
        self.action = u32::MAX;
        self.probing = false;
    }
}
