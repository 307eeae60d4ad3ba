//! Reads lines into a [`Record`], even if the run was killed in the middle of one.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};

use kilter_base::diagnostic::in_one_line;
use kilter_run::{Case, Counters, Event, FORMAT, Finding, Further, Header, Shown, VERSION, Verb};
use serde::Deserialize;
use serde_json::error::Category;
use thiserror::Error;

/// The record of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The header, which says what the run is about.
    pub header: Header,
    /// The fingerprints of the code that was tested: several if the code was changed in the middle of the run, an empty one if it is not
    /// known for some cases.
    pub sources: BTreeSet<String>,
    /// The action of each edge, if the record has it.
    pub actions: Option<EdgeActions>,
    /// The cases that have ended, in the order in which they first ended.
    pub cases: Vec<Case>,
    /// The findings, in the order of the cases.
    pub findings: Vec<Finding>,
    /// The groups of findings, if the run came to its end.
    pub groups: Vec<kilter_run::Group>,
    /// What logs have shown of their specification.
    pub shown: Vec<Shown>,
    /// The ids of all cases, if the record has them.
    pub planned: Option<Vec<String>>,
    /// The cases that were planned during the run.
    pub further: Vec<Further>,
    /// The edges that can be reached only through edges that failed, if the run came to its end.
    pub behind: Vec<u32>,
    /// The counters of cases that have not ended.
    pub under_way: Counters,
    /// What makes the verdict worth less than it seems.
    pub warnings: Vec<String>,
    /// The notes, each with the id of the case that it is about.
    pub notes: Vec<(Option<String>, String)>,
    /// How long the run took, summed over all parts of it that ended properly. `None` if none did.
    pub seconds: Option<f64>,
    /// Whether all cases have ended.
    pub is_finished: bool,
    /// Why not all cases were run, if the record says so.
    pub stopped: Option<String>,
    /// Whether that is an error: the system could not be run, or not as the user wants.
    pub is_error: bool,
    /// What is missing of a run whose parts were merged, each in words.
    pub missing: Vec<String>,
    /// Whether the last line is incomplete, because the run was killed while it wrote it.
    pub is_cut: bool,
}

/// The action of each edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeActions {
    /// The names of the actions.
    pub names: Vec<String>,
    /// For each edge, the index of its action in `names`.
    pub of_edges: Vec<u32>,
}

/// Why a record can't be read.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file could not be read to its end.
    #[error("the record cannot be read: {0}")]
    Io(#[from] io::Error),
    /// There is not even a complete header.
    #[error("the record is empty: the run ended before it began; run it again")]
    Empty,
    /// The first line is not a header.
    #[error("this is no record of a run: its first line is no header of the format `{FORMAT}` ({0})")]
    NoHeader(String),
    /// A newer Kilter has written it.
    #[error(
        "the record has version {0} of its format, and this Kilter reads versions up to {VERSION}; use a newer one"
    )]
    Newer(u32),
    /// A line in the middle is not valid.
    #[error("line {line} of the record is broken: {reason}")]
    Broken {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Reads a record. Only its last line may be invalid, and only if it has no line end.
pub fn read(from: impl BufRead) -> Result<Record, RecordError> {
    read_on(from).map(Building::finish)
}

/// Reads a record to which more events can be added.
pub fn read_on(mut from: impl BufRead) -> Result<Building, RecordError> {
    let mut building = Building::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let is_whole = line.last() == Some(&b'\n');
        let text = line.trim_ascii();
        if number == 1 {
            building.record.header = header(text, is_whole)?;
        } else if !text.is_empty() {
            match serde_json::from_slice(text) {
                Ok(event) => building.add(event),
                Err(_) if !is_whole => building.record.is_cut = true,
                Err(error) => {
                    let reason = in_one_line(&error.to_string());
                    return Err(RecordError::Broken { line: number, reason });
                }
            }
        }
    }
    if building.record.header.format.is_empty() {
        return Err(RecordError::Empty);
    }
    Ok(building)
}

/// The fields that every version of the header has.
#[derive(Deserialize)]
struct AnyHeader {
    format: String,
    version: u32,
}

/// Reads the first line. If it is not whole, the run may have been killed while it wrote it.
fn header(line: &[u8], is_whole: bool) -> Result<Header, RecordError> {
    let no_header = |reason: String| RecordError::NoHeader(reason);
    if line.is_empty() {
        return Err(no_header("it is blank".to_owned()));
    }
    let unreadable = |error: serde_json::Error| match error.classify() {
        Category::Eof if !is_whole => RecordError::Empty,
        Category::Data => no_header(in_one_line(&error.to_string())),
        _ => no_header("it is no JSON".to_owned()),
    };
    let AnyHeader { format, version } = serde_json::from_slice(line).map_err(unreadable)?;
    if format != FORMAT {
        return Err(no_header(format!("it says `{format}`")));
    }
    if version > VERSION {
        return Err(RecordError::Newer(version));
    }
    serde_json::from_slice(line).map_err(unreadable)
}

