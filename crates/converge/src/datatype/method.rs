//! Data types as a method of the runner. A case is a schedule. One that shows something is played again, and shortened.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kilter_run::{
    Control, Counters, Detail, Ending, FORMAT, Finding, Found, Header, Method, Played, Player, Stop, VERSION,
    Verb, when,
};
use serde_json::{Map, Value as Json, json};

use super::judge::Flaw;
use super::play::{self, Playable};
use crate::method::ShrinkBy;
use crate::shrink::Smaller;
use crate::step::{Replica, Step};

/// The most cases that a job takes at once. A schedule takes less than a millisecond.
const BATCH: usize = 256;
/// The most schedules that are tried to make one shorter.
const CANDIDATES_MAX: usize = 5000;
/// The most findings of one group that are played again.
const LOOKED_AT_AGAIN_MAX: usize = 10;

/// A schedule to run. A million of them are in memory at once, so they share their steps.
#[derive(Clone, Debug)]
pub struct DataCase {
    /// Its id: the number of the schedule.
    pub id: String,
    /// Its number among all schedules of the model.
    pub number: u64,
    /// The steps of the schedule.
    pub schedule: Vec<Arc<Step>>,
}

/// The number of cases that a job takes at once.
pub fn batch(n_cases: usize, jobs: usize) -> usize {
    (n_cases / (4 * jobs.max(1))).clamp(1, BATCH)
}

/// Makes the command line that repeats a schedule of the model with so many edits.
pub type Repeat<'m> = dyn Fn(&str, Option<u8>) -> String + Sync + 'm;

/// The convergence of one data type.
pub struct DataTypes<'m> {
    /// What the model is, in a few words.
    pub about: String,
    /// The number of replicas.
    pub replicas: u8,
    /// The number of edits of the model, if it takes one.
    pub ops: Option<u8>,
    /// The data type.
    pub data: &'m dyn Playable,
    /// Makes smaller schedules of one that shows a finding.
    pub smaller: &'m ShrinkBy<'m>,
    /// Makes the command line that repeats a schedule.
    pub repeat: &'m Repeat<'m>,
    /// The most findings that are shortened.
    pub shrink: usize,
    /// The number of findings that were shortened so far.
    pub n_shrunk: AtomicUsize,
}

/// A schedule that shows something.
#[derive(Clone, Debug)]
pub struct Shown {
    schedule: Vec<Arc<Step>>,
    /// The number of edits of the model in which it is a schedule.
    ops: Option<u8>,
    flaw: Flaw,
    picture: String,
}

fn text(schedule: &[Arc<Step>]) -> String {
    let words: Vec<String> = schedule.iter().map(ToString::to_string).collect();
    words.join(" ")
}

impl DataTypes<'_> {
    /// The header of the record, for a run with `n_cases` cases. `run` identifies the run.
    pub fn header(&self, config: &str, run: String, n_cases: u64) -> Header {
        Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            verb: Verb::Converge,
            config: config.to_owned(),
            spec: self.about.clone(),
            run,
            nodes: Replica::all(self.replicas).map(|replica| replica.to_string()).collect(),
            cases: n_cases,
            started_s: when::now(),
            ..Header::default()
        }
    }

    fn play(&self, schedule: &[Arc<Step>], draws: bool) -> Result<play::Played, Stop> {
        self.data.play(self.replicas, schedule, draws).map_err(Stop::Impossible)
    }

    fn found(&self, case: &DataCase, shown: &Shown, stable: Option<bool>) -> Found<Shown> {
        let Shown { schedule, ops, flaw, picture } = shown;
        let details = if picture.is_empty() {
            Vec::new()
        } else {
            let title = "the replicas, step by step".to_owned();
            vec![Detail { title, text: picture.clone() }]
        };
        let finding = Finding {
            edge: None,
            kind: flaw.check.kind(),
            case: case.id.clone(),
            step: schedule.len() as u32,
            action: schedule.last().map(ToString::to_string).unwrap_or_default(),
            variables: Vec::new(),
            summary: flaw.to_string(),
            differences: Vec::new(),
            offers: Vec::new(),
            details,
            initial: Vec::new(),
            path: schedule.iter().map(|step| step_of(step)).collect(),
            given: None,
            stable,
            shortest: None,
            stands_for: None,
            group: group(flaw),
            hints: Vec::new(),
            repeat: (self.repeat)(&text(schedule), *ops),
            logs: None,
            more: more(case, shown),
        };
        let n_steps = schedule.len() as u64;
        Found { finding, discovery: shown.clone(), place: Some(case.number), n_steps, ends_run: None }
    }

    /// Removes steps as long as the rest is a schedule of the model and shows the same.
    fn shrink(&self, shown: Shown, control: &Control<'_, Shown>) -> Result<Shown, Stop> {
        let mut best = shown;
        let mut n_candidates = 0;
        'smaller: loop {
            let steps: Vec<Step> = best.schedule.iter().map(|step| Step::clone(step)).collect();
            for Smaller { schedule, ops } in (self.smaller)(&steps) {
                if n_candidates == CANDIDATES_MAX || control.is_late() {
                    return Ok(best);
                }
                n_candidates += 1;
                let schedule: Vec<Arc<Step>> = schedule.into_iter().map(Arc::new).collect();
                let flaw = self.play(&schedule, false)?.flaw;
                if let Some(flaw) = flaw.filter(|flaw| group(flaw) == group(&best.flaw)) {
                    best = Shown { schedule, ops, flaw, picture: String::new() };
                    continue 'smaller;
                }
            }
            return Ok(best);
        }
    }
}

