//! Many schedules on several clusters at once.
//!
//! Workers take batches of neighbouring schedules, which begin alike. What they find goes to the caller, in whatever order it comes;
//! each record says which schedule it is about.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use serde::{Deserialize, Serialize};

use crate::drive::{Crash, Difference, Options, Played, Player, Wrong};
use crate::model::Model;
use crate::shrink::Shrinker;
use crate::step::{self, Step};
use crate::store::System;
use crate::trouble::Trouble;

/// Schedules that one worker takes at once.
const BATCH: usize = 16;
/// A schedule that the system could not be driven along is tried so often.
const TRIES: usize = 3;

/// One schedule to run.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its number among all schedules of the model.
    pub number: u64,
    /// Its steps.
    pub schedule: Vec<Step>,
    /// What a crash is in this run.
    pub crash: Crash,
}

/// What is done with findings, and how many workers there are.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Clusters at once.
    pub jobs: usize,
    /// How many findings are shrunk.
    pub shrink: usize,
    /// How often a finding's schedule, and each shorter one, is run until it shows it again.
    pub again: usize,
}

/// What became of one schedule; a line of the run record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its number among all schedules of the model.
    pub number: u64,
    /// Its text.
    pub schedule: String,
    /// What a crash was.
    pub crash: Crash,
    /// How long it took.
    pub seconds: f64,
    /// How much of that went into waits that ended without what was waited for.
    pub seconds_in_vain: f64,
    /// Steps that were run, and not taken over from an earlier schedule that begins alike.
    pub steps_run: usize,
    /// Why it could not be run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_run: Option<String>,
    /// What was found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub finding: Option<Finding>,
}

/// Something wrong.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// `differ`, `lost`, `stuck` or `died`.
    pub kind: String,
    /// In words.
    pub what: String,
    /// Keys that replicas do not agree about.
    pub differences: Vec<Difference>,
    /// Whether it was found again when the schedule was run again from its beginning.
    pub stable: bool,
    /// How often the schedule was run again to see that; none if somebody wanted everything to end.
    #[serde(default)]
    pub runs_again: usize,
    /// The shortest schedule that shows it, of those that were tried.
    pub shrunk: String,
    /// The replicas over time, in the shortest schedule.
    pub picture: String,
    /// Interesting lines of the nodes' logs.
    pub log: Vec<String>,
    /// Where the nodes' files and all that they printed are kept: of the run that the rest is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kept: Option<PathBuf>,
}

/// Runs all tasks; `observe` gets each entry as it comes. Ends early when interrupted.
pub fn run(
    model: &Model,
    system: &System,
    options: &Options,
    tasks: Vec<Task>,
    effort: Effort,
    interrupted: &Arc<AtomicBool>,
    observe: &mut dyn FnMut(Entry),
) -> Result<(), Trouble> {
    let queue: Mutex<VecDeque<Vec<Task>>> = Mutex::new(batches(tasks, effort.jobs));
    let shrunk = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..effort.jobs.max(1))
            .map(|_| {
                let sender = sender.clone();
                let (take, shrunk) = (&take, &shrunk);
                scope.spawn(move || -> Result<(), Trouble> {
                    let mut worker =
                        Worker { model, system, options: options.clone(), interrupted, shrunk, effort };
                    while let Some(batch) = take() {
                        worker.options.crash = batch[0].crash;
                        worker.run(&batch, &sender)?;
                    }
                    Ok(())
                })
            })
            .collect();
        drop(sender);
        for entry in receiver {
            observe(entry);
        }
        for worker in workers {
            worker.join().map_err(|_| Trouble::NotDriven("a worker has a bug".to_owned()))??;
        }
        Ok(())
    })
}

/// Neighbours stay together, but nobody waits for the last batch of a short list.
fn batches(tasks: Vec<Task>, jobs: usize) -> VecDeque<Vec<Task>> {
    let size = (tasks.len() / (4 * jobs.max(1))).clamp(1, BATCH);
    let mut batches: VecDeque<Vec<Task>> = VecDeque::new();
    for task in tasks {
        match batches.back_mut() {
            Some(batch) if batch.len() < size && batch[0].crash == task.crash => batch.push(task),
            _ => batches.push_back(vec![task]),
        }
    }
    batches
}

struct Worker<'a> {
    model: &'a Model,
    system: &'a System,
    options: Options,
    interrupted: &'a Arc<AtomicBool>,
    shrunk: &'a AtomicUsize,
    effort: Effort,
}

