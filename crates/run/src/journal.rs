//! The record of a run on disk, with one line for each event. Also reads the record of an earlier run that is
//! continued.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use thiserror::Error;

use crate::files::{self, NotWritten};
use crate::record::{Counters, Event, Further, Header, Verb};
use crate::sink::Sink;

/// The name of the record in the folder of a run.
pub const RECORD: &str = "record.jsonl";

/// A record that is being written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Whether findings are written at once. Otherwise they wait for the end of their case, so that a record never has
    /// one without the other.
    tells_at_once: bool,
    /// Lines that wait to be written.
    pending: String,
    /// The length of the file up to the last complete case.
    end: u64,
    error: Option<io::Error>,
}

/// What an earlier run has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Earlier {
    /// The ids of all cases, if the record has them.
    pub planned: Option<Vec<String>>,
    /// The ids of the cases that have ended. They need not be run again.
    pub done: BTreeSet<String>,
    /// What was counted in them, by id, if anything was.
    pub counted: BTreeMap<String, Counters>,
    /// The ids of the cases that the system could not be driven along at first. They are tried again.
    pub not_run: BTreeSet<String>,
    /// What they have covered, by number.
    pub covered: Vec<u32>,
    /// The edges that failed in them, by number.
    pub failed: Vec<u64>,
    /// Cases that were planned during the run.
    pub further: Vec<Further>,
    /// The last checkpoints of cases that have not ended.
    pub checkpoints: BTreeMap<String, (Counters, Json)>,
}

/// Why a record can't be begun or continued.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The folder can't be made.
    #[error("the folder {} cannot be made", .0.display())]
    NoFolder(PathBuf, #[source] io::Error),
    /// A file can't be written.
    #[error(transparent)]
    NotWritten(#[from] NotWritten),
    /// There is no earlier record.
    #[error("there is nothing to resume: {} cannot be read", .0.display())]
    Nothing(PathBuf, #[source] io::Error),
    /// The file is not a record.
    #[error("{}: not the record of a run", .0.display())]
    NoRecord(PathBuf, #[source] serde_json::Error),
    /// The record is about something else.
    #[error("{}: the record is about another specification, system or search; run without --resume", .0.display())]
    Other(PathBuf),
    /// The mapping has changed since, or the record is about another mapping of the same specification.
    #[error(
        "{}: the record is about {config} as it was then, which may be another system; run without --resume", path.display()
    )]
    OtherSystem {
        /// The path of the record.
        path: PathBuf,
        /// The mapping that the record is about.
        config: String,
    },
    /// The record is about other cases of the same run.
    #[error(
        "{}: the record is about other cases; name the same suite, seed, sample and shard, or run without --resume", .0.display()
    )]
    OtherCases(PathBuf),
}

/// The error for events that could not be written.
#[derive(Debug, Error)]
#[error("{} cannot be written: cases that ended later are not in it, and `--resume` runs them again", path.display())]
pub struct NotRecorded {
    path: PathBuf,
    source: io::Error,
}

impl Journal {
    /// Begins a record, and replaces an older one. `first` are events with which every such run begins.
    pub fn create(folder: &Path, header: &Header, first: &[Event]) -> Result<Journal, JournalError> {
        fs::create_dir_all(folder).map_err(|error| JournalError::NoFolder(folder.to_path_buf(), error))?;
        let path = folder.join(RECORD);
        let mut text = line(header);
        text.extend(first.iter().map(line));
        let file = files::replace_and_keep(&path, &text)?;
        Ok(Journal::at_end(file, path, header, text.len() as u64))
    }

    /// Reads what an earlier run has done. Its header must fit.
    pub fn earlier(folder: &Path, header: &Header) -> Result<Earlier, JournalError> {
        Ok(read(&folder.join(RECORD), header)?.0)
    }

