//! Many cases over several worlds. Results are handed on in the order of the cases, whichever world was faster.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::time::Duration;

use kilter_testbed::{Trouble, World};
use kilter_value::Store;
use kilter_wire::{Event, Finding, Group};

use crate::clerk::Clerk;
use crate::desk::Desk;
use crate::drive::Case;
use crate::job::Job;
use crate::plan::Plan;

/// Makes a world; called once by each job, in its own thread.
pub type MakeWorld<'m> = dyn Fn() -> Result<Box<dyn World>, Trouble> + Sync + 'm;

/// How cases are run.
pub struct Options<'o> {
    /// How many worlds there are side by side.
    pub jobs: usize,
    /// Stop after so many findings.
    pub findings_max: Option<u64>,
    /// The line that repeats a case.
    pub repeat: &'o dyn Fn(&str) -> String,
    /// Set by someone else when the run should end.
    pub interrupted: &'o AtomicBool,
}

/// Whoever runs cases is told what comes of them, in order.
pub trait Listener {
    /// Something for the record.
    fn event(&mut self, event: &Event);
    /// How far the run is; called now and then.
    fn progress(&mut self, tally: &Tally);
}

/// What came of the cases so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many cases there are.
    pub n_cases: u64,
    /// How many have ended.
    pub ended: u64,
    /// How many of those did all that the specification says.
    pub passed: u64,
    /// How many steps were taken.
    pub steps: u64,
    /// How many findings there are.
    pub findings: u64,
    /// How much time was spent waiting for timeouts to pass, in all worlds together.
    pub waited: Duration,
    /// How long it took so far.
    pub took: Duration,
    /// How long it took until the first finding, and until it had been looked at again.
    pub first_finding: Option<Duration>,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The numbers.
    pub tally: Tally,
    /// All findings, in the order of their cases.
    pub findings: Vec<Finding>,
    /// What they have in common.
    pub groups: Vec<Group>,
    /// Why not all cases were run, if so.
    pub stopped: Option<Stopped>,
}

/// Why not all cases were run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Somebody pressed Ctrl-C.
    Interrupted,
    /// There are enough findings.
    Findings,
    /// The initial state differs already, so that every case would only say that again.
    InitialState,
    /// The system could not be run.
    NotRunnable(String),
}

/// How far ahead of the last result in order cases are run, for each job.
const AHEAD: usize = 64;

/// Runs all cases.
pub fn run(
    plan: &Plan<'_>,
    store: &Store,
    cases: &[Case],
    make_world: &MakeWorld<'_>,
    options: &Options<'_>,
    listener: &mut dyn Listener,
) -> Outcome {
    let jobs = options.jobs.clamp(1, cases.len().max(1));
    let desk = Desk::new(cases.len(), jobs * AHEAD);
    let (sender, results) = channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, store, desk, interrupted) =
                (sender.clone(), store.sibling(), &desk, options.interrupted);
            scope.spawn(move || {
                let job = Job { plan, store: &store, cases, desk, sender: &sender, interrupted };
                job.work(make_world);
            });
        }
        drop(sender);
        let mut clerk = Clerk::new(plan, store, cases, options, &desk, listener);
        clerk.collect(&results);
        clerk.shorten(&results);
        desk.close();
        clerk.outcome()
    })
}
