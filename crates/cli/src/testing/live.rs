//! How far a run is, on a terminal; and everything into the record.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kilter_conform::run::{Listener, Tally};
use kilter_wire::Event;

use super::record::Record;
use crate::render::{BAD, count, paint, plural};
use crate::rim;

/// Writes the record and shows how far the run is.
pub struct Live<'l> {
    record: &'l mut Record,
    bar: ProgressBar,
    last: Instant,
    findings: u64,
    told: Vec<String>,
    quiet: bool,
}

impl<'l> Live<'l> {
    /// A line that is not drawn yet; hidden when standard error is no terminal. With `quiet`, findings are not told as they come.
    pub fn new(record: &'l mut Record, quiet: bool) -> anyhow::Result<Live<'l>> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}")?);
        Ok(Live { record, bar, last: Instant::now(), findings: 0, told: Vec::new(), quiet })
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Listener for Live<'_> {
    fn event(&mut self, event: &Event) {
        self.record.event(event);
        if let Event::Finding(finding) = event {
            self.findings += 1;
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
        self.bar.set_message(format!(
            "{} of {}  {rate:.0}/s  {}  {left:.0} s left",
            count(tally.ended),
            plural(tally.n_cases, "case"),
            plural(self.findings, "finding"),
        ));
        self.bar.tick();
    }
}
