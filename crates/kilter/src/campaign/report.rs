//! The record of a campaign: that of one run of all its cases.

use std::io::Cursor;

use kilter_campaign::post::SHORTER;
use kilter_campaign::results::Results;
use kilter_campaign::{Broker, Phase, State};
use kilter_report::{Record, read_on};
use kilter_run::{Event, when};

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
    /// How often a case was given to another worker.
    pub redelivered: u64,
}

/// Makes a record of all results so far.
pub fn report(at: &At) -> Result<Reported, Error> {
    patiently(|| {
        let link = Link::open(at)?;
        Ok(report_of(link.name(), &mut *link.broker())?)
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
    results.events().for_each(|event| building.add(event.clone()));
    for (_, text) in broker.papers(SHORTER)? {
        let finding = serde_json::from_str(&text).context("a finding of the campaign")?;
        building.add(Event::Finding(Box::new(finding)));
    }
    building.add(end_of(&state));
    let mut workers: Vec<&str> = results.iter().map(|result| result.worker.as_str()).collect();
    workers.sort_unstable();
    workers.dedup();
    let (workers, redelivered) = (workers.len() as u64, results.redelivered);
    Ok(Reported { name: name.to_owned(), record: building.finish(), workers, redelivered })
}

/// What a record of one run would say at its end.
fn end_of(state: &State) -> Event {
    let took_s = state.took_s.unwrap_or_else(|| when::now().saturating_sub(state.started_s));
    #[expect(clippy::cast_precision_loss, reason = "no campaign takes so many seconds")]
    let seconds = took_s as f64;
    match &state.phase {
        Phase::Finished => Event::Finished { seconds },
        Phase::Stopped { why } => Event::Stopped { why: why.clone(), seconds, is_error: false },
        phase => {
            Event::Stopped { why: format!("the campaign is {}", phase.words()), seconds, is_error: false }
        }
    }
}
