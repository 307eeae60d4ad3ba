//! `kilter converge`: do the replicas agree again?

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kilter_converge::Trouble;
use kilter_converge::config::Config;
use kilter_converge::drive::{Crash, Options};
use kilter_converge::model::generate::Schedules;
use kilter_converge::model::{Model, legal};
use kilter_converge::run::{self, Effort, Entry, Task};
use kilter_converge::step;
use kilter_converge::store::System;
use serde_json::json;

use crate::converging::record::Record;
use crate::converging::verdict::Verdict;
use crate::render::{BAD, count, paint};
use crate::rim::{self, OutputLost, Signals};

/// All conforms.
const FINE: u8 = 0;
/// Something was found.
const FINDINGS: u8 = 1;
/// The configuration or a schedule can't be used.
const BAD_INPUT: u8 = 2;
/// The system could not be run.
const NOT_RUN: u8 = 3;

/// `kilter converge`
#[derive(clap::Args, Clone, Debug)]
pub struct ConvergeArgs {
    /// Which model, which system
    #[arg(value_name = "CONFIG.toml")]
    pub config: PathBuf,
    /// Another number of writes than the configuration's
    #[arg(long, value_name = "N")]
    pub ops: Option<u8>,
    /// Another number of replicas than the configuration's
    #[arg(long, value_name = "N")]
    pub replicas: Option<u8>,
    /// List the schedules of the model instead of running them
    #[arg(long)]
    pub list: bool,
    /// Run this schedule, as `--list` and findings show it; may be repeated
    #[arg(long, value_name = "STEPS", conflicts_with_all = ["list", "sample", "shard", "record"])]
    pub schedule: Vec<String>,
    /// Run each schedule that was given so many times; for findings that depend on timing
    #[arg(long, default_value_t = 1, value_name = "N", requires = "schedule", value_parser = clap::value_parser!(u64).range(1..))]
    pub repeat: u64,
    /// Run so many schedules, spread evenly over all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// Run the K-th of N parts
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<(u64, u64)>,
    /// How many clusters run at once
    #[arg(long, short, default_value_t = 1, value_name = "N")]
    pub jobs: usize,
    /// Write what became of each schedule to this file, and leave out what it says is done
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// How many findings to shrink
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub shrink: usize,
    /// How often a finding's schedule, and each shorter one, is run until it shows the finding again;
    /// more than once for findings that depend on timing
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub again: usize,
    /// Keep the nodes' files, and all that they printed, of every run that found something in a directory of its own in this one
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Run every schedule from its beginning, even if another one begins alike
    #[arg(long)]
    pub no_checkpoints: bool,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

fn shard(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    parts.filter(|(k, n)| (1..=*n).contains(k)).ok_or_else(|| "write K/N, such as 2/5".to_owned())
}

/// Lists or runs schedules.
pub fn run(args: &ConvergeArgs, signals: &Signals) -> anyhow::Result<u8> {
    let prepared = prepare(args);
    let (config, model) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return rim::blame(error, BAD_INPUT),
    };
    if args.list {
        list(args, &model)?;
        return Ok(FINE);
    }
    let system = match config.system() {
        Ok(system) => system,
        Err(error) => return rim::blame(error.into(), BAD_INPUT),
    };
    if let Err(trouble) = system.store().check() {
        return rim::blame(trouble.into(), NOT_RUN);
    }
    let total = Schedules::new(&model).count();
    let record = args.record.as_deref().map(|path| Record::open(path, &config)).transpose();
    let planned = record.and_then(|record| {
        let done = record.as_ref().map(Record::done).unwrap_or_default();
        Ok((record, tasks(args, &config, &model, total, &done)?))
    });
    match planned {
        Ok((record, tasks)) => {
            Session { args, config: &config, model: &model, total, signals }.run(&system, tasks, record)
        }
        Err(error) => rim::blame(error, BAD_INPUT),
    }
}

fn prepare(args: &ConvergeArgs) -> anyhow::Result<(Config, Model)> {
    let path = args.config.display();
    let text = kilter::read::utf8(&args.config).with_context(|| format!("{path} cannot be read"))?;
    let mut config = Config::parse(&text).with_context(|| path.to_string())?;
    config.ops = args.ops.unwrap_or(config.ops);
    config.replicas = args.replicas.unwrap_or(config.replicas);
    let model = config.model().with_context(|| path.to_string())?;
    Ok((config, model))
}

