//! Runs the cases of any method and records them. This is the common part of test, explore and converge.
//!
//! - [`RunOptions`] the options that they share
//! - [`Ended`]      the result of a job: a [`Ran`] with its record, or something to print
//! - `given`      plays cases that come from elsewhere
//! - `machine`      the part of the cases that this machine plays
//! - `recorder`     writes everything to the record, and tells the watcher

mod given;
#[cfg(feature = "clap")]
mod machine;
mod options;
mod recorder;

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kilter_base::{Diagnostic, Sources};
use kilter_report::{Building, Record, json, summarize, text};
use kilter_run::source::fingerprint;
use kilter_run::{
    Cases, Earlier, Event, Header, Journal, Method, Options, Shard, Sink as _, Source, Stopped, logs,
};
use serde_json::{Map, Value as Json};

pub use self::options::{Besides, RunOptions};
use self::recorder::Recorder;
use crate::diagnostics::to_json;
use crate::error::{
    AnyError, BAD_INPUT, Context as _, FINDINGS, FINE, INTERRUPTED, NOT_RUNNABLE, RecordLost, Tried,
};
use crate::host::Host;
use crate::part::{Part, Planned};
use crate::reports::{self, PAGE};

/// Makes a source that plays some of the cases it is given, by what an earlier sitting has done.
pub(crate) type MakeSource<'r, C> = dyn FnOnce(Vec<C>, &Earlier) -> Box<dyn Source<C> + 'r> + 'r;

/// A run that has not begun.
pub(crate) struct Run<'r, M: Method> {
    /// Plays the cases.
    pub method: &'r M,
    /// All cases, also those that were played before an interruption.
    pub cases: Vec<M::Case>,
    /// The first line of the record.
    pub header: Header,
    /// Further lines with which a new record begins.
    pub first: Vec<Event>,
    /// Chooses among the cases while they are played. `None` plays all of them in their order.
    pub choose: Option<Box<MakeSource<'r, M::Case>>>,
    /// The number of cases that a job takes at once.
    pub batch: usize,
    /// The folder of the record. It is locked already.
    pub folder: PathBuf,
    /// Says what makes the verdict worth less than it seems, when all cases have ended.
    pub warnings: Box<dyn Fn() -> Vec<String> + 'r>,
    /// The beginning of the time that the user gives: before states and cases are looked for.
    pub begun: Instant,
}

/// The result of a job.
pub enum Ended {
    /// Cases were run.
    Ran(Box<Ran>),
    /// Nothing had to be run: the cases were listed, or one of them was described.
    Said {
        /// The text for people.
        text: String,
        /// The answer for scripts.
        json: Json,
        /// The exit code.
        code: u8,
    },
}

/// The result of a run.
pub struct Ran {
    /// Everything in the record.
    pub record: Record,
    /// Why not all cases were run. `None` if all were.
    pub stopped: Option<Stopped>,
    /// The time until the first finding.
    pub first_finding: Option<Duration>,
    /// The folder with the record and the report.
    pub folder: PathBuf,
    /// The fields of the JSON answer that only this method has.
    pub more: Map<String, Json>,
    /// Whether the record and the report could be written.
    written: Result<(), RecordLost>,
}

