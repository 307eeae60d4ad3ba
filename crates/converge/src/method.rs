//! Convergence as a method of the runner. A case is a schedule with one kind of crash. A schedule after which the
//! replicas do not agree is played again from its beginning, and shortened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use kilter_base::Rng;
use kilter_run::{
    Control, Counters, Detail, Ending, FORMAT, Finding, Found, Header, Method, Played, Player, Shard, Stop,
    VERSION, Verb, logs, when,
};
use serde_json::{Map, Value as Json, json};

use crate::cause;
use crate::cover;
use crate::drive::{self, Beginning, Crash, Options, Wrong};
use crate::shrink::{Shrinker, Smaller};
use crate::step::{self, Replica, Step};
use crate::store::System;
use crate::trouble::Trouble;
use crate::watch::End;

/// The most neighbouring schedules that a job takes at once. Neighbours have the same beginning.
const BATCH: usize = 16;
/// What the names of counters of resynchronisations begin with.
pub const SEEN: &str = "seen_";
/// What is counted once for each combination of resynchronisations.
pub const RESYNCS: &str = "resynchronisations";
/// The counters of reads of clients, and of those that no node answered.
pub const READS: &str = "reads";
/// See [`READS`].
pub const READS_UNANSWERED: &str = "reads_unanswered";
/// How often a schedule is tried if the system could not be driven along it.
const TRIES: usize = 3;

/// A schedule to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its id: the number of the schedule, and the kind of crash unless it is `kill`.
    pub id: String,
    /// Its number among all schedules of the model.
    pub number: u64,
    /// The steps of the schedule.
    pub schedule: Vec<Step>,
    /// What a crash means in this run.
    pub crash: Crash,
}

impl Case {
    /// Makes the case for a schedule and its number.
    pub fn new(number: u64, schedule: Vec<Step>, crash: Crash) -> Case {
        let id = match crash {
            Crash::Kill => number.to_string(),
            other => format!("{number}-{}", other.word()),
        };
        Case { id, number, schedule, crash }
    }
}

/// The number of cases that a job takes at once. Neighbours stay together, but with a short list nobody waits for the
/// last batch.
pub fn batch(n_cases: usize, jobs: usize) -> usize {
    (n_cases / (4 * jobs.max(1))).clamp(1, BATCH)
}

/// The numbers of the schedules to play: a shard of a sample that is spread evenly over the list.
pub fn choose(count: u64, sample: Option<u64>, shard: Shard) -> impl Iterator<Item = u64> {
    let n_chosen = sample.map_or(count, |sample| sample.min(count));
    // Neighbours have the same beginning, so a random choice would cover less.
    let spread =
        move |index: u64| (u128::from(index) * u128::from(count) / u128::from(n_chosen.max(1))) as u64;
    shard.stretch(n_chosen).map(spread)
}

/// Like [`choose`], at random: another seed gives other schedules, in another order.
pub fn choose_at_random(count: u64, sample: Option<u64>, shard: Shard, seed: u64) -> Vec<u64> {
    let n_chosen = sample.map_or(count, |sample| sample.min(count));
    let mut rng = Rng::from_seed(seed);
    let mut chosen = Vec::new();
    let mut known = BTreeSet::new();
    // The last numbers of a long list would take many tries.
    if n_chosen > count / 2 {
        chosen = (0..count).collect();
        rng.shuffle(&mut chosen);
        chosen.truncate(usize::try_from(n_chosen).unwrap_or(usize::MAX));
    }
    while (chosen.len() as u64) < n_chosen {
        let number = rng.next_u64() % count;
        if known.insert(number) {
            chosen.push(number);
        }
    }
    shard.stretch(n_chosen).map(|index| chosen[index as usize]).collect()
}

/// Makes the command line that repeats a schedule of the model with so many writes.
pub type Repeat<'m> = dyn Fn(&[Step], Option<u8>, Crash) -> String + Sync + 'm;
/// Makes smaller schedules of one that shows a finding.
pub type ShrinkBy<'m> = dyn Fn(&[Step]) -> Vec<Smaller> + Sync + 'm;