impl Worker<'_> {
    fn run(&mut self, batch: &[Task], sender: &mpsc::Sender<Entry>) -> Result<(), Trouble> {
        let mut player = Player::new(self.model, self.system, &self.options, Arc::clone(self.interrupted))?;
        for task in batch {
            let Some(entry) = self.entry(&mut player, task)? else { return Ok(()) };
            if sender.send(entry).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Plays a task; `None` when interrupted.
    fn entry(&self, player: &mut Player<'_>, task: &Task) -> Result<Option<Entry>, Trouble> {
        let mut entry = Entry {
            number: task.number,
            schedule: step::text(&task.schedule),
            crash: task.crash,
            seconds: 0.0,
            seconds_in_vain: 0.0,
            steps_run: 0,
            not_run: None,
            finding: None,
        };
        for _ in 0..TRIES {
            if self.interrupted.load(Ordering::Relaxed) {
                return Ok(None);
            }
            match player.play(&task.schedule) {
                Ok(played) => {
                    entry.seconds += played.took.as_secs_f64();
                    entry.seconds_in_vain += played.in_vain.as_secs_f64();
                    entry.steps_run = played.steps_run;
                    entry.not_run = None;
                    entry.finding = self.examine(task, &played)?;
                    return Ok(Some(entry));
                }
                Err(Trouble::Interrupted) => return Ok(None),
                Err(Trouble::NotDriven(why)) => {
                    entry.not_run = Some(why);
                    player.forget()?;
                }
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(Some(entry))
    }

    /// Runs what was found again, from its beginning, and shrinks it.
    fn examine(&self, task: &Task, played: &Played) -> Result<Option<Finding>, Trouble> {
        let Some(wrong) = &played.wrong else { return Ok(None) };
        let options = Options { checkpoints: false, ..self.options.clone() };
        let shrinker = Shrinker {
            system: self.system,
            options: &options,
            kind: wrong.kind(),
            again: self.effort.again,
            interrupted: self.interrupted,
        };
        let (runs_again, again) = shrinker.show_again(self.model, &task.schedule)?;
        let stable = again.is_some();
        let shown = again.unwrap_or_else(|| played.clone());
        let finding = |wrong: &Wrong, played: &Played, schedule: &[Step]| Finding {
            kind: wrong.kind().to_owned(),
            what: wrong.to_string(),
            differences: wrong.differences().to_vec(),
            stable,
            runs_again,
            shrunk: step::text(schedule),
            picture: played.picture.clone(),
            log: played.log.clone(),
            kept: played.kept.clone(),
        };
        let mut found = finding(shown.wrong.as_ref().unwrap_or(wrong), &shown, &task.schedule);
        if stable && self.shrunk.fetch_add(1, Ordering::Relaxed) < self.effort.shrink {
            let smallest = shrinker.shrink(self.model, &task.schedule)?;
            if let Some((schedule, smaller)) = smallest
                && let Some(wrong) = &smaller.wrong
            {
                found = finding(wrong, &smaller, &schedule);
            }
        }
        Ok(Some(found))
    }
}

/// The numbers of the schedules that a run is about: a part of a sample, without what has been done.
pub fn choose(count: u64, sample: Option<u64>, shard: (u64, u64), done: &BTreeSet<u64>) -> Vec<u64> {
    let n_chosen = sample.map_or(count, |sample| sample.min(count));
    // Spread evenly over the list: neighbours begin alike, so that a random choice would see less.
    let spread = |index: u64| (u128::from(index) * u128::from(count) / u128::from(n_chosen.max(1))) as u64;
    let (part, parts) = shard;
    // A part is a stretch, so that what begins alike stays together.
    let bound = |part: u64| (u128::from(n_chosen) * u128::from(part) / u128::from(parts)) as u64;
    (bound(part - 1)..bound(part)).map(spread).filter(|number| !done.contains(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_a_partition() {
        for sample in [None, Some(7), Some(100)] {
            let all = choose(80, sample, (1, 1), &BTreeSet::new());
            let parts: Vec<u64> =
                (1..=3).flat_map(|part| choose(80, sample, (part, 3), &BTreeSet::new())).collect();
            assert_eq!(parts, all);
            assert_eq!(all.len() as u64, sample.unwrap_or(80).min(80));
        }
        assert_eq!(choose(4, None, (1, 1), &BTreeSet::from([0, 2])), [1, 3]);
    }
}
