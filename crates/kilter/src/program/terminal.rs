//! How far a job is, on a terminal; and what is said on the way.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kilter_check::Counts;
use kilter_report::style::{BAD, count, paint, plural};
use kilter_run::{Event, Tally};

use super::rim;
use crate::error::OutputLost;
use crate::host::Watch;

/// How often the line is drawn again.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// A line on standard error that is drawn again and again; hidden when that is no terminal.
pub struct Terminal {
    bar: ProgressBar,
    /// Whether standard output is for JSON only.
    json: bool,
    /// What a search had generated when the line was drawn, and when that was.
    last: (u64, Duration),
    drawn: Instant,
    /// The groups of findings that were told.
    told: Vec<String>,
}

impl Terminal {
    /// A line that is not drawn yet. With `json`, standard output is for the answer only.
    pub fn new(json: bool) -> Terminal {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The template is ours; without it there is a line, too.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        Terminal { bar, json, last: (0, Duration::ZERO), drawn: Instant::now(), told: Vec::new() }
    }
}

impl Watch for Terminal {
    fn say(&mut self, text: &str) {
        self.bar.suspend(|| rim::say(text));
    }

    fn print(&mut self, line: &str) -> Result<(), OutputLost> {
        let text = format!("{line}\n");
        self.bar.suspend(|| {
            if self.json {
                rim::say(&text);
                return Ok(());
            }
            rim::print(&text)
        })
    }

    fn searching(&mut self, counts: &Counts, elapsed: Duration) {
        let (generated, then) = self.last;
        let interval_ms = elapsed.saturating_sub(then).as_millis() as u64;
        if self.bar.is_hidden() || interval_ms < DRAW_EVERY.as_millis() as u64 {
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

    fn event(&mut self, event: &Event) {
        if let Event::Finding(finding) = event {
            // One line for the first of each group; the rest is told at the end.
            if !self.json && !self.bar.is_hidden() && !self.told.contains(&finding.group) {
                self.told.push(finding.group.clone());
                let line = format!("{} {}\n", paint(BAD, finding.kind.name()), finding.summary);
                self.bar.suspend(|| rim::say(&line));
            }
        }
    }

    fn running(&mut self, tally: &Tally) {
        if self.bar.is_hidden() || self.drawn.elapsed() < DRAW_EVERY {
            return;
        }
        self.drawn = Instant::now();
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

    fn ended(&mut self) {
        self.bar.finish_and_clear();
    }
}