impl<M: Method> Run<'_, M> {
    /// Runs the cases, and writes the record and the report.
    pub(crate) fn run(mut self, options: &RunOptions, host: &mut Host) -> Tried<Ran> {
        match std::mem::take(&mut host.part) {
            Part::Whole => {}
            Part::Plan(_) => return Ok(self.plan(host)),
            Part::Given(giver) => return given::run(self, giver, options, host),
        }
        if let Some(shard) = options.shard.filter(|_| self.cases.is_empty()) {
            host.watch.say(&format!("note: shard {shard} has no case; there are fewer cases than shards\n"));
        }
        self.header.chosen = fingerprint(self.cases.iter().map(|case| self.method.id(case)));
        self.header.shard = options.shard.filter(|shard| *shard != Shard::WHOLE);
        let (mut journal, earlier, building) = if options.resume {
            let (mut journal, earlier) = Journal::resume(&self.folder, &self.header)?;
            let mut building = reports::load_on(&self.folder)?;
            for event in self.first {
                if building.has_other_source(&event) {
                    journal.event(&event);
                    building.add(event);
                }
            }
            (journal, earlier, building)
        } else {
            logs::clear(&self.folder).with_context(|| {
                format!("the logs of an earlier run in {} cannot be removed", self.folder.display())
            })?;
            let journal = Journal::create(&self.folder, &self.header, &self.first)?;
            let mut building = Building::new(self.header);
            self.first.into_iter().for_each(|event| building.add(event));
            (journal, Earlier::default(), building)
        };
        let mut source: Box<dyn Source<M::Case> + '_> = match self.choose {
            Some(choose) => choose(self.cases, &earlier),
            None => {
                let is_left = |case: &M::Case| !earlier.done.contains(self.method.id(case));
                let further = earlier.further.iter().filter_map(|further| self.method.again(further));
                Box::new(Cases::new(self.cases.into_iter().chain(further).filter(is_left).collect()))
            }
        };
        let interrupted = host.signals.flag();
        let limits = Options {
            jobs: options.jobs.into(),
            batch: self.batch,
            findings_max: options.max_findings,
            begun: self.begun,
            time_max: options.time_max,
            plans_more: true,
            interrupted: &interrupted,
            covered: &earlier.covered,
            failed: &earlier.failed,
        };
        let _patience = host.signals.patience();
        let warnings = &*self.warnings;
        let mut recorder =
            Recorder { journal: &mut journal, building, watch: &mut *host.watch, warnings, earlier: None };
        let outcome = kilter_run::run(self.method, source.as_mut(), &limits, &mut recorder);
        let record = recorder.finish();
        let stopped =
            if interrupted.load(Ordering::Relaxed) { Some(Stopped::Interrupted) } else { outcome.stopped };
        // If something can't be written, the result is still reported first.
        let written = journal.check().map_err(AnyError::from);
        let written = written.and_then(|()| Ok(reports::write(&record, &self.folder)?)).map_err(RecordLost);
        let (first_finding, more) = (outcome.tally.first_finding, Map::new());
        Ok(Ran { record, stopped, first_finding, folder: self.folder, more, written })
    }

    /// Tells the host what would be played, and plays nothing.
    fn plan(mut self, host: &mut Host) -> Ran {
        self.header.chosen = fingerprint(self.cases.iter().map(|case| self.method.id(case)));
        let record = Building::new(self.header.clone()).finish();
        let cases = self.cases.iter().map(|case| self.method.further(case)).collect();
        let planned = Planned { header: self.header, first: self.first, cases, batch: self.batch };
        host.part = Part::Plan(Some(Box::new(planned)));
        Ran {
            record,
            stopped: None,
            first_finding: None,
            folder: self.folder,
            more: Map::new(),
            written: Ok(()),
        }
    }
}

impl Ran {
    /// Why the system could not be run, if so.
    pub fn not_runnable(&self) -> Option<String> {
        match &self.stopped {
            Some(Stopped::NotRunnable(why)) => Some(format!("the system could not be run: {why}")),
            // The system is there; what is wanted of it can't be had.
            Some(Stopped::Impossible(why)) => Some(why.clone()),
            _ => None,
        }
    }

    /// The number of cases that came to an end.
    pub fn n_cases(&self) -> u64 {
        summarize(&self.record).n_cases
    }

    /// The answer for scripts.
    pub fn json(&self) -> Json {
        let mut answer = json::json(&self.record, &summarize(&self.record));
        answer["report"] = self.folder.display().to_string().into();
        if let Some(first) = self.first_finding {
            answer["first_finding_seconds"] = first.as_secs_f64().into();
        }
        for (name, value) in &self.more {
            answer[name] = value.clone();
        }
        if let Some(why) = self.not_runnable().filter(|_| self.n_cases() == 0) {
            answer["verdict"] = "error".into();
            let error = to_json(&Diagnostic::global(why), &Sources::default());
            answer["errors"] = [error.clone()].into_iter().collect();
            answer["error"] = error;
        }
        answer
    }

    /// The answer for people.
    pub fn text(&self) -> String {
        let told = text::text(&self.record, &summarize(&self.record));
        match &self.written {
            Ok(()) => format!("{told}report: {}\n", self.folder.join(PAGE).display()),
            Err(_) => told,
        }
    }

    /// The exit code for this error.
    pub fn code(&self) -> u8 {
        match &self.stopped {
            Some(Stopped::Impossible(_)) => BAD_INPUT,
            Some(Stopped::NotRunnable(_)) => NOT_RUNNABLE,
            Some(Stopped::Interrupted) => INTERRUPTED,
            _ if !self.record.findings.is_empty() => FINDINGS,
            // Nothing was found, but also nothing was tried.
            _ if summarize(&self.record).n_not_run > 0 => NOT_RUNNABLE,
            _ => FINE,
        }
    }

    /// Returns an error if the record or the report could not be written. To be called when the result has been
    /// reported.
    pub fn written(self) -> Result<(), RecordLost> {
        self.written
    }
}

impl Ended {
    /// The result of the run. `None` if nothing had to be run.
    pub fn ran(self) -> Option<Ran> {
        match self {
            Ended::Ran(ran) => Some(*ran),
            Ended::Said { .. } => None,
        }
    }

    /// The exit code for this error.
    pub fn code(&self) -> u8 {
        match self {
            Ended::Ran(ran) => ran.code(),
            Ended::Said { code, .. } => *code,
        }
    }
}

impl From<Ran> for Ended {
    fn from(ran: Ran) -> Ended {
        Ended::Ran(Box::new(ran))
    }
}
