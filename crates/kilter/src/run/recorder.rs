//! Everything that a run says, into its record; and whoever watches hears it too.

use kilter_report::{Building, Record};
use kilter_run::{Event, Journal, Sink, Tally};

use crate::host::Watch;

/// Writes the record, and hands everything on.
pub(super) struct Recorder<'r> {
    pub(super) journal: &'r mut Journal,
    /// The same in memory: disks may be full.
    pub(super) building: Building,
    pub(super) watch: &'r mut dyn Watch,
}

impl Recorder<'_> {
    /// All that was said.
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
