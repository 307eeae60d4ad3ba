//! Writes the events of a run to its record, and tells the watcher.

use kilter_report::{Building, Record};
use kilter_run::{Event, Journal, Sink, Tally};

use crate::host::Watch;

/// Writes the record, and passes events on.
pub(super) struct Recorder<'r> {
    pub(super) journal: &'r mut Journal,
    /// The same record in memory, because the disk may be full.
    pub(super) building: Building,
    pub(super) watch: &'r mut dyn Watch,
}

impl Recorder<'_> {
    /// Ends the run, and returns its record.
    pub(super) fn finish(self) -> Record {
        self.watch.ended();
        self.building.finish()
    }
}

impl Sink for Recorder<'_> {
    fn event(&mut self, event: &Event) {
        self.journal.event(event);
        self.building.add(event.clone());
        self.watch.event(event);
    }

    fn progress(&mut self, tally: &Tally) {
        self.watch.running(tally);
    }
}