/// The convergence of one system.
pub struct Convergence<'m> {
    /// What the model is, in a few words.
    pub about: String,
    /// How every schedule begins.
    pub beginning: &'m Beginning,
    /// The number of writes of the model, if it takes one.
    pub ops: Option<u8>,
    /// Makes smaller schedules of one that shows a finding.
    pub smaller: &'m ShrinkBy<'m>,
    /// The system under test.
    pub system: &'m System,
    /// How schedules are played. Each case says what a crash means.
    pub options: Options,
    /// The most findings that are shortened.
    pub shrink: usize,
    /// How often a finding's schedule, and each shorter one, is played until it shows the finding again.
    pub again: usize,
    /// Makes the command line that repeats a schedule of the model with so many writes.
    pub repeat: &'m Repeat<'m>,
    /// When everything ends.
    pub end: End,
    /// The number of findings that were shortened so far.
    pub n_shrunk: AtomicUsize,
    /// The folder of the run, for the logs of cases that find something. `None` writes no logs.
    pub logs: Option<&'m Path>,
}

impl Convergence<'_> {
    /// The header of the record, for a run with `n_cases` cases. `run` identifies the run.
    pub fn header(&self, config: &str, run: String, n_cases: u64) -> Header {
        Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            verb: Verb::Converge,
            config: config.to_owned(),
            spec: self.about.clone(),
            run,
            nodes: Replica::all(self.beginning.replicas).map(|replica| replica.to_string()).collect(),
            cases: n_cases,
            started_s: when::now(),
            ..Header::default()
        }
    }

    fn options(&self, crash: Crash) -> Options {
        Options { crash, ..self.options.clone() }
    }

    /// Writes what the replicas have printed. Returns the name of the folder. `None` if it can't be written.
    fn log(
        &self,
        case: &Case,
        schedule: &[Step],
        wrong: Option<&Wrong>,
        outputs: &[(Replica, Vec<u8>)],
    ) -> Option<String> {
        let (dir, name) = logs::make(self.logs?, &case.id).ok()?;
        let what = wrong.map_or_else(|| "nothing is wrong".to_owned(), ToString::to_string);
        fs::write(dir.join("about.txt"), format!("{}\n{what}\n", step::text(schedule))).ok()?;
        for (replica, output) in outputs {
            fs::write(dir.join(format!("{replica}.output.txt")), output).ok()?;
        }
        Some(name)
    }

    /// The finding of a case, for the record. `shown` has the schedule that shows it, which may be shorter than the
    /// case's.
    fn found(&self, case: &Case, shown: &Shown, again: Again) -> Found<Shown> {
        let Shown { schedule, ops, played, wrong } = shown;
        let path: Vec<kilter_run::Step> = schedule.iter().map(step_of).collect();
        let finding = Finding {
            edge: None,
            kind: wrong.kind(),
            case: case.id.clone(),
            step: path.len() as u32,
            action: schedule.last().map(ToString::to_string).unwrap_or_default(),
            variables: wrong.differences().iter().map(|difference| difference.key.clone()).collect(),
            summary: wrong.to_string(),
            differences: Vec::new(),
            offers: Vec::new(),
            details: details(played),
            initial: Vec::new(),
            path,
            given: None,
            stable: again.stable,
            shortest: None,
            stands_for: None,
            group: cause::group(wrong, schedule, &played.seen, case.crash),
            hints: Vec::new(),
            repeat: (self.repeat)(schedule, *ops, case.crash),
            logs: self.log(case, shown.schedule.as_slice(), Some(wrong), &played.outputs),
            more: more(case, shown, again),
        };
        let n_steps = schedule.len() as u64;
        Found { finding, discovery: shown.clone(), place: Some(case.number), n_steps, ends_run: None }
    }
}

/// Whether a finding came again.
#[derive(Clone, Copy, Default)]
struct Again {
    stable: Option<bool>,
    n_runs: usize,
}

