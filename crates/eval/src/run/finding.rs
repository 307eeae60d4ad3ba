//! The state of a search for successors or initial states.

use super::guide::Guide;
use super::obstacles::Obstacles;
use super::part::Part;
use super::successors::Successors;

/// How far the search is, and what it is for.
#[derive(Default)]
pub(super) struct Finding {
    /// The states found so far.
    pub(super) out: Successors,
    /// The named action that is running. `u32::MAX` outside of them.
    pub(super) action: u32,
    /// The basic blocks on the way through that action.
    pub(super) blocks: Vec<u32>,
    /// Whether successors carry arguments and basic blocks.
    pub(super) record: bool,
    /// Whether only the question is whether there is any successor, as for ENABLED.
    pub(super) probing: bool,
    /// The part of the initial states that is wanted. Taken at the first choice among them.
    pub(super) part: Option<Part>,
    /// Set while somebody wants to know why an action is not enabled.
    pub(super) obstacles: Option<Box<Obstacles>>,
    /// Set while only some steps are wanted.
    pub(super) guide: Option<Box<Guide>>,
    /// The guide of the last such search. The next one reuses what it knows of the program.
    pub(super) idle_guide: Option<Box<Guide>>,
    /// Set while the steps of an action are listed. The list may be cut short.
    pub(super) listing: Option<Listing>,
}

/// A list of an action's steps under construction.
pub(super) struct Listing {
    /// The most steps that the list may have.
    pub(super) n_max: usize,
    /// Whether the list was cut short: there are more steps, or a next state leaves variables out.
    pub(super) cut: bool,
}

impl Finding {
    /// Begins a new search. The results go into the memory that `out` has allocated.
    pub(super) fn begin(&mut self, out: &mut Successors) {
        out.clear();
        std::mem::swap(out, &mut self.out);
        self.out.clear();
        self.blocks.clear();
        self.action = u32::MAX;
        self.probing = false;
    }
}
