//! How far a campaign is.

use std::fmt::Write as _;

use kilter_campaign::post::{Status, WORKER};
use kilter_campaign::results::Results;
use kilter_campaign::{Broker, Phase, State};
use kilter_report::style::{count, plural};
use kilter_run::{Event, when};
use serde_json::{Value as Json, json};

use super::link::{At, Link, patiently};
use super::state_of;
use crate::error::{Error, Tried};

/// A worker that has said nothing for so long is told as silent.
const SILENT_S: u64 = 10;

/// Watches a campaign.
pub struct Watching {
    name: String,
    broker: Box<dyn Broker>,
    results: Results,
}

/// How far a campaign was at some moment.
pub struct Watched {
    name: String,
    state: State,
    now_s: u64,
    ended: u64,
    findings: u64,
    not_run: u64,
    redelivered: u64,
    taken: u64,
    workers: Vec<(String, Status)>,
}

impl Watching {
    /// Begins to watch.
    pub fn begin(at: &At) -> Result<Watching, Error> {
        let link = patiently(|| Link::open(at))?;
        Ok(Watching { name: link.name().to_owned(), broker: link.broker(), results: Results::default() })
    }

    /// Looks how far it is now.
    pub fn look(&mut self) -> Result<Watched, Error> {
        patiently(|| Ok(self.look_here()?))
    }

    fn look_here(&mut self) -> Tried<Watched> {
        let broker = &mut *self.broker;
        let (state, _) = state_of(broker)?;
        self.results.read(broker)?;
        let workers = broker.papers(WORKER)?;
        let workers =
            workers.into_iter().filter_map(|(name, text)| Some((name, serde_json::from_str(&text).ok()?)));
        let is_finding = |event: &&Event| matches!(event, Event::Finding(_));
        let is_not_run = |event: &&Event| matches!(event, Event::Case(case) if case.not_run.is_some());
        Ok(Watched {
            name: self.name.clone(),
            now_s: when::now(),
            ended: self.results.len(),
            findings: self.results.events().filter(is_finding).count() as u64,
            not_run: self.results.events().filter(is_not_run).count() as u64,
            redelivered: self.results.redelivered,
            taken: broker.queued()?.taken,
            workers: workers.collect(),
            state,
        })
    }
}

impl Watched {
    /// Whether nothing more will happen by itself.
    pub fn is_over(&self) -> bool {
        matches!(self.state.phase, Phase::Finished | Phase::Stopped { .. })
    }

    fn silent_s(&self, status: &Status) -> u64 {
        self.now_s.saturating_sub(status.at_s)
    }

    /// The cases that ended in a second, since the start.
    fn rate(&self) -> f64 {
        let seconds = self.state.took_s.unwrap_or_else(|| self.now_s.saturating_sub(self.state.started_s));
        #[expect(clippy::cast_precision_loss, reason = "people look at three digits")]
        let rate = self.ended as f64 / seconds.max(1) as f64;
        rate
    }

    /// One line that says how far it is.
    pub fn line(&self) -> String {
        let mut parts = vec![
            format!("campaign {}: {}", self.name, self.state.phase.words()),
            format!("{} of {}", count(self.ended), plural(self.state.cases, "case")),
            format!("{:.1}/s", self.rate()),
            plural(self.findings, "finding"),
        ];
        for (n, what) in
            [(self.not_run, "not run"), (self.taken, "being played"), (self.redelivered, "given again")]
        {
            if n > 0 {
                parts.push(format!("{} {what}", count(n)));
            }
        }
        parts.join("  ")
    }

    /// The line, and one for each worker.
    pub fn text(&self) -> String {
        let mut text = self.line() + "\n";
        for (name, status) in &self.workers {
            let silent_s = self.silent_s(status);
            let seen = if silent_s > SILENT_S && !self.is_over() {
                format!("  silent for {silent_s} s")
            } else {
                String::new()
            };
            let jobs = plural(status.jobs as u64, "job");
            let _ = writeln!(text, "  {name}  {}  {jobs}{seen}", plural(status.played, "case"));
        }
        text
    }

    /// The same for scripts.
    pub fn json(&self) -> Json {
        let worker = |(name, status): &(String, Status)| json!({ "worker": name, "jobs": status.jobs, "cases": status.played, "silent_seconds": self.silent_s(status) });
        json!({
            "campaign": self.name, "state": self.state.phase.words(), "planned": self.state.cases, "cases": self.ended,
            "findings": self.findings, "not_run": self.not_run, "being_played": self.taken, "redelivered": self.redelivered,
            "cases_per_second": self.rate(), "workers": self.workers.iter().map(worker).collect::<Vec<_>>(),
        })
    }
}
