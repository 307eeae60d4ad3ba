//! Which part of a run is done here: all of it, only its plan, or the cases that others give.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kilter_run::{Event, Further, Header, Sink, SoFar, Source};

use kilter_testbed::Interrupt;

use crate::error::AnyError;

/// Which part of a run is done here.
#[derive(Default)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// Cases are made, and nothing is played. What was made is put here.
    Plan(Option<Box<Planned>>),
    /// Cases come one by one from elsewhere, and results go there.
    Given(Box<dyn Giver>),
}

/// The cases of a run that is not played here.
pub struct Planned {
    /// The first line of the record.
    pub header: Header,
    /// Further lines with which the record begins.
    pub first: Vec<Event>,
    /// All cases.
    pub cases: Vec<Further>,
    /// The number of neighbours that are best played one after the other on one system.
    pub batch: usize,
}

/// Gives cases, and takes results.
pub trait Giver: Send {
    /// Checks whether a run is the one whose cases are given.
    fn check(&mut self, header: &Header) -> Result<(), AnyError>;

    /// The configuration, as it is named where somebody may want to repeat a case.
    fn config(&self) -> PathBuf;

    /// All cases that were planned before the run.
    fn suite(&mut self) -> Result<Vec<Further>, AnyError>;

    /// Where cases come from, and where results go.
    fn ends(&mut self) -> (&mut dyn Source<Further>, &mut dyn Sink);

    /// Ends the run when whoever gives the cases wants no more results.
    fn halt(&self) -> Halt;

    /// Called when there are no more cases. Returns whether there are some again, because `plan` has made them of what is known of all
    /// cases, or somebody else's.
    fn goes_on(&mut self, plan: &mut Planner<'_>) -> Result<bool, AnyError>;
}

/// Plans further cases. The event is what the record says of them.
pub type Planner<'p> = dyn FnMut(&SoFar<'_>) -> Option<Event> + 'p;

/// Ends a run from elsewhere, as Ctrl-C does from here.
#[derive(Clone, Debug, Default)]
pub struct Halt {
    flag: Arc<AtomicBool>,
    interrupts: Arc<Mutex<Vec<Interrupt>>>,
}

impl Halt {
    /// Ends the run.
    pub fn raise(&self) {
        self.flag.store(true, Ordering::SeqCst);
        self.interrupts().iter().for_each(Interrupt::raise);
    }

    /// The flag that says so.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Has this interrupt raised, too.
    pub(crate) fn add(&self, interrupt: &Interrupt) {
        self.interrupts().push(interrupt.clone());
        if self.flag.load(Ordering::SeqCst) {
            interrupt.raise();
        }
    }

    fn interrupts(&self) -> MutexGuard<'_, Vec<Interrupt>> {
        self.interrupts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