/// A schedule that was played, and what is wrong after it.
#[derive(Clone, Debug)]
pub struct Shown {
    schedule: Vec<Step>,
    /// The number of writes of the model in which it is a schedule.
    ops: Option<u8>,
    played: drive::Played,
    wrong: Wrong,
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

fn details(played: &drive::Played) -> Vec<Detail> {
    let detail = |title: &str, text: String| Detail { title: title.to_owned(), text };
    let mut details = vec![detail("the replicas, step by step", played.picture.clone())];
    if !played.log.is_empty() {
        details.push(detail("what the nodes said", played.log.join("\n")));
    }
    if let Some(kept) = &played.kept {
        details.push(detail("the nodes' files", kept.display().to_string()));
    }
    details
}

/// The fields of the record that only this method has.
fn more(case: &Case, shown: &Shown, again: Again) -> Map<String, Json> {
    let fields = json!({
        "number": case.number,
        "schedule": step::text(&case.schedule),
        "crash": case.crash,
        "differences": shown.wrong.differences(),
        "runs_again": again.n_runs,
        "shrunk": step::text(&shown.schedule),
        "picture": shown.played.picture,
        "log": shown.played.log,
        "kept": shown.played.kept,
    });
    let Json::Object(fields) = fields else { return Map::new() };
    fields
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Stop {
        match trouble {
            Trouble::Interrupted => Stop::Interrupted,
            Trouble::Late => Stop::Time,
            other => Stop::NotRunnable(other.to_string()),
        }
    }
}

impl Method for Convergence<'_> {
    type Case = Case;
    type Discovery = Shown;

    fn id<'c>(&self, case: &'c Case) -> &'c str {
        &case.id
    }

    fn with_player(&self, work: &mut dyn FnMut(&mut dyn Player<Self>)) -> Result<(), Stop> {
        work(&mut Cluster { method: self, crash: Crash::Kill, player: None });
        Ok(())
    }

    /// All findings are played again, because the user wants to know whether a finding depends on timing.
    fn looked_at_again_max(&self) -> usize {
        usize::MAX
    }
}

/// A cluster on which cases are played.
struct Cluster<'j, 'm> {
    method: &'j Convergence<'m>,
    crash: Crash,
    /// Made when it is first needed, and again when a crash means something else.
    player: Option<drive::Player<'j>>,
}

impl<'j> Cluster<'j, '_> {
    fn player(&mut self, crash: Crash) -> Result<&mut drive::Player<'j>, Trouble> {
        if self.crash != crash {
            self.player = None;
            self.crash = crash;
        }
        if self.player.is_none() {
            let Convergence { beginning, system, end, .. } = self.method;
            let options = self.method.options(crash);
            self.player = Some(drive::Player::new(beginning, system, options, end.clone())?);
        }
        self.player.as_mut().ok_or(Trouble::Interrupted)
    }
}

impl<'m> Player<Convergence<'m>> for Cluster<'_, 'm> {
    fn play(&mut self, case: &Case, _: &Control<'_, Shown>) -> Result<Played<Shown>, Stop> {
        let mut why = String::new();
        for _ in 0..TRIES {
            self.method.end.check()?;
            let player = self.player(case.crash)?;
            match player.play(&case.schedule) {
                Ok(played) => return Ok(self.played(case, played)),
                Err(Trouble::NotDriven(reason)) => {
                    why = reason;
                    player.forget()?;
                }
                Err(trouble) => return Err(trouble.into()),
            }
        }
        Ok(Played { ending: Ending::NotRun(why), ..nothing() })
    }

