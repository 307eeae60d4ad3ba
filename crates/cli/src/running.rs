//! Cases of any method, run from the command line: what `kilter test`, `explore` and `converge` have in common.
//!
//! - [`args`]   the options that they share
//! - [`live`]   how far a run is, on a terminal; and everything into the record

pub mod args;
mod live;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kilter_report::{Building, Record, json, summarize, text};
use kilter_run::source::fingerprint;
use kilter_run::{Cases, Earlier, Event, Header, Journal, Method, Options, Stopped};
use serde_json::{Map, Value as Json};

pub use self::args::{Besides, RunArgs};
use self::live::Live;
use crate::commands::report::{self, PAGE};
use crate::render::error_word;
use crate::rim::{self, RecordLost, Signals};

/// All is well.
const FINE: u8 = 0;
/// Something was found.
const FINDINGS: u8 = 1;
/// The input can't be used.
pub const BAD_INPUT: u8 = 2;
/// The system under test could not be run.
pub const NOT_RUNNABLE: u8 = 3;

/// A run that is about to begin.
pub struct Run<'r, M: Method> {
    /// How cases are played.
    pub method: &'r M,
    /// All of them, without regard to what an earlier sitting has done.
    pub cases: Vec<M::Case>,
    /// The first line of the record.
    pub header: Header,
    /// What else a new record begins with.
    pub first: Vec<Event>,
    /// How many cases a job takes at once.
    pub batch: usize,
    /// Where the record goes. It is locked already.
    pub folder: &'r Path,
}

/// What came of a run.
pub struct Ran {
    /// All that the record says.
    pub record: Record,
    /// Why not all cases were run, if so.
    pub stopped: Option<Stopped>,
    /// How long it took until the first finding.
    pub first_finding: Option<Duration>,
    /// Whether it was all written.
    written: anyhow::Result<()>,
}

impl<M: Method> Run<'_, M> {
    /// Runs the cases, writes the record and the report.
    pub fn run(mut self, args: &RunArgs, signals: &Signals) -> anyhow::Result<Ran> {
        self.header.chosen = fingerprint(self.cases.iter().map(|case| self.method.id(case)));
        let (mut journal, earlier, building) = if args.resume {
            let (journal, earlier) = Journal::resume(self.folder, &self.header)?;
            (journal, earlier, report::load_on(self.folder)?)
        } else {
            let journal = Journal::create(self.folder, &self.header, &self.first)?;
            let mut building = Building::new(self.header);
            self.first.into_iter().for_each(|event| building.add(event));
            (journal, Earlier::default(), building)
        };
        let is_left = |case: &M::Case| !earlier.done.contains(self.method.id(case));
        let cases: Vec<M::Case> = self.cases.into_iter().filter(is_left).collect();
        let interrupted = signals.flag();
        let options = Options {
            jobs: args.jobs.into(),
            batch: self.batch,
            findings_max: args.max_findings,
            time_max: args.time_max,
            interrupted: &interrupted,
        };
        let mut live = Live::new(&mut journal, building, args.json)?;
        let _patience = signals.patience();
        let outcome = kilter_run::run(self.method, &mut Cases::new(cases), &options, &mut live);
        let record = live.finish();
        let stopped =
            if interrupted.load(Ordering::Relaxed) { Some(Stopped::Interrupted) } else { outcome.stopped };
        // Whatever can't be written: what was found is told first.
        let written = journal.check().map_err(anyhow::Error::from);
        let written = written.and_then(|()| report::write(&record, self.folder));
        Ok(Ran { record, stopped, first_finding: outcome.tally.first_finding, written })
    }
}

impl Ran {
    /// Says what came of it; the exit code. `more` is what only this verb says in JSON.
    pub fn answer(self, args: &RunArgs, folder: &Path, more: Map<String, Json>) -> anyhow::Result<u8> {
        let summary = summarize(&self.record);
        let not_runnable = match &self.stopped {
            Some(Stopped::NotRunnable(why) | Stopped::Impossible(why)) => Some(why),
            _ => None,
        };
        if args.json {
            let mut answer = json::json(&self.record, &summary);
            answer["report"] = folder.display().to_string().into();
            if let Some(first) = self.first_finding {
                answer["first_finding_seconds"] = first.as_secs_f64().into();
            }
            for (name, value) in more {
                answer[name] = value;
            }
            rim::print(&format!("{answer}\n"))?;
        } else if summary.n_cases == 0
            && let Some(why) = not_runnable
        {
            rim::say(&format!("{}: the system could not be run: {why}\n", error_word()));
        } else {
            let page = folder.join(PAGE);
            rim::print(&format!("{}report: {}\n", text::text(&self.record, &summary), page.display()))?;
        }
        let n_findings = self.record.findings.len();
        let code = match &self.stopped {
            Some(Stopped::Impossible(_)) => BAD_INPUT,
            Some(Stopped::NotRunnable(_)) => NOT_RUNNABLE,
            Some(Stopped::Interrupted) => rim::INTERRUPTED,
            _ if n_findings > 0 => FINDINGS,
            // Nothing was found, and nothing was tried.
            _ if summary.n_not_run > 0 => NOT_RUNNABLE,
            _ => FINE,
        };
        self.written.map(|()| code).map_err(|error| RecordLost(error).into())
    }
}
