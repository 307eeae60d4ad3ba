//! Receives the results of a run.

use crate::outcome::Tally;
use crate::record::Event;

/// Receives the results of a run.
pub trait Sink {
    /// Called with each event for the record.
    fn event(&mut self, event: &Event);

    /// Called now and then with the progress of the run.
    fn progress(&mut self, _tally: &Tally) {}
}

/// Keeps the events in memory.
impl Sink for Vec<Event> {
    fn event(&mut self, event: &Event) {
        self.push(event.clone());
    }
}