    fn look_again(
        &mut self,
        case: &Case,
        found: &Found<Shown>,
        control: &Control<'_, Shown>,
    ) -> Result<Found<Shown>, Stop> {
        let options = Options { checkpoints: false, ..self.method.options(case.crash) };
        let shrinker = Shrinker {
            beginning: self.method.beginning,
            system: self.method.system,
            options: &options,
            smaller: self.method.smaller,
            kind: found.discovery.wrong.kind(),
            again: self.method.again,
            end: &self.method.end,
            is_late: &|| control.is_late(),
        };
        let (n_runs, shown_again) = shrinker.show_again(&case.schedule)?;
        let again = Again { stable: (n_runs > 0).then_some(shown_again.is_some()), n_runs };
        let mut shown = found.discovery.clone();
        if let Some(played) = shown_again {
            shown.take(&case.schedule, self.method.ops, played);
            if self.method.n_shrunk.fetch_add(1, Ordering::Relaxed) < self.method.shrink
                && let Some((smaller, played)) = shrinker.shrink(&case.schedule)?
            {
                shown.take(&smaller.schedule, smaller.ops, played);
            }
        }
        Ok(self.method.found(case, &shown, again))
    }
}

impl Shown {
    /// Replaces the schedule by another one that was played, if that shows a failure too.
    fn take(&mut self, schedule: &[Step], ops: Option<u8>, played: drive::Played) {
        if let Some(wrong) = played.wrong.clone() {
            *self = Shown { schedule: schedule.to_vec(), ops, played, wrong };
        }
    }
}

impl Cluster<'_, '_> {
    fn played(&self, case: &Case, played: drive::Played) -> Played<Shown> {
        let (steps, took, waited) = (played.steps_run as u64, played.took, played.in_vain);
        let sums = played.seen.iter().map(|(name, n)| (format!("{SEEN}{name}"), *n)).collect();
        let (answered, unanswered) = played.reads;
        let mut sums: BTreeMap<String, u64> = sums;
        if answered + unanswered > 0 {
            sums.extend([(READS.to_owned(), answered), (READS_UNANSWERED.to_owned(), unanswered)]);
        }
        let mut counters = Counters { sums, ..Counters::default() };
        if let Some(combination) = cover::combination(&played.seen_by) {
            counters.distinct.insert(RESYNCS.to_owned(), [combination].into());
        }
        let Some(wrong) = played.wrong.clone() else {
            let is_logged = !played.outputs.is_empty();
            let log = || self.method.log(case, &case.schedule, None, &played.outputs);
            let logs = if is_logged { log() } else { None };
            return Played { steps, took, waited, logs, counters, ..nothing() };
        };
        let shown = Shown { schedule: case.schedule.clone(), ops: self.method.ops, played, wrong };
        let found = Box::new(self.method.found(case, &shown, Again::default()));
        let logs = found.finding.logs.clone();
        Played {
            ending: Ending::Failed,
            found: Some(found),
            steps,
            took,
            waited,
            logs,
            counters,
            ..nothing()
        }
    }
}

/// An empty result, of which callers fill in what they know.
fn nothing() -> Played<Shown> {
    Played {
        ending: Ending::Passed,
        found: None,
        steps: 0,
        covered: Vec::new(),
        took: std::time::Duration::ZERO,
        waited: std::time::Duration::ZERO,
        notes: Vec::new(),
        logs: None,
        counters: Counters::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_and_shards_are_a_partition() {
        for sample in [None, Some(7), Some(100)] {
            let all: Vec<u64> = choose(80, sample, Shard::WHOLE).collect();
            let parts = (1..=3).flat_map(|part| choose(80, sample, Shard { part, parts: 3 }));
            assert_eq!(parts.collect::<Vec<u64>>(), all);
            assert_eq!(all.len() as u64, sample.unwrap_or(80).min(80));
        }
    }

    #[test]
    fn a_seed_gives_the_same_schedules_each_time() {
        for sample in [None, Some(7), Some(60), Some(100)] {
            let all = choose_at_random(80, sample, Shard::WHOLE, 1);
            let parts = (1..=3).flat_map(|part| choose_at_random(80, sample, Shard { part, parts: 3 }, 1));
            assert_eq!(parts.collect::<Vec<u64>>(), all);
            let distinct: BTreeSet<&u64> = all.iter().collect();
            assert_eq!(distinct.len() as u64, sample.unwrap_or(80).min(80));
            assert_ne!(choose_at_random(80, sample, Shard::WHOLE, 2), all);
        }
    }
}
