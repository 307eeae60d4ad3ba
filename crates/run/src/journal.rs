//! The record of a run on disk: one line for each event, written as it happens; and what an earlier sitting has done.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use thiserror::Error;

use crate::files::{self, NotWritten};
use crate::record::{Counters, Event, Header, Verb};
use crate::sink::Sink;

/// A record's name in the folder of a run.
pub const RECORD: &str = "record.jsonl";

/// A record that is being written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Whether findings are written at once; otherwise they wait for the end of their case, so that a record never has the one
    /// without the other.
    tells_at_once: bool,
    /// What waits.
    pending: String,
    /// Where the last whole case ends.
    end: u64,
    error: Option<io::Error>,
}

/// What an earlier sitting has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Earlier {
    /// The ids of all cases, if the record has them.
    pub planned: Option<Vec<String>>,
    /// The cases that have ended, and need not be run again.
    pub done: BTreeSet<String>,
    /// Where cases are that have not ended.
    pub checkpoints: BTreeMap<String, (Counters, Json)>,
}

/// Why there is no record to write to.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The folder can't be made.
    #[error("the folder {} cannot be made", .0.display())]
    NoFolder(PathBuf, #[source] io::Error),
    /// It can't be written.
    #[error(transparent)]
    NotWritten(#[from] NotWritten),
    /// There is no earlier record.
    #[error("there is nothing to resume: {} cannot be read", .0.display())]
    Nothing(PathBuf, #[source] io::Error),
    /// The file is something else.
    #[error("{}: not the record of a run", .0.display())]
    NoRecord(PathBuf, #[source] serde_json::Error),
    /// It is about something else.
    #[error("{}: the record is about another specification, system or search; run without --resume", .0.display())]
    Other(PathBuf),
    /// The mapping says something else by now, or it is another mapping of the same specification.
    #[error(
        "{}: the record is about {config} as it was then, which may be another system; run without --resume", path.display()
    )]
    OtherSystem {
        /// The record.
        path: PathBuf,
        /// The mapping that it is about.
        config: String,
    },
    /// It is about other cases of the same run.
    #[error(
        "{}: the record is about other cases; name the same suite, seed, sample and shard, or run without --resume", .0.display()
    )]
    OtherCases(PathBuf),
}

/// Events could not be written.
#[derive(Debug, Error)]
#[error("{} cannot be written: cases that ended later are not in it, and `--resume` runs them again", path.display())]
pub struct NotRecorded {
    path: PathBuf,
    source: io::Error,
}

impl Journal {
    /// Begins a record, in place of an older one. `first` are events that every such run begins with.
    pub fn create(folder: &Path, header: &Header, first: &[Event]) -> Result<Journal, JournalError> {
        fs::create_dir_all(folder).map_err(|error| JournalError::NoFolder(folder.to_path_buf(), error))?;
        let path = folder.join(RECORD);
        let mut text = line(header);
        text.extend(first.iter().map(line));
        let file = files::replace_and_keep(&path, &text)?;
        Ok(Journal::at_end(file, path, header, text.len() as u64))
    }

    /// What an earlier sitting has done, whose record must be about the same.
    pub fn earlier(folder: &Path, header: &Header) -> Result<Earlier, JournalError> {
        Ok(read(&folder.join(RECORD), header)?.0)
    }

    /// Goes on with a record, which must be about the same.
    pub fn resume(folder: &Path, header: &Header) -> Result<(Journal, Earlier), JournalError> {
        let path = folder.join(RECORD);
        let (earlier, end) = read(&path, header)?;
        let opened = OpenOptions::new().write(true).open(&path);
        let mut file = opened.map_err(NotWritten::of(&path))?;
        // What stands after that is done again.
        let end = end as u64;
        file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0))).map_err(NotWritten::of(&path))?;
        Ok((Journal::at_end(file, path, header, end), earlier))
    }

    fn at_end(file: File, path: PathBuf, header: &Header, end: u64) -> Journal {
        let tells_at_once = tells_at_once(header.verb);
        Journal { file, path, tells_at_once, pending: String::new(), end, error: None }
    }

    /// An error, if something could not be written.
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
                // Half a case is none.
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

/// In a search that is one long case, findings can't wait for its end.
fn tells_at_once(verb: Verb) -> bool {
    verb == Verb::Explore
}

fn line(thing: &impl serde::Serialize) -> String {
    serde_json::to_string(thing).expect("records have string keys and no failing parts") + "\n"
}

/// What a record says, and where that ends which need not be done again.
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
            // Half a line is where the run was killed.
            _ => break,
        };
        if earlier.add(event) || tells_at_once(wanted.verb) {
            end = at;
        }
    }
    Ok((earlier, end))
}

impl Earlier {
    /// Adds an event; whether all before it need not be done again.
    fn add(&mut self, event: Event) -> bool {
        match event {
            // Perhaps the system can be driven along it now.
            Event::Case(case) if case.not_run.is_some() => {}
            Event::Case(case) => {
                self.checkpoints.remove(&case.id);
                self.done.insert(case.id);
            }
            Event::Checkpoint { case, counters, state } => {
                self.checkpoints.insert(case, (counters, state));
            }
            Event::Planned { cases } => self.planned = Some(cases),
            // How long an earlier sitting took counts, too.
            Event::Actions { .. } | Event::Finished { .. } | Event::Stopped { .. } => {}
            Event::Finding(_) | Event::Note { .. } | Event::Group(_) => return false,
        }
        true
    }
}