fn list(args: &ConvergeArgs, model: &Model) -> Result<(), OutputLost> {
    let started = Instant::now();
    let mut schedules = Schedules::new(model);
    if args.json {
        // Nobody reads the list, so that it need not be walked.
        let n_schedules = schedules.count();
        let seconds = started.elapsed().as_secs_f64();
        let answer = json!({ "schedules": n_schedules, "run": 0, "findings": [], "seconds": seconds });
        return rim::print(&format!("{answer}\n"));
    }
    let (mut n_schedules, mut printed) = (0u64, Ok(()));
    schedules.each(&mut |schedule| {
        n_schedules += 1;
        printed = rim::print(&format!("{}\n", step::text(schedule)));
        printed.is_ok()
    });
    printed?;
    let seconds = started.elapsed().as_secs_f64();
    rim::say(&format!("{} schedules in {seconds:.1} s\n", count(n_schedules)));
    Ok(())
}

/// What there is to run, without what has been done.
fn tasks(
    args: &ConvergeArgs,
    config: &Config,
    model: &Model,
    total: u64,
    done: &BTreeSet<(Crash, u64)>,
) -> anyhow::Result<Vec<Task>> {
    let mut schedules = Vec::new();
    if args.schedule.is_empty() {
        let is_done = |number: &u64| config.store.crash.iter().all(|crash| done.contains(&(*crash, *number)));
        let all_done = done.iter().map(|(_, number)| *number).filter(is_done).collect();
        let numbers = run::choose(total, args.sample, args.shard.unwrap_or((1, 1)), &all_done);
        let mut generator = Schedules::new(model);
        schedules.extend(numbers.into_iter().filter_map(|number| Some((number, generator.get(number)?))));
    }
    for text in &args.schedule {
        let schedule = step::parse(text)?;
        legal::check(model, &schedule).with_context(|| format!("`{text}` is no schedule of the model"))?;
        for _ in 0..args.repeat {
            schedules.push((schedules.len() as u64, schedule.clone()));
        }
    }
    let of_crash = |crash: &Crash| {
        let crash = *crash;
        schedules.iter().map(move |(number, schedule)| Task {
            number: *number,
            schedule: schedule.clone(),
            crash,
        })
    };
    let tasks = config.store.crash.iter().flat_map(of_crash);
    Ok(tasks.filter(|task| !done.contains(&(task.crash, task.number))).collect())
}

struct Session<'a> {
    args: &'a ConvergeArgs,
    config: &'a Config,
    model: &'a Model,
    total: u64,
    signals: &'a Signals,
}

