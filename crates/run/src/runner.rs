//! Many cases over several systems. Results are handed on in the order of the cases, whichever system was faster.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use kilter_base::memory;

use crate::clerk::Clerk;
use crate::desk::{Desk, Done};
use crate::job::{Job, Limits};
use crate::method::{Method, Stop};
use crate::record::{Counters, Finding, Group};
use crate::sink::Sink;
use crate::source::Source;

/// How far ahead of the last result in order cases are played, for each job.
const AHEAD: usize = 64;
/// Enough for an evaluator of formulas.
const STACK_BYTES: usize = 16 << 20;

/// How cases are run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// How many systems there are side by side.
    pub jobs: usize,
    /// How many cases a job takes at once; more than one where neighbours have much in common.
    pub batch: usize,
    /// Stop after so many findings.
    pub findings_max: Option<u64>,
    /// Stop after so much time.
    pub time_max: Option<Duration>,
    /// Set by someone else when the run should end.
    pub interrupted: &'o AtomicBool,
}

/// What came of the cases so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many cases there are.
    pub n_cases: u64,
    /// How many have ended.
    pub ended: u64,
    /// How many of those passed.
    pub passed: u64,
    /// How many the system could not be driven along.
    pub not_run: u64,
    /// How many steps were taken.
    pub steps: u64,
    /// How many findings there are.
    pub findings: u64,
    /// How much of the cases' time was waiting for what did not come.
    pub waited: Duration,
    /// What else was counted.
    pub counters: Counters,
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
    /// Time is up.
    Time,
    /// So much has been done as was wanted.
    Enough(String),
    /// No other case can say more.
    Said(String),
    /// The system could not be run.
    NotRunnable(String),
    /// What the user wants can't be done with this system.
    Impossible(String),
}

impl From<Stop> for Stopped {
    fn from(stop: Stop) -> Stopped {
        match stop {
            Stop::Interrupted => Stopped::Interrupted,
            Stop::Time => Stopped::Time,
            Stop::Enough(what) => Stopped::Enough(what),
            Stop::NotRunnable(why) => Stopped::NotRunnable(why),
            Stop::Impossible(why) => Stopped::Impossible(why),
        }
    }
}

impl Stopped {
    /// Whether nothing more is done at all, not even what findings call for.
    pub(crate) fn is_at_once(&self) -> bool {
        matches!(self, Stopped::Interrupted | Stopped::NotRunnable(_) | Stopped::Impossible(_))
    }

    /// In words.
    pub fn why(&self) -> &str {
        match self {
            Stopped::Interrupted => "interrupted; `--resume` goes on",
            Stopped::Findings => "enough findings",
            Stopped::Time => "time is up; `--resume` goes on",
            Stopped::Enough(why)
            | Stopped::Said(why)
            | Stopped::NotRunnable(why)
            | Stopped::Impossible(why) => why,
        }
    }
}

/// Runs all cases.
pub fn run<M: Method>(
    method: &M,
    source: &mut dyn Source<M::Case>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Outcome {
    let n_cases = source.n_left();
    let jobs = options.jobs.clamp(1, usize::try_from(n_cases).unwrap_or(usize::MAX).max(1));
    let desk = Desk::new(source, options.batch, jobs * AHEAD.max(options.batch));
    let limits = Limits::new(options.interrupted, options.time_max);
    let (sender, results) = channel();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, desk, limits) = (sender.clone(), &desk, &limits);
            let of_job = sender.clone();
            let job = move || Job { method, desk, limits, sender: &of_job }.work();
            let stack = memory::stack_bytes(STACK_BYTES);
            if let Err(error) = thread::Builder::new().stack_size(stack).spawn_scoped(scope, job) {
                let why = format!("no thread could be started: {error}");
                // The clerk listens until all senders are gone.
                let _ = sender.send(Done::Stopped(Stop::NotRunnable(why)));
            }
        }
        drop(sender);
        let mut clerk = Clerk::new(method, n_cases, options.findings_max, &desk, &limits, sink);
        clerk.collect(&results);
        clerk.shorten(&results);
        desk.close();
        clerk.end(&results);
        clerk.outcome()
    })
}
