//! The program around the library: what it has linked in, what may stop a job, who watches it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kilter_check::{Counts, Progress};
use kilter_run::{Event, Tally};

use crate::error::OutputLost;
use crate::signals::Signals;
use crate::worlds::Worlds;

/// What a job of the library needs from the program that it runs in. The default has no systems linked in, is never interrupted and
/// says nothing: what tests want.
pub struct Host {
    /// What the program is called, in lines that repeat something.
    pub program: String,
    /// Systems that are linked in.
    pub worlds: Worlds,
    /// What may stop a job.
    pub signals: Signals,
    /// Who watches it.
    pub watch: Box<dyn Watch>,
}

impl Default for Host {
    fn default() -> Host {
        let watch = Box::new(Silent);
        Host { program: "kilter".to_owned(), worlds: Worlds::default(), signals: Signals::unheard(), watch }
    }
}

/// Watches a job: shows how far it is, and hears what is said on the way.
pub trait Watch: Send {
    /// Something for people, beside the answer; a program writes it to standard error.
    fn say(&mut self, _text: &str) {}

    /// What the specification prints.
    fn print(&mut self, _line: &str) -> Result<(), OutputLost> {
        Ok(())
    }

    /// How far a search of states is.
    fn searching(&mut self, _counts: &Counts, _elapsed: Duration) {}

    /// Something that a run of cases says.
    fn event(&mut self, _event: &Event) {}

    /// How far a run of cases is.
    fn running(&mut self, _tally: &Tally) {}

    /// A search or a run has ended.
    fn ended(&mut self) {}
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Watch for Silent {}

/// A search that is watched, and stops at a signal.
pub struct Searching<'w> {
    watch: &'w mut dyn Watch,
    interrupted: Arc<AtomicBool>,
    /// The first that the specification printed and nobody got.
    lost: Option<OutputLost>,
}

impl<'w> Searching<'w> {
    /// A search that has not begun.
    pub fn new(watch: &'w mut dyn Watch, signals: &Signals) -> Searching<'w> {
        Searching { watch, interrupted: signals.flag(), lost: None }
    }

    /// The search has ended; an error if what the specification printed could not be shown.
    pub fn end(self) -> Result<(), OutputLost> {
        self.watch.ended();
        self.lost.map_or(Ok(()), Err)
    }
}

impl Progress for Searching<'_> {
    fn report(&mut self, counts: &Counts, elapsed: Duration) {
        self.watch.searching(counts, elapsed);
    }

    fn print(&mut self, line: &str) {
        if let Err(lost) = self.watch.print(line) {
            self.lost.get_or_insert(lost);
        }
    }

    fn interrupted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupted)
    }
}
