//! How far a search is, on a terminal; and what the specification prints.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kilter_check::{Counts, Progress};

use crate::render::count;
use crate::rim::{self, OutputLost, Signals};

/// A line on standard error that is drawn again and again; hidden when that is no terminal.
pub struct Line {
    bar: ProgressBar,
    signals: Signals,
    /// What the specification printed and nobody got.
    lost: Option<OutputLost>,
    /// Whether standard output is for JSON only.
    json: bool,
    last: (u64, Duration),
}

impl Line {
    /// A line that is not drawn yet.
    pub fn new(json: bool, signals: &Signals) -> anyhow::Result<Self> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}")?);
        Ok(Line { bar, signals: signals.clone(), lost: None, json, last: (0, Duration::ZERO) })
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// What may interrupt.
    pub fn signals(&self) -> &Signals {
        &self.signals
    }

    /// An error if what the specification printed could not be shown.
    pub fn check(&mut self) -> Result<(), OutputLost> {
        self.lost.take().map_or(Ok(()), Err)
    }
}

impl Progress for Line {
    fn report(&mut self, counts: &Counts, elapsed: Duration) {
        let (generated, then) = self.last;
        let interval_ms = elapsed.saturating_sub(then).as_millis() as u64;
        if self.bar.is_hidden() || interval_ms < 100 {
            return;
        }
        let rate = counts.generated.saturating_sub(generated) * 1000 / interval_ms;
        self.last = (counts.generated, elapsed);
        self.bar.set_message(format!(
            "{} s  {} generated ({}/s)  {} distinct  {} in the queue  depth {}",
            elapsed.as_secs(),
            count(counts.generated),
            count(rate),
            count(counts.distinct),
            count(counts.queue),
            counts.depth
        ));
        self.bar.tick();
    }

    fn print(&mut self, line: &str) {
        let text = format!("{line}\n");
        if self.json {
            self.bar.suspend(|| rim::say(&text));
        } else if let Err(lost) = self.bar.suspend(|| rim::print(&text)) {
            self.lost.get_or_insert(lost);
        }
    }

    fn interrupted(&self) -> Arc<AtomicBool> {
        self.signals.flag()
    }
}
