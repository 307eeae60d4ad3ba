//! The record of a campaign: that of one run of all its cases.

use std::collections::BTreeMap;
use std::io::Cursor;

use kilter_campaign::post::{Left, SHORTER, Status, WORKER};
use kilter_campaign::results::Results;
use kilter_campaign::{Broker, Phase, State};
use kilter_report::{Record, read_on};
use kilter_run::{Event, Finding};

use super::link::{At, Link, patiently};
use super::{content_of, manifest_of, state_of};
use crate::error::{Context as _, Error, Tried};

/// The record of a campaign.
pub struct Reported {
    /// The name of the campaign.
    pub name: String,
    /// All results so far, in the order of the cases.
    pub record: Record,
    /// The number of workers that have results in it.
    pub workers: u64,
    /// The cases that each of them has played.
    pub played_by: BTreeMap<String, Vec<String>>,
    /// How often a case was given to another worker.
    pub redelivered: u64,
}

/// Makes a record of all results so far.
pub fn report(at: &At) -> Result<Reported, Error> {
    patiently(|| {
        let link = Link::open(at)?;
        Ok(report_of(link.name(), &mut *link.hasty_broker())?)
    })
}

fn report_of(name: &str, broker: &mut dyn Broker) -> Tried<Reported> {
    let manifest = manifest_of(broker)?;
    let (state, _) = state_of(broker)?;
    let begin = content_of(broker, &manifest.record)?;
    let mut building = read_on(Cursor::new(begin)).context("the record of the campaign")?;
    let mut results = Results::default();
    results.read(broker)?;
    for round in &state.rounds {
        let text = content_of(broker, round)?;
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            building.add(serde_json::from_slice(line).context("what was planned during the campaign")?);
        }
    }
    let mut played_by: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for result in results.iter() {
        played_by.entry(result.worker.clone()).or_default().push(result.case.clone());
        result.events.iter().for_each(|event| building.add(of_worker(event.clone(), &result.worker)));
    }
    for (_, text) in broker.papers(SHORTER)? {
        let finding: Finding = serde_json::from_str(&text).context("a finding of the campaign")?;
        building.add(Event::Finding(Box::new(finding)));
    }
    for (name, text) in broker.papers(WORKER)? {
        let status: Status = serde_json::from_str(&text).context("what a worker says of itself")?;
        if let Some(Left { why, is_error: true }) = status.left {
            building.add(Event::Note { case: None, text: format!("worker {name} has failed: {why}") });
        }
    }
    building.add(end_of(&state, results.seconds()));
    let workers = played_by.len() as u64;
    let record = building.finish();
    Ok(Reported { name: name.to_owned(), record, workers, played_by, redelivered: results.redelivered })
}

/// The event with the name of the worker who has seen it, if it is a finding. The logs stay there.
fn of_worker(mut event: Event, worker: &str) -> Event {
    if let Event::Finding(finding) = &mut event {
        finding.more.insert(WORKER.to_owned(), worker.into());
    }
    event
}

/// What a record of one run would say at its end.
fn end_of(state: &State, seconds: f64) -> Event {
    match &state.phase {
        Phase::Finished => Event::Finished { seconds },
        Phase::Stopped { why } => Event::Stopped { why: why.clone(), seconds, is_error: false },
        phase => {
            Event::Stopped { why: format!("the campaign is {}", phase.words()), seconds, is_error: false }
        }
    }
}
