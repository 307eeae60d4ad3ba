//! Where results go.

use crate::outcome::Tally;
use crate::record::Event;

/// Gets the results of a run.
pub trait Sink {
    /// Something for the record.
    fn event(&mut self, event: &Event);

    /// How far the run is; called now and then.
    fn progress(&mut self, _tally: &Tally) {}
}

/// In memory.
impl Sink for Vec<Event> {
    fn event(&mut self, event: &Event) {
        self.push(event.clone());
    }
}
