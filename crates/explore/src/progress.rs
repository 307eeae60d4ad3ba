//! How a search is watched.

use serde_json::Value as Json;

use crate::counts::Counts;
use crate::finding::Wrong;
use crate::told::Told;

/// Watches a search, and may end it.
pub trait Progress {
    /// Called after each sequence, and now and then within long ones. `false` ends the search.
    fn goes_on(&mut self, counts: &Counts) -> bool;

    /// Called with each finding that is kept, as soon as it is found and before it is shortened.
    fn found(&mut self, _told: &Told, _wrong: &Wrong) {}

    /// Called at a point from which the search can be continued later. `save` returns that point.
    fn checkpoint(&mut self, _counts: &Counts, _save: &dyn Fn() -> Json) {}
}

/// Watches nothing, and never ends a search.
pub struct Unwatched;

impl Progress for Unwatched {
    fn goes_on(&mut self, _: &Counts) -> bool {
        true
    }
}
