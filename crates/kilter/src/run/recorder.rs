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
    /// What was played here before, if others play cases of the same run: then the number of all cases says nothing about this player.
    pub(super) earlier: Option<&'r Tally>,
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
        match self.earlier {
            None => self.watch.running(tally),
            Some(earlier) => self.watch.running(&Tally { n_cases: 0, ..added(earlier, tally) }),
        }
    }
}

/// What was played before and is played now. Both have the time since the same moment.
pub(super) fn added(earlier: &Tally, now: &Tally) -> Tally {
    let mut counters = earlier.counters.clone();
    counters.join(&now.counters);
    Tally {
        n_cases: now.n_cases,
        ended: earlier.ended + now.ended,
        passed: earlier.passed + now.passed,
        not_run: earlier.not_run + now.not_run,
        steps: earlier.steps + now.steps,
        findings: earlier.findings + now.findings,
        waited: earlier.waited + now.waited,
        counters,
        took: now.took,
        first_finding: earlier.first_finding.or(now.first_finding),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    struct Listening(Sender<Tally>);

    impl Watch for Listening {
        fn running(&mut self, tally: &Tally) {
            self.0.send(tally.clone()).expect("somebody listens");
        }
    }

    struct Nowhere;

    impl Sink for Nowhere {
        fn event(&mut self, _: &Event) {}
    }

    #[test]
    fn whoever_plays_with_others_never_goes_backwards() {
        let (sender, told) = channel();
        let mut watch = Listening(sender);
        let mut earlier = Tally::default();
        // When all cases have their results, others may be planned, and a worker begins to count anew.
        for ended in [23, 2] {
            let tally = Tally { n_cases: 34, ended, findings: 1, ..Tally::default() };
            let mut recorder = Recorder {
                journal: &mut Nowhere,
                building: Building::default(),
                watch: &mut watch,
                warnings: &Vec::new,
                earlier: Some(&earlier),
            };
            recorder.progress(&tally);
            earlier = added(&earlier, &tally);
        }
        let told: Vec<_> =
            told.try_iter().map(|tally| (tally.ended, tally.n_cases, tally.findings)).collect();
        assert_eq!(told, [(23, 0, 1), (25, 0, 2)]);
    }
}
