//! How far a run is, on a terminal; and everything into the record.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kilter_report::{Building, Record};
use kilter_run::{Event, Journal, Sink, Tally};

use crate::render::{BAD, count, paint, plural};
use crate::rim;

/// Writes the record and shows how far the run is.
pub(super) struct Live<'l> {
    journal: &'l mut Journal,
    /// The same in memory: disks may be full.
    building: Building,
    bar: ProgressBar,
    last: Instant,
    told: Vec<String>,
    quiet: bool,
}

impl<'l> Live<'l> {
    /// A line that is not drawn yet; hidden when standard error is no terminal. With `quiet`, findings are not told as they come.
    pub(super) fn new(journal: &'l mut Journal, building: Building, quiet: bool) -> anyhow::Result<Live<'l>> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}")?);
        Ok(Live { journal, building, bar, last: Instant::now(), told: Vec::new(), quiet })
    }

    /// Takes the line away; all that was told.
    pub(super) fn finish(self) -> Record {
        self.bar.finish_and_clear();
        self.building.finish()
    }
}

impl Sink for Live<'_> {
    fn event(&mut self, event: &Event) {
        self.journal.event(event);
        self.building.add(event.clone());
        if let Event::Finding(finding) = event {
            // One line for the first of each group; the rest is told at the end.
            if !self.quiet && !self.bar.is_hidden() && !self.told.contains(&finding.group) {
                self.told.push(finding.group.clone());
                let line = format!("{} {}\n", paint(BAD, finding.kind.name()), finding.summary);
                self.bar.suspend(|| rim::say(&line));
            }
        }
    }

    fn progress(&mut self, tally: &Tally) {
        if self.bar.is_hidden() || self.last.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.last = Instant::now();
        let seconds = tally.took.as_secs_f64().max(0.001);
        #[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
        let rate = tally.ended as f64 / seconds;
        #[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
        let left = (tally.n_cases - tally.ended) as f64 / rate.max(0.001);
        let mut parts = vec![format!("{} of {}", count(tally.ended), plural(tally.n_cases, "case"))];
        if tally.ended > 0 {
            parts.push(format!("{rate:.0}/s"));
            parts.push(format!("{left:.0} s left"));
        }
        parts.push(plural(tally.findings, "finding"));
        let counted = tally.counters.sums.iter().chain(&tally.counters.peaks);
        let counted = counted.filter(|(name, n)| **n > 0 && !name.ends_with("_us"));
        parts.extend(counted.map(|(name, n)| format!("{} {}", count(*n), name.replace('_', " "))));
        self.bar.set_message(parts.join("  "));
        self.bar.tick();
    }
}