impl Session<'_> {
    fn run(&self, system: &System, tasks: Vec<Task>, mut record: Option<Record>) -> anyhow::Result<u8> {
        let options = Options {
            patience: self.config.store.patience(),
            crash: Crash::Kill,
            checkpoints: !self.args.no_checkpoints,
            keep: self.args.keep.clone(),
        };
        let effort = Effort { jobs: self.args.jobs.max(1), shrink: self.args.shrink, again: self.args.again };
        let interrupted = self.signals.flag();
        let bar = progress_bar(tasks.len() as u64)?;
        let earlier = record.as_mut().map(|record| std::mem::take(&mut record.earlier)).unwrap_or_default();
        let n_planned = tasks.len() + earlier.len();
        let (mut entries, mut n_found) = (earlier, 0);
        let mut printed = Ok(());
        if !self.args.json {
            let before: Vec<String> = entries.iter().filter_map(|entry| self.tell(entry)).collect();
            printed = rim::print(&before.concat());
        }
        let started = Instant::now();
        let mut observe = |entry: Entry| {
            if let Some(record) = &mut record {
                record.add(&entry);
            }
            n_found += usize::from(entry.finding.is_some());
            bar.set_message(format!("findings: {n_found}"));
            bar.inc(1);
            if let Some(text) = self.tell(&entry) {
                bar.suspend(|| {
                    if self.args.json {
                        rim::say(&text);
                    } else if printed.is_ok() {
                        printed = rim::print(&text);
                    }
                });
            }
            entries.push(entry);
        };
        let _patience = self.signals.patience();
        let outcome = run::run(self.model, system, &options, tasks, effort, &interrupted, &mut observe);
        bar.finish_and_clear();
        entries.sort_by_key(|entry| (entry.crash, entry.number));
        let seconds = started.elapsed().as_secs_f64();
        let verdict = Verdict::of(&entries, n_planned);
        let printed = printed.and_then(|()| self.give(&entries, verdict, seconds));
        record.map_or(Ok(()), |mut record| record.check())?;
        printed?;
        self.code(outcome, &entries, n_planned, verdict)
    }

    fn code(
        &self,
        outcome: Result<(), Trouble>,
        entries: &[Entry],
        n_planned: usize,
        verdict: Verdict,
    ) -> anyhow::Result<u8> {
        if self.signals.are_raised() {
            rim::say(&format!("interrupted after {} of {n_planned} schedules\n", entries.len()));
            return Ok(rim::INTERRUPTED);
        }
        if let Err(trouble) = outcome {
            return rim::blame(trouble.into(), NOT_RUN);
        }
        Ok(match verdict {
            Verdict::Findings(_) => FINDINGS,
            Verdict::Bounded { .. } => NOT_RUN,
            Verdict::Agree | Verdict::Nothing => FINE,
        })
    }

    /// The line that repeats a schedule.
    fn replay(&self, schedule: &str) -> String {
        let steps = step::parse(schedule).unwrap_or_default();
        let ops: u8 = steps.iter().map(step::Step::writes).sum();
        let config = self.args.config.display();
        let replicas = self.args.replicas.map(|n| format!(" --replicas {n}")).unwrap_or_default();
        format!("kilter converge {config}{replicas} --ops {ops} --schedule '{schedule}'")
    }

    fn tell(&self, entry: &Entry) -> Option<String> {
        if let Some(why) = &entry.not_run {
            return Some(format!("schedule {} was not run: {why}\n  {}\n", entry.number, entry.schedule));
        }
        let finding = entry.finding.as_ref()?;
        let again = match (finding.stable, finding.runs_again) {
            (true, 1) => "again when run again".to_owned(),
            (true, n) => format!("again in run {n} of those that followed"),
            (false, 0) => "not run again".to_owned(),
            (false, 1) => "not again when run again".to_owned(),
            (false, n) => format!("not again in {n} runs"),
        };
        let log: Vec<&str> = finding.log.iter().flat_map(|line| ["  ", line, "\n"]).collect();
        let log = log.concat();
        let kept = finding.kept.as_ref().map(|dir| format!("the nodes' files: {}\n", dir.display()));
        let kept = kept.unwrap_or_default();
        let picture = finding.picture.replace('\n', "\n  ");
        Some(format!(
            "{} in schedule {}, {again}: {}\n\n  {picture}\n\n{log}{kept}repeat with:\n  {}\n\n",
            paint(BAD, &finding.kind),
            entry.number,
            finding.what,
            self.replay(&finding.shrunk),
        ))
    }

    fn give(&self, entries: &[Entry], verdict: Verdict, seconds: f64) -> Result<(), OutputLost> {
        let n_run = entries.iter().filter(|entry| entry.not_run.is_none()).count();
        let findings: Vec<&Entry> = entries.iter().filter(|entry| entry.finding.is_some()).collect();
        let busy: f64 = entries.iter().map(|entry| entry.seconds).sum();
        let in_vain: f64 = entries.iter().map(|entry| entry.seconds_in_vain).sum();
        let share = if busy > 0.0 { in_vain / busy } else { 0.0 };
        let each =
            if n_run > 0 { seconds / f64::from(u32::try_from(n_run).unwrap_or(u32::MAX)) } else { 0.0 };
        if self.args.json {
            let findings: Vec<_> = findings.iter().map(|entry| self.finding_json(entry)).collect();
            let answer = json!({
                "verdict": verdict.word(), "schedules": self.total, "run": n_run, "not_run": entries.len() - n_run, "findings": findings,
                "seconds": seconds, "seconds_a_schedule": each, "share_in_timeouts": share,
            });
            return rim::print(&format!("{answer}\n"));
        }
        let verdict = verdict.sentence();
        // With several kinds of crashes, or when somebody wants that, a schedule is run several times.
        let done = entries.iter().filter(|entry| entry.not_run.is_none());
        let schedules: BTreeSet<&str> = done.map(|entry| entry.schedule.as_str()).collect();
        let n_schedules = schedules.len();
        let runs =
            if n_run > n_schedules { format!(", {} runs", count(n_run as u64)) } else { String::new() };
        rim::print(&format!(
            "{verdict}: {} of {} schedules run in {seconds:.1} s{runs}, {each:.2} s each, {:.0} % of the time in timeouts\n",
            count(n_schedules as u64),
            count(self.total),
            share * 100.0
        ))
    }

    fn finding_json(&self, entry: &Entry) -> serde_json::Value {
        let Some(finding) = &entry.finding else { return serde_json::Value::Null };
        json!({
            "number": entry.number, "schedule": entry.schedule, "crash": entry.crash, "kind": finding.kind, "what": finding.what,
            "differences": finding.differences, "stable": finding.stable, "runs_again": finding.runs_again, "shrunk": finding.shrunk,
            "picture": finding.picture, "log": finding.log, "kept": finding.kept, "replay": self.replay(&finding.shrunk),
        })
    }
}

fn progress_bar(n_tasks: u64) -> anyhow::Result<ProgressBar> {
    let bar = ProgressBar::with_draw_target(Some(n_tasks), ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template(
        "{spinner} {pos} of {len} schedules  {elapsed}, {eta} to go  {msg}",
    )?);
    Ok(bar)
}
