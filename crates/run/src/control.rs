//! What a player can say, and ask, while it plays a long case.

use serde_json::Value as Json;

use crate::limits::Limits;
use crate::played::Found;
use crate::record::Counters;

/// What a player says before its case has ended.
pub(crate) enum News<D> {
    /// What the case has shown.
    Found(Box<Found<D>>),
    /// The place of the case, and what was counted in it so far.
    Progress(usize, Counters),
    /// The id of the case, what was counted in it, and where it is.
    Checkpoint(String, Counters, Json),
}

/// What a player can say, and ask, while it plays a long case. `D` is what the method calls a discovery.
pub struct Control<'r, D> {
    pub(crate) index: usize,
    pub(crate) limits: &'r Limits<'r>,
    pub(crate) tell: &'r dyn Fn(News<D>),
}

impl<D> Control<'_, D> {
    /// Whether the case should be cut short, because of Ctrl-C, the time limit, or enough findings.
    pub fn is_over(&self) -> bool {
        self.limits.has_enough() || self.limits.reached().is_some()
    }

    /// Whether a finding should stay as it is, because of Ctrl-C or the time limit.
    pub fn is_late(&self) -> bool {
        self.limits.is_over()
    }

    /// Reports at once what the case has shown.
    pub fn found(&self, found: Found<D>) {
        (self.tell)(News::Found(Box::new(found)));
    }

    /// Reports the counters of the case so far.
    pub fn progress(&self, counters: Counters) {
        (self.tell)(News::Progress(self.index, counters));
    }

    /// Records where the case with this id is.
    pub fn checkpoint(&self, id: &str, counters: Counters, state: Json) {
        (self.tell)(News::Checkpoint(id.to_owned(), counters, state));
    }
}