    /// Continues a record. Its header must fit.
    pub fn resume(folder: &Path, header: &Header) -> Result<(Journal, Earlier), JournalError> {
        let path = folder.join(RECORD);
        let (earlier, end) = read(&path, header)?;
        let opened = OpenOptions::new().write(true).open(&path);
        let mut file = opened.map_err(NotWritten::of(&path))?;
        // What comes after this point is done again.
        let end = end as u64;
        file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0))).map_err(NotWritten::of(&path))?;
        Ok((Journal::at_end(file, path, header, end), earlier))
    }

    fn at_end(file: File, path: PathBuf, header: &Header, end: u64) -> Journal {
        let tells_at_once = tells_at_once(header.verb);
        Journal { file, path, tells_at_once, pending: String::new(), end, error: None }
    }

    /// Returns an error if something could not be written.
    pub fn check(&mut self) -> Result<(), NotRecorded> {
        match self.error.take() {
            None => Ok(()),
            Some(source) => Err(NotRecorded { path: self.path.clone(), source }),
        }
    }

    fn write(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if self.error.is_some() {
            return;
        }
        match self.file.write_all(pending.as_bytes()) {
            Ok(()) => self.end += pending.len() as u64,
            Err(error) => {
                // Half a case must not stay in the record.
                let _ = self.file.set_len(self.end);
                self.error = Some(error);
            }
        }
    }
}

impl Sink for Journal {
    fn event(&mut self, event: &Event) {
        self.pending += &line(event);
        if self.tells_at_once || !matches!(event, Event::Finding(_)) {
            self.write();
        }
    }
}

/// Whether findings are written at once. In a search that is one long case, they can't wait for its end.
fn tells_at_once(verb: Verb) -> bool {
    verb == Verb::Explore
}

fn line(thing: &impl serde::Serialize) -> String {
    serde_json::to_string(thing).expect("records have string keys and no failing parts") + "\n"
}

/// Reads a record. Returns also the length up to which nothing has to be done again.
fn read(path: &Path, wanted: &Header) -> Result<(Earlier, usize), JournalError> {
    let nothing = |error| JournalError::Nothing(path.to_path_buf(), error);
    let text = fs::read_to_string(path).map_err(nothing)?;
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if !first.ends_with('\n') {
        return Err(nothing(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends in its first line")));
    }
    let header: Header =
        serde_json::from_str(first).map_err(|error| JournalError::NoRecord(path.to_path_buf(), error))?;
    if (header.verb, &header.run, &header.nodes) != (wanted.verb, &wanted.run, &wanted.nodes) {
        return Err(JournalError::Other(path.to_path_buf()));
    }
    if header.system != wanted.system {
        return Err(JournalError::OtherSystem { path: path.to_path_buf(), config: header.config });
    }
    if !header.chosen.is_empty() && !wanted.chosen.is_empty() && header.chosen != wanted.chosen {
        return Err(JournalError::OtherCases(path.to_path_buf()));
    }
    let mut earlier = Earlier::default();
    let mut at = first.len();
    let mut end = at;
    for line in lines {
        at += line.len();
        let event: Event = match serde_json::from_str(line) {
            Ok(event) if line.ends_with('\n') => event,
            // A half line is the place where the run was killed.
            _ => break,
        };
        if earlier.add(event) || tells_at_once(wanted.verb) {
            end = at;
        }
    }
    Ok((earlier, end))
}

impl Earlier {
    /// Adds an event. Returns whether everything up to it need not be done again.
    fn add(&mut self, event: Event) -> bool {
        match event {
            // The case is tried again, because the system can perhaps be driven along it now.
            Event::Case(case) if case.not_run.is_some() => {
                self.not_run.insert(case.id);
            }
            Event::Case(case) => {
                self.checkpoints.remove(&case.id);
                self.covered.extend(case.edges);
                if !case.counters.is_empty() {
                    self.counted.insert(case.id.clone(), case.counters);
                }
                self.done.insert(case.id);
            }
            Event::Checkpoint { case, counters, state } => {
                self.checkpoints.insert(case, (counters, state));
            }
            Event::Planned { cases } => self.planned = Some(cases),
            Event::More { cases } => self.further.extend(cases),
            // The time of an earlier run counts too.
            Event::Actions { .. } | Event::Source { .. } | Event::Finished { .. } | Event::Stopped { .. } => {
            }
            Event::Finding(finding) => {
                if finding.stable != Some(false) {
                    self.failed.extend(finding.edge.map(u64::from));
                }
                return false;
            }
            Event::Behind { .. }
            | Event::Warning { .. }
            | Event::Note { .. }
            | Event::Group(_)
            | Event::Shown(_) => return false,
        }
        true
    }
}
