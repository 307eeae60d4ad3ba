//! How a search is watched.

use serde_json::Value as Json;

use crate::counts::Counts;
use crate::finding::Wrong;
use crate::told::Told;

/// Watches a search, and may end it.
pub trait Progress {
    /// Called after each sequence, and now and then within long ones; `false` ends the search.
    fn goes_on(&mut self, counts: &Counts) -> bool;

    /// Called with each finding that is kept, as soon as it is there and before it is made shorter.
    fn found(&mut self, _told: &Told, _wrong: &Wrong) {}

    /// Called where the search could go on from; `save` says where that is.
    fn checkpoint(&mut self, _counts: &Counts, _save: &dyn Fn() -> Json) {}
}

/// Watches nothing.
pub struct Unwatched;

impl Progress for Unwatched {
    fn goes_on(&mut self, _: &Counts) -> bool {
        true
    }
}
