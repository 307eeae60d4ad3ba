//! What a job needs from the program around the library: linked-in systems, signals, and somebody who watches.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kilter_check::{Counts, Grown, Progress};
use kilter_run::{Event, Tally};
use kilter_testbed::Interrupt;

use crate::error::OutputLost;
use crate::part::Part;
use crate::signals::Signals;
use crate::verdict;
use crate::worlds::Worlds;

/// What a job of the library needs from its program. The default suits tests: it has no systems linked in, is never
/// interrupted and prints nothing.
pub struct Host {
    /// The name of the program, for command lines that repeat something.
    pub program: String,
    /// The systems that are linked in.
    pub worlds: Worlds,
    /// The signals that may stop a job.
    pub signals: Signals,
    /// Watches the job.
    pub watch: Box<dyn Watch>,
    /// Variables of the environment that nodes get besides those of their configuration.
    pub env: Vec<(String, String)>,
    /// Which part of a run is done here.
    pub part: Part,
}

impl Default for Host {
    fn default() -> Host {
        let watch = Box::new(Silent);
        let env = Vec::new();
        Host {
            program: "kilter".to_owned(),
            worlds: Worlds::default(),
            signals: Signals::unheard(),
            watch,
            env,
            part: Part::Whole,
        }
    }
}

impl Host {
    /// The flag that ends a run: a signal raises it, and so may whoever gives the cases.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        match &self.part {
            Part::Given(giver) => giver.halt().flag(),
            Part::Whole | Part::Plan(_) => self.signals.flag(),
        }
    }

    /// An interrupt for a testbed, which the same raise.
    pub(crate) fn interrupt(&self) -> io::Result<Interrupt> {
        let interrupt = self.signals.interrupt()?;
        if let Part::Given(giver) = &self.part {
            giver.halt().add(&interrupt);
        }
        Ok(interrupt)
    }
}

/// Watches a job: shows its progress, and receives messages.
pub trait Watch: Send {
    /// Called with a message for people besides the answer. A program writes it to standard error.
    fn say(&mut self, _text: &str) {}

    /// Called with a line that the specification prints.
    fn print(&mut self, _line: &str) -> Result<(), OutputLost> {
        Ok(())
    }

    /// Called with what a job does while it can't tell how far it is.
    fn doing(&mut self, _words: &str) {}

    /// Called with the name of what the next search is about, if there are several.
    fn about(&mut self, _name: &str) {}

    /// Called with the progress of a search for states.
    fn searching(&mut self, _counts: &Counts, _elapsed: Duration) {}

    /// Called with the number of lines of a log that are explained.
    fn following(&mut self, _lines: u64, _states: usize, _elapsed: Duration) {}

    /// Called with each event of a run of cases.
    fn event(&mut self, _event: &Event) {}

    /// Called with the progress of a run of cases.
    fn running(&mut self, _tally: &Tally) {}

    /// Called when a search or a run has ended.
    fn ended(&mut self) {}
}

/// Ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Watch for Silent {}

/// The progress of a search that is watched and that stops at a signal.
pub struct Searching<'w> {
    watch: &'w mut dyn Watch,
    interrupted: Arc<AtomicBool>,
    /// The first error when a line of the specification could not be printed.
    lost: Option<OutputLost>,
}

impl<'w> Searching<'w> {
    /// Makes the progress of a search that has not begun.
    pub fn new(watch: &'w mut dyn Watch, signals: &Signals) -> Searching<'w> {
        Searching { watch, interrupted: signals.flag(), lost: None }
    }

    /// Ends the search. Returns an error if a line of the specification could not be printed.
    pub fn end(self) -> Result<(), OutputLost> {
        self.watch.ended();
        self.lost.map_or(Ok(()), Err)
    }
}

impl Progress for Searching<'_> {
    fn report(&mut self, counts: &Counts, elapsed: Duration) {
        self.watch.searching(counts, elapsed);
    }

    fn growing(&mut self, variables: &[Grown]) {
        for grown in variables {
            self.watch.say(&format!("note: {}\n", verdict::growth(grown)));
        }
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