/// A record that grows, event by event. If a continued run has run a case again, the last result counts.
#[derive(Clone, Debug, Default)]
pub struct Building {
    record: Record,
    /// The index of each case in the record.
    places: BTreeMap<String, usize>,
    /// The findings of each case since it last ended.
    findings: BTreeMap<String, Vec<Finding>>,
    /// The ids of cases, in the order in which they were first mentioned.
    order: Vec<String>,
    /// The counters of cases that have not ended.
    under_way: BTreeMap<String, Counters>,
    /// Whether a part of the run has ended, and no other has begun.
    has_ended: bool,
}

impl Building {
    /// Makes a record without events.
    pub fn new(header: Header) -> Building {
        Building { record: Record { header, ..Record::default() }, ..Building::default() }
    }

    /// Whether the event says that other code is tested than in the cases so far.
    pub fn has_other_source(&self, event: &Event) -> bool {
        matches!(event, Event::Source { fingerprint } if !self.record.sources.contains(fingerprint))
    }

    /// Adds an event.
    pub fn add(&mut self, event: Event) {
        let record = &mut self.record;
        if matches!(event, Event::Finished { .. } | Event::Stopped { .. }) {
            self.has_ended = true;
        } else {
            record.is_finished = false;
            if std::mem::take(&mut self.has_ended) {
                // This was true at the end of an earlier part of the run.
                record.notes.retain(|(case, _)| case.is_some());
                record.warnings.clear();
            }
        }
        match event {
            Event::Actions { names, of_edges } => record.actions = Some(EdgeActions { names, of_edges }),
            Event::Source { fingerprint } => {
                // Nothing says which code the cases before had.
                if record.sources.is_empty() && !record.cases.is_empty() {
                    record.sources.insert(String::new());
                }
                record.sources.insert(fingerprint);
            }
            Event::Case(case) => {
                self.under_way.remove(&case.id);
                self.add_case(*case);
            }
            Event::Checkpoint { case, counters, .. } => {
                self.under_way.insert(case, counters);
            }
            Event::Planned { cases } => record.planned = Some(cases),
            Event::More { cases } => record.further.extend(cases),
            Event::Behind { edges } => record.behind = edges,
            Event::Finding(finding) => self.add_finding(*finding),
            Event::Shown(shown) => {
                record.shown.retain(|known| known.case != shown.case);
                record.shown.push(*shown);
            }
            Event::Group(group) => {
                // A continued run reports a group again, and knows more then.
                record.groups.retain(|known| known.group != group.group);
                record.groups.push(*group);
            }
            // Some are said for each batch of cases.
            Event::Warning { text } if record.warnings.contains(&text) => {}
            Event::Warning { text } => record.warnings.push(text),
            Event::Note { case, text } => record.notes.push((case, text)),
            Event::Finished { seconds } => {
                *record.seconds.get_or_insert(0.0) += seconds;
                (record.is_finished, record.stopped, record.is_error) = (true, None, false);
            }
            Event::Stopped { why, seconds, is_error } => {
                *record.seconds.get_or_insert(0.0) += seconds;
                (record.is_finished, record.stopped, record.is_error) = (false, Some(why), is_error);
            }
        }
    }

    fn add_case(&mut self, mut case: Case) {
        if case.passed {
            self.findings.remove(&case.id);
        }
        match self.places.get(&case.id) {
            Some(place) => {
                // An edge that was confirmed once stays confirmed.
                let before = &mut self.record.cases[*place];
                case.edges.append(&mut before.edges);
                *before = case;
            }
            None => {
                self.places.insert(case.id.clone(), self.record.cases.len());
                self.record.cases.push(case);
            }
        }
    }

    fn add_finding(&mut self, finding: Finding) {
        if let Some(longer) = finding.stands_for.as_ref().and_then(|case| self.findings.get_mut(case)) {
            longer.retain(|other| other.group != finding.group);
        }
        let known = self.findings.entry(finding.case.clone()).or_insert_with(|| {
            self.order.push(finding.case.clone());
            Vec::new()
        });
        let same = |other: &&mut Finding| {
            (other.kind, other.step, &other.action, &other.variables)
                == (finding.kind, finding.step, &finding.action, &finding.variables)
        };
        match known.iter_mut().find(same) {
            Some(place) => *place = finding,
            None => known.push(finding),
        }
    }

    /// Finishes the record.
    pub fn finish(mut self) -> Record {
        for counters in self.under_way.values() {
            self.record.under_way.join(counters);
        }
        for case in self.order {
            self.record.findings.extend(self.findings.remove(&case).unwrap_or_default());
        }
        if self.record.header.verb == Verb::Explore {
            // Sequences have no order of their own, and the shortest tells the most.
            self.record.findings.sort_by_key(Finding::length);
        }
        self.record
    }
}
