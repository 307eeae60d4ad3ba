//! How far the search is, on standard error; a limit of time; Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kilter_explore::{Counts, Progress};

use crate::render::count;
use crate::rim;

/// Watches a search.
pub struct Watch {
    bar: ProgressBar,
    interrupted: Arc<AtomicBool>,
    started: Instant,
    time_max: Option<Duration>,
    last: (u64, Duration),
}

impl Watch {
    /// Begins to watch.
    pub fn new(time_max: Option<Duration>) -> anyhow::Result<Watch> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}")?);
        let interrupted = rim::interrupts()?;
        Ok(Watch { bar, interrupted, started: Instant::now(), time_max, last: (0, Duration::ZERO) })
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Whether somebody pressed Ctrl-C.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// For how long.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn draw(&mut self, counts: &Counts, elapsed: Duration) {
        let (events, then) = self.last;
        let interval_ms = elapsed.saturating_sub(then).as_millis() as u64;
        if self.bar.is_hidden() || interval_ms < 100 {
            return;
        }
        let rate = counts.events.saturating_sub(events) * 1000 / interval_ms;
        self.last = (counts.events, elapsed);
        self.bar.set_message(format!(
            "{} s  {} sequences  {} states  depth {}  {} failing  {} events/s",
            elapsed.as_secs(),
            count(counts.sequences),
            count(counts.states),
            counts.depth,
            count(counts.failing),
            count(rate),
        ));
        self.bar.tick();
    }
}

impl Progress for Watch {
    fn goes_on(&mut self, counts: &Counts) -> bool {
        let elapsed = self.started.elapsed();
        self.draw(counts, elapsed);
        !self.was_interrupted() && self.time_max.is_none_or(|most| elapsed < most)
    }
}