/// The name of a finding's group: what is wrong, and for failures where.
fn group(flaw: &Flaw) -> String {
    let words = flaw.check.words();
    if flaw.cause.is_empty() { words.to_owned() } else { format!("{words}: {}", flaw.cause) }
}

fn step_of(step: &Step) -> kilter_run::Step {
    kilter_run::Step {
        action: step.to_string(),
        args: Vec::new(),
        node: step.place().map(|replica| replica.to_string()),
        messages: Vec::new(),
        expected: Vec::new(),
        changes: Vec::new(),
    }
}

/// The fields of the record that only this method has.
fn more(case: &DataCase, shown: &Shown) -> Map<String, Json> {
    let fields = json!({
        "number": case.number,
        "schedule": text(&case.schedule),
        "shrunk": text(&shown.schedule),
        "check": shown.flaw.check.words(),
    });
    let Json::Object(fields) = fields else { return Map::new() };
    fields
}

impl Method for DataTypes<'_> {
    type Case = DataCase;
    type Discovery = Shown;

    fn id<'c>(&self, case: &'c DataCase) -> &'c str {
        &case.id
    }

    fn with_player(&self, work: &mut dyn FnMut(&mut dyn Player<Self>)) -> Result<(), Stop> {
        work(&mut Seat { method: self });
        Ok(())
    }

    fn looked_at_again_max(&self) -> usize {
        LOOKED_AT_AGAIN_MAX
    }
}

/// Where one job plays.
struct Seat<'j, 'm> {
    method: &'j DataTypes<'m>,
}

impl<'m> Player<DataTypes<'m>> for Seat<'_, 'm> {
    fn play(&mut self, case: &DataCase, _: &Control<'_, Shown>) -> Result<Played<Shown>, Stop> {
        let started = Instant::now();
        let played = self.method.play(&case.schedule, false)?;
        let found = played.flaw.map(|flaw| {
            let (schedule, picture) = (case.schedule.clone(), String::new());
            let shown = Shown { schedule, ops: self.method.ops, flaw, picture };
            Box::new(self.method.found(case, &shown, None))
        });
        Ok(Played {
            ending: if found.is_some() { Ending::Failed } else { Ending::Passed },
            found,
            steps: case.schedule.len() as u64,
            covered: Vec::new(),
            took: started.elapsed(),
            waited: Duration::ZERO,
            notes: Vec::new(),
            logs: None,
            counters: Counters::default(),
        })
    }

    fn look_again(
        &mut self,
        case: &DataCase,
        found: &Found<Shown>,
        control: &Control<'_, Shown>,
    ) -> Result<Found<Shown>, Stop> {
        let method = self.method;
        let again = method.play(&case.schedule, false)?.flaw;
        let is_stable = again.as_ref().is_some_and(|flaw| group(flaw) == found.finding.group);
        let mut shown = found.discovery.clone();
        if is_stable && method.n_shrunk.fetch_add(1, Ordering::Relaxed) < method.shrink {
            shown = method.shrink(shown, control)?;
        }
        shown.picture = method.play(&shown.schedule, true)?.picture;
        Ok(method.found(case, &shown, Some(is_stable)))
    }
}
