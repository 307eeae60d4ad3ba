//! The systems that `kilter explore` knows, and how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::bail;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kilter_explore::outcome::Explorable;
use kilter_explore::{Counts, Progress};
use kilter_protocols::{Shape, broadcast, election, gossip};

use crate::render::count;
use crate::rim;

/// A system by its name.
pub fn built_in(name: &str, n_nodes: usize, bug: bool) -> anyhow::Result<Box<dyn Explorable>> {
    if n_nodes == 0 {
        bail!("a system has at least one node");
    }
    let shape = Shape { n_nodes, bug };
    Ok(match name {
        "election" => Box::new(election::system(shape)),
        "broadcast" => Box::new(broadcast::system(shape)),
        "gossip" => Box::new(gossip::system(shape)),
        _ => bail!("there is no world `{name}`; there are broadcast, election and gossip"),
    })
}

/// A line on standard error, a limit of time, and Ctrl-C.
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
        // A look at the clock for each sequence would cost as much as the sequence.
        if (counts.sequences + counts.pruned) % 64 != 0 {
            return !self.was_interrupted();
        }
        let elapsed = self.started.elapsed();
        self.draw(counts, elapsed);
        !self.was_interrupted() && self.time_max.is_none_or(|most| elapsed < most)
    }
}
