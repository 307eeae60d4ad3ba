//! How far a campaign is.

use std::fmt::Write as _;

use kilter_campaign::post::{Left, Status, WORKER};
use kilter_campaign::results::Results;
use kilter_campaign::{Broker, Phase, State};
use kilter_report::style::{count, plural, printable};
use kilter_run::{Event, when};
use serde_json::{Value as Json, json};

use super::link::{At, Link, patiently};
use super::{manifest_of, state_of};
use crate::error::{Error, Tried};

/// A worker that has said nothing for so long is told as silent. It counts as lost only if its cases have been given to others.
const SILENT_S: u64 = 10;

/// Watches a campaign.
pub struct Watching {
    name: String,
    broker: Box<dyn Broker>,
    results: Results,
    lost_after_s: u64,
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
    /// The cases that are with workers, by the broker. What was given back is among them until somebody takes it again.
    taken: u64,
    seconds: f64,
    workers: Vec<(String, Status)>,
    lost_after_s: u64,
}

/// What a worker does.
enum Does {
    Plays,
    /// It has said nothing for so many seconds.
    Silent(u64),
    /// The same, for so long that its cases were given to others.
    Lost(u64),
    Left(Left),
}

impl Watching {
    /// Begins to watch.
    pub fn begin(at: &At) -> Result<Watching, Error> {
        let (link, manifest) = patiently(|| {
            let link = Link::open(at)?;
            let manifest = manifest_of(&mut *link.hasty_broker())?;
            Ok((link, manifest))
        })?;
        let (name, broker) = (link.name().to_owned(), link.hasty_broker());
        let lost_after_s = manifest.lost_after().as_secs();
        Ok(Watching { name, broker, results: Results::default(), lost_after_s })
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
            seconds: self.results.seconds(),
            workers: workers.collect(),
            lost_after_s: self.lost_after_s,
            state,
        })
    }
}

impl Watched {
    /// Whether nothing more will happen by itself.
    pub fn is_over(&self) -> bool {
        matches!(self.state.phase, Phase::Finished | Phase::Stopped { .. })
    }

    fn does(&self, status: &Status) -> Does {
        if let Some(left) = &status.left {
            return Does::Left(left.clone());
        }
        match self.now_s.saturating_sub(status.at_s) {
            silent_s if silent_s > SILENT_S.max(self.lost_after_s) => Does::Lost(silent_s),
            silent_s if silent_s > SILENT_S => Does::Silent(silent_s),
            _ => Does::Plays,
        }
    }

    /// The cases that workers hold who are there.
    fn being_played(&self) -> u64 {
        let is_there = |status: &&Status| matches!(self.does(status), Does::Plays | Does::Silent(_));
        let held = self.workers.iter().map(|(_, status)| status).filter(is_there);
        // Who says it now and then may have given some back since.
        held.map(|status| status.held).sum::<u64>().min(self.taken)
    }

    /// The cases that ended in a second, since the first began.
    fn rate(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "people look at three digits")]
        let ended = self.ended as f64;
        if self.seconds > 0.0 { ended / self.seconds } else { 0.0 }
    }

    /// One line that says how far it is.
    pub fn line(&self) -> String {
        let mut parts = vec![
            format!("campaign {}: {}", self.name, self.state.phase.words()),
            format!("{} of {}", count(self.ended), plural(self.state.cases, "case")),
            format!("{:.1}/s", self.rate()),
            plural(self.findings, "finding"),
        ];
        let being_played = self.being_played();
        for (n, what) in
            [(self.not_run, "not run"), (being_played, "being played"), (self.redelivered, "given again")]
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
            let does = match self.does(status) {
                Does::Plays => String::new(),
                Does::Silent(silent_s) => format!("  silent for {silent_s} s"),
                Does::Lost(silent_s) => format!("  lost: it has said nothing for {silent_s} s"),
                Does::Left(Left { why, is_error: true }) => format!("  failed: {}", printable(&why)),
                Does::Left(Left { why, .. }) => format!("  ended: {}", printable(&why)),
            };
            let jobs = plural(status.jobs as u64, "job");
            let _ = writeln!(text, "  {name}  {}  {jobs}{does}", plural(status.played, "case"));
        }
        text
    }

    /// The same for scripts.
    pub fn json(&self) -> Json {
        let worker = |(name, status): &(String, Status)| {
            let (state, why) = match self.does(status) {
                Does::Plays => ("playing", None),
                Does::Silent(_) => ("silent", None),
                Does::Lost(_) => ("lost", None),
                Does::Left(Left { why, is_error }) => (if is_error { "failed" } else { "ended" }, Some(why)),
            };
            let silent_s = self.now_s.saturating_sub(status.at_s);
            json!({ "worker": name, "jobs": status.jobs, "cases": status.played, "silent_seconds": silent_s, "state": state, "why": why })
        };
        json!({
            "campaign": self.name, "state": self.state.phase.words(), "planned": self.state.cases, "cases": self.ended,
            "findings": self.findings, "not_run": self.not_run, "being_played": self.being_played(), "redelivered": self.redelivered,
            "cases_per_second": self.rate(), "workers": self.workers.iter().map(worker).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_who_are_there_play() {
        let status = |held, at_s, left| Status { jobs: 1, played: 3, held, at_s, left };
        let left = Left { why: "interrupted".to_owned(), is_error: false };
        let workers = [
            // It has ended, and what it said before says nothing any more.
            ("ended", status(2, 995, Some(left))),
            ("lost", status(2, 900, None)),
            ("silent", status(2, 980, None)),
            ("plays", status(1, 999, None)),
        ];
        let workers = workers.map(|(name, status)| (name.to_owned(), status)).to_vec();
        let phase = Phase::Running;
        let mut seen = Watched {
            name: "nightly".to_owned(),
            state: State { phase, cases: 30, rounds: Vec::new(), started_s: 900 },
            now_s: 1000,
            ended: 9,
            findings: 0,
            not_run: 0,
            redelivered: 0,
            taken: 7,
            seconds: 10.0,
            workers,
            lost_after_s: 30,
        };
        assert!(seen.line().ends_with("  3 being played"), "{}", seen.line());
        assert_eq!(seen.json()["being_played"], 3);
        seen.workers.truncate(2);
        assert!(!seen.line().contains("being played"), "{}", seen.line());
        assert_eq!(seen.json()["being_played"], 0);
    }
}
