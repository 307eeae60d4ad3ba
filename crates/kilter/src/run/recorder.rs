//! Writes the events of a run to its record, and tells the watcher.

use kilter_report::{Building, Record};
use kilter_run::{Event, Sink, Tally};

use crate::host::Watch;

/// Writes the record, and passes events on.
pub(super) struct Recorder<'r> {
    pub(super) journal: &'r mut dyn Sink,
    /// The same in memory, because the disk may be full.
    pub(super) building: Building,
    pub(super) watch: &'r mut dyn Watch,
    /// Says what makes the verdict worth less than it seems, when all cases have ended.
    pub(super) warnings: &'r dyn Fn() -> Vec<String>,
}

impl Recorder<'_> {
    fn pass_on(&mut self, event: &Event) {
        self.journal.event(event);
        self.building.add(event.clone());
        self.watch.event(event);
    }

    /// Ends the run, and returns its record.
    pub(super) fn finish(self) -> Record {
        self.pause().finish()
    }

    /// Ends the run for now, and returns its record, to which more can be added.
    pub(super) fn pause(self) -> Building {
        self.watch.ended();
        self.building
    }
}

impl Sink for Recorder<'_> {
    fn event(&mut self, event: &Event) {
        if matches!(event, Event::Finished { .. } | Event::Stopped { .. }) {
            for text in (self.warnings)() {
                self.pass_on(&Event::Warning { text });
            }
        }
        self.pass_on(event);
    }

    fn progress(&mut self, tally: &Tally) {
        self.watch.running(tally);
    }
}
