//! How far the search is, on standard error; a limit of time; Ctrl-C.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kilter_explore::outcome::Told;
use kilter_explore::{Counts, Progress};

use super::keep::Found;
use super::tell;
use crate::render::count;
use crate::rim::{self, Signals};

/// Watches a search.
pub struct Watch<'w> {
    bar: ProgressBar,
    signals: &'w Signals,
    /// Where findings go as they come.
    found: &'w mut Found,
    repeat: &'w dyn Fn(&Told) -> String,
    started: Instant,
    time_max: Option<Duration>,
    last: (u64, Duration),
}

impl<'w> Watch<'w> {
    /// Begins to watch.
    pub fn new(
        time_max: Option<Duration>,
        signals: &'w Signals,
        found: &'w mut Found,
        repeat: &'w dyn Fn(&Told) -> String,
    ) -> anyhow::Result<Watch<'w>> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}")?);
        let (started, last) = (Instant::now(), (0, Duration::ZERO));
        Ok(Watch { bar, signals, found, repeat, started, time_max, last })
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Whether somebody pressed Ctrl-C.
    pub fn was_interrupted(&self) -> bool {
        self.signals.are_raised()
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

impl Progress for Watch<'_> {
    fn goes_on(&mut self, counts: &Counts) -> bool {
        let elapsed = self.started.elapsed();
        self.draw(counts, elapsed);
        !self.was_interrupted() && self.time_max.is_none_or(|most| elapsed < most)
    }

    fn found(&mut self, told: &Told) {
        if !self.found.add(&tell::finding(told, self.repeat)) {
            // It is nowhere else.
            let text = format!("{}repeat with:\n  {}\n", tell::heading(told), (self.repeat)(told));
            self.bar.suspend(|| rim::say(&text));
        }
    }

    fn is_interrupted(&self) -> bool {
        self.was_interrupted()
    }
}
