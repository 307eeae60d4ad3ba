//! The record of a run on disk: one line for each event, written as it happens.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use kilter::read;
use kilter_conform::{Case, Plan};
use kilter_graph::{StateGraph, fingerprint};
use kilter_wire::{Event, FORMAT, Finding, Header, VERSION};

use crate::commands::report::RECORD;
use crate::files;

/// A record that is being written.
pub struct Record {
    file: File,
    path: PathBuf,
    /// What waits for the end of its case.
    pending: String,
    /// Where the last whole case ends.
    end: u64,
    error: Option<io::Error>,
}

/// What an earlier sitting has done.
#[derive(Default)]
pub struct Earlier {
    /// The cases that have ended.
    pub done: BTreeSet<String>,
    /// How many of them passed.
    pub passed: u64,
    /// How many steps they took.
    pub steps: u64,
    /// What they found.
    pub findings: Vec<Finding>,
}

/// The first line of a record.
pub fn header(plan: &Plan<'_>, config: &Path, cases: &[Case]) -> Header {
    let graph: &StateGraph = plan.graph;
    let mut header = Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        config: config.display().to_string(),
        spec: graph.origin().to_owned(),
        graph: format!("{:016x}", fingerprint(graph)),
        states: graph.n_states() as u64,
        nodes: plan.mapping.system.nodes.clone(),
        cases: cases.len() as u64,
        started_s: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        ..Header::default()
    };
    for action in graph.actions() {
        header.edges.entry(action.name.clone()).or_default();
    }
    for edge in graph.edges() {
        *header.edges.entry(graph.action_of(edge).name.clone()).or_default() += 1;
    }
    header
}

impl Record {
    /// Begins a record, in place of an older one.
    pub fn create(folder: &Path, header: &Header, plan: &Plan<'_>) -> anyhow::Result<Record> {
        fs::create_dir_all(folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        let path = folder.join(RECORD);
        let text =
            format!("{}\n{}\n", serde_json::to_string(header)?, serde_json::to_string(&actions(plan.graph))?);
        let file = files::replace_and_keep(&path, &text)?;
        Ok(Record { file, path, pending: String::new(), end: text.len() as u64, error: None })
    }

    /// Goes on with a record; what stands in it must be about the same graph.
    pub fn resume(folder: &Path, header: &Header) -> anyhow::Result<(Record, Earlier)> {
        let path = folder.join(RECORD);
        let text = read::whole_utf8(&path)
            .with_context(|| format!("there is nothing to resume: {} cannot be read", path.display()))?;
        let (earlier, end) = read(&text, header).with_context(|| path.display().to_string())?;
        let file = OpenOptions::new().write(true).open(&path);
        let mut file = file.with_context(|| files::refusal(&path))?;
        // What stands after the last whole case is done again.
        let end = end as u64;
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .with_context(|| files::refusal(&path))?;
        Ok((Record { file, path, pending: String::new(), end, error: None }, earlier))
    }

    /// Writes an event. Findings wait for the end of their case, so that a record never has the one without the other.
    pub fn event(&mut self, event: &Event) {
        self.add(event);
        if !matches!(event, Event::Finding(_)) {
            self.write();
        }
    }

    /// An error, if something could not be written.
    pub fn check(&mut self) -> anyhow::Result<()> {
        match self.error.take() {
            None => Ok(()),
            Some(error) => Err(error).with_context(|| {
                let path = self.path.display();
                format!("{path} cannot be written: cases that ended later are not in it, and `--resume` runs them again")
            }),
        }
    }

    fn add(&mut self, event: &Event) {
        let line = serde_json::to_string(event).expect("events have string keys and no failing parts");
        self.pending += &line;
        self.pending.push('\n');
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

/// Which action each edge carries.
fn actions(graph: &StateGraph) -> Event {
    let mut names: Vec<String> = graph.actions().iter().map(|action| action.name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    let place = |edge| names.binary_search(&graph.action_of(edge).name).unwrap_or(0) as u32;
    Event::Actions { of_edges: graph.edges().map(place).collect(), names }
}

/// What a record says, and where its last whole case ends.
fn read(text: &str, wanted: &Header) -> anyhow::Result<(Earlier, usize)> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    let header: Header = serde_json::from_str(first).context("not the record of a run")?;
    if header.graph != wanted.graph || header.nodes != wanted.nodes {
        bail!("the record is about another specification or system; run without --resume");
    }
    let mut earlier = Earlier::default();
    let mut findings = Vec::new();
    let mut at = first.len();
    let mut end = at;
    for line in lines {
        at += line.len();
        let event: Event = match serde_json::from_str(line) {
            Ok(event) if line.ends_with('\n') => event,
            // Half a line is where the run was killed.
            _ => break,
        };
        match event {
            Event::Finding(finding) => findings.push(*finding),
            Event::Case { id, passed, steps, .. } => {
                earlier.done.insert(id);
                earlier.passed += u64::from(passed);
                earlier.steps += u64::from(steps);
                earlier.findings.append(&mut findings);
                end = at;
            }
            Event::Actions { .. } => end = at,
            Event::Note { .. } | Event::Group(_) | Event::Finished { .. } => {}
        }
    }
    Ok((earlier, end))
}
