//! Drives the replicas of a store apart and back together, and checks whether they agree again.
//!
//! - `model`     the states and steps of a model, found as they are needed
//! - `questions` what a step is on the store: the expressions of `[actions]`
//! - `symmetry`  the permutations of replicas that a model declares
//! - `schedules` the behaviors of a model: counted, listed, or found by number or text
//! - `cover`     few of them that cover the model
//! - `smaller`   smaller ones, for shrinking
//! - `datatypes` the same for data types that are linked in

mod cover;
mod datatypes;
mod model;
mod questions;
mod schedules;
mod smaller;
mod symmetry;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use kilter_converge::config::{BadConfig, Config, ModelSource, Origin};
use kilter_converge::drive::{Crash, Options};
use kilter_converge::guided::{Guide, Guided};
use kilter_converge::method::{READS, READS_UNANSWERED, RESYNCS, SEEN, batch, choose, choose_at_random};
use kilter_converge::step::{self, Step};
use kilter_converge::watch::End;
use kilter_converge::{Case, Convergence};
use kilter_report::style::plural;
use kilter_run::lock::Lock;
use kilter_run::{Counters, Shard};
use kilter_system::System;
use serde_json::{Map, Value as Json, json};

use self::model::Model;
use self::schedules::{Schedules, find};
use self::smaller::Family;
use crate::build::build;
use crate::diagnostics::Problems;
use crate::error::{AnyError, Context as _, Error, Tried};
use crate::host::Host;
use crate::part::Part;
use crate::run::{Besides, MakeSource, Ran, Run, RunOptions};
use crate::shell::quoted;

/// A sample that is guided is chosen from so many times as many schedules as are wanted, and at least from this many.
const POOL_FACTOR: u64 = 8;
const POOL_MIN: u64 = 4096;

/// Which store is driven apart, and how.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ConvergeOptions {
    /// Which model, which system
    #[cfg_attr(feature = "clap", arg(value_name = "CONFIG.toml"))]
    pub config: PathBuf,
    /// Another number of writes than the configuration's
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub ops: Option<u8>,
    /// Another number of replicas than the configuration's
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub replicas: Option<u8>,
    /// Run this schedule, as `--list` and findings show it; may be repeated
    #[cfg_attr(feature = "clap", arg(long, value_name = "STEPS", conflicts_with_all = ["list", "sample", "shard", "case", "resume"]))]
    pub schedule: Vec<String>,
    /// What a crash is, instead of what the configuration says: kill, stop or decommission
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_parser = crash))]
    pub crash: Option<Crash>,
    /// Run each schedule that was given so many times; for findings that depend on timing
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 1, value_name = "N", requires = "schedule", value_parser = clap::value_parser!(u64).range(1..)))]
    pub repeat: u64,
    /// Run so many schedules, spread evenly over all
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..)))]
    pub sample: Option<u64>,
    /// Run schedules in a random order, which this number decides; with --sample, random ones
    #[cfg_attr(feature = "clap", arg(long, value_name = "S", conflicts_with_all = ["schedule", "case"]))]
    pub seed: Option<u64>,
    /// With --sample: choose the next schedules by the resynchronisations that those before have shown; which they are
    /// depends on the seed and on what the store did
    #[cfg_attr(feature = "clap", arg(long, requires = "sample", conflicts_with_all = ["schedule", "case", "list"]))]
    pub guided: bool,
    /// How many findings to shrink
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 5, value_name = "N"))]
    pub shrink: usize,
    /// How often a finding's schedule, and each shorter one, is run until it shows the finding again;
    /// more than once for findings that depend on timing
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 1, value_name = "N"))]
    pub again: usize,
    /// Run every schedule from its beginning, even if another one begins alike
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_checkpoints: bool,
    /// What is now --report DIR, with --resume to go on
    #[cfg_attr(feature = "clap", arg(long, hide = true, value_parser = record))]
    pub record: Option<PathBuf>,
    /// How cases are run, and where their record goes.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub run: RunOptions,
}

impl ConvergeOptions {
    /// The usual options for a configuration.
    pub fn of(config: impl Into<PathBuf>) -> ConvergeOptions {
        ConvergeOptions {
            config: config.into(),
            ops: None,
            replicas: None,
            schedule: Vec::new(),
            crash: None,
            repeat: 1,
            sample: None,
            seed: None,
            guided: false,
            shrink: 5,
            again: 1,
            no_checkpoints: false,
            record: None,
            run: RunOptions::default(),
        }
    }
}

#[cfg(feature = "clap")]
fn record(_: &str) -> Result<PathBuf, String> {
    Err("the record is now in a folder: name it with --report DIR, and go on with --resume".to_owned())
}

fn crash(text: &str) -> Result<Crash, String> {
    let all = [Crash::Kill, Crash::Stop, Crash::Decommission];
    let found = all.into_iter().find(|crash| crash.word() == text);
    found.ok_or_else(|| "it should be kill, stop or decommission".to_owned())
}

/// What is driven apart.
struct Prepared {
    config: Config,
    model: ModelSource,
    /// Tells this run from others, on every machine alike.
    identity: String,
}

fn prepare(args: &ConvergeOptions) -> Tried<Prepared> {
    if !args.run.durations.is_empty() {
        let why = "schedules with the same beginning are played on one machine, and all take about as long";
        return Err(format!("--durations is not for `converge`: {why}").into());
    }
    let path = args.config.display();
    let text = crate::read::config(&args.config)?;
    let mut config = match Config::parse(&text) {
        Err(BadConfig::Text(error)) => return Err(Problems::of_text(&args.config, &text, error).into()),
        parsed => parsed.with_context(|| path.to_string())?,
    };
    config.ops = args.ops.or(config.ops);
    config.replicas = args.replicas.unwrap_or(config.replicas);
    if let Some(crash) = args.crash {
        config.system.crash = Some(vec![crash]);
    }
    let identity = serde_json::to_string(&config)?;
    config.system.find_command(folder_of(&args.config));
    let model = config.model().with_context(|| path.to_string())?;
    Ok(Prepared { config, model, identity })
}

/// The folder of the configuration.
fn folder_of(config: &Path) -> &Path {
    config.parent().unwrap_or(Path::new(""))
}

/// Plays schedules.
pub fn run(args: &ConvergeOptions, host: &mut Host) -> Result<Ran, Error> {
    let prepared = prepare(args)?;
    let Prepared { config, model: source, .. } = &prepared;
    if config.system.world().is_some() {
        return Ok(datatypes::run(args, &prepared, host)?);
    }
    // Those who get their cases from elsewhere get the system from there, too.
    if !matches!(host.part, Part::Given(_)) {
        build(&config.system, folder_of(&args.config), host)?;
    }
    args.run.check_keep(&config.system, host)?;
    let system = config.system().map_err(AnyError::from)?;
    if let Err(trouble) = system.store().check() {
        return Err(Error::NotRunnable(trouble.into()));
    }
    let resyncs = config.seen(&system);
    if args.guided && resyncs.is_empty() {
        let what = "say in [seen] of the configuration what the nodes' logs say of resynchronisations";
        return Err(AnyError::from(format!("--guided has nothing to go by; {what}")).into());
    }
    let begun = Instant::now();
    let mut schedules = schedules(args, config, source, begun)?;
    let total = schedules.count()?;
    host.watch.say(&format!("{total} schedules\n"));
    let beginning = schedules.model.beginning.clone();
    let family = Mutex::new(Family::new(source.clone(), folder_of(&args.config).to_path_buf()));
    let folder = run_folder(args);
    let options = Options {
        patience: config.patience(),
        crash: Crash::Kill,
        checkpoints: !args.no_checkpoints,
        keep: args.run.keep.clone(),
        logs_all: args.run.keep.is_some(),
        promise: config.promise(&system),
        seen: resyncs,
    };
    let deadline = args.run.time_max.and_then(|time_max| begun.checked_add(time_max));
    let program = host.program.clone();
    let named = match &host.part {
        Part::Given(giver) => ConvergeOptions { config: giver.config(), ..args.clone() },
        _ => args.clone(),
    };
    let method = Convergence {
        about: about(source),
        beginning: &beginning,
        ops: source.ops,
        smaller: &|schedule| family.lock().unwrap_or_else(PoisonError::into_inner).smaller(schedule),
        system: &system,
        options,
        shrink: args.shrink,
        again: args.again,
        repeat: &|schedule, ops, crash| repeat_line(&program, &named, schedule, ops, crash),
        end: End { interrupted: host.flag(), deadline },
        n_shrunk: AtomicUsize::new(0),
        logs: Some(&folder),
    };
    let mut ran = play(args, &prepared, &method, (folder.clone(), schedules, total), begun, host)?;
    ran.more = more(&ran, total);
    if let Some(seen) = seen(&ran) {
        host.watch.say(&seen);
    }
    Ok(ran)
}

/// The system that is driven, and the files of its model.
pub(crate) fn made_of(args: &ConvergeOptions) -> Tried<(System, Vec<PathBuf>)> {
    let config = Config::parse(&crate::read::config(&args.config)?)?;
    let folder = folder_of(&args.config);
    let source = config.model()?;
    let mut files = Model::load(&source, folder)?.files;
    if let Origin::Files { module, config } = &source.origin {
        files.extend([folder.join(module), folder.join(config)]);
    }
    Ok((config.system, files))
}

/// The model and its size, in a few words.
fn about(source: &ModelSource) -> String {
    let module = match &source.origin {
        Origin::BuiltIn(model) => model.module.to_lowercase(),
        Origin::Files { module, .. } => module.display().to_string(),
    };
    source.ops.map_or(module.clone(), |ops| format!("{module} with {ops} writes"))
}

/// The schedules of the configuration's model.
fn schedules(
    args: &ConvergeOptions,
    config: &Config,
    source: &ModelSource,
    begun: Instant,
) -> Tried<Schedules> {
    let mut model = Model::load(source, folder_of(&args.config))?;
    model.end_at(args.run.time_max.and_then(|time_max| begun.checked_add(time_max)));
    Schedules::new(model, config.paths)
}

/// The folder of the run.
fn run_folder(args: &ConvergeOptions) -> PathBuf {
    let name = args.config.file_stem().unwrap_or_default();
    let own = folder_of(&args.config).join(".kilter").join(name);
    let is_beside = args.run.is_choice() || !args.schedule.is_empty();
    args.run.folder(&own, is_beside.then_some(Besides::Case))
}

fn play(
    args: &ConvergeOptions,
    prepared: &Prepared,
    method: &Convergence<'_>,
    (folder, mut schedules, total): (PathBuf, Schedules, u64),
    begun: Instant,
    host: &mut Host,
) -> Tried<Ran> {
    let _lock = Lock::folder(&folder, "--report")?;
    let config = &prepared.config;
    let cases = cases(args, config, &mut schedules, total)?;
    let guide = args.guided.then(|| guide(args, config, cases.len()));
    let n_cases = guide.as_ref().map_or(cases.len(), |guide| guide.n_wanted);
    let mut run = prepared.identity.clone();
    // Other answers lead to other schedules, so the list that they are chosen from does not tell which these are.
    run.extend(guide.as_ref().map(|guide| format!(" {guide:?}")));
    let mut header = method.header(&args.config.display().to_string(), run, n_cases as u64);
    header.only = chosen(args, config, n_cases, total);
    // What is chosen next depends on the results of single cases.
    let batch = if guide.is_some() { 1 } else { batch(n_cases, args.run.jobs.into()) };
    let choose = guide.map(|guide| -> Box<MakeSource<'_, Case>> {
        Box::new(move |pool, earlier| Box::new(Guided::new(pool, &guide, earlier)))
    });
    let warnings = Box::new(Vec::new);
    Run { method, cases, header, first: Vec::new(), choose, batch, folder, warnings, begun }
        .run(&args.run, host)
}

/// What guides a sample.
fn guide(args: &ConvergeOptions, config: &Config, n_cases: usize) -> Guide {
    let shard = args.run.shard.unwrap_or(Shard::WHOLE).stretch(args.sample.unwrap_or(u64::MAX));
    let n_schedules = usize::try_from(shard.end - shard.start).unwrap_or(usize::MAX);
    let n_wanted = n_schedules.saturating_mul(config.crashes().len()).min(n_cases);
    Guide { replicas: config.replicas, n_wanted, seed: args.seed.unwrap_or(0) }
}

/// Which schedules are played, in words, if these are not all or a shard.
fn chosen(args: &ConvergeOptions, config: &Config, n_cases: usize, total: u64) -> Option<String> {
    if !args.schedule.is_empty() {
        return Some("only the schedules that were given were wanted".to_owned());
    }
    // Whoever chooses all cases has left nothing out.
    let n_all = total.saturating_mul(config.crashes().len() as u64);
    if let Some(choice) = args.run.choice().filter(|_| (n_cases as u64) < n_all) {
        return Some(choice);
    }
    let sample = args.sample.filter(|sample| *sample < total)?;
    Some(format!("a sample of {sample} of {total} was wanted"))
}

/// The numbers of the schedules to play, or to choose from.
fn numbers(args: &ConvergeOptions, total: u64) -> Box<dyn Iterator<Item = u64>> {
    let shard = args.run.shard.unwrap_or(Shard::WHOLE);
    let n_pool = |sample: u64| sample.saturating_mul(POOL_FACTOR).max(POOL_MIN);
    let sample = if args.guided { args.sample.map(n_pool) } else { args.sample };
    match args.seed.or(args.guided.then_some(0)) {
        Some(seed) => Box::new(choose_at_random(total, sample, shard, seed).into_iter()),
        None => Box::new(choose(total, args.sample, shard)),
    }
}

/// Takes a schedule's number and its text. Returns whether it wants more.
pub type Each<'e> = &'e mut dyn FnMut(u64, &str) -> bool;

/// Lists the schedules that would be played, until `each` returns `false`. Returns how many there are. Without `each`
/// they are only counted.
pub fn list(args: &ConvergeOptions, each: Option<Each<'_>>) -> Result<u64, Error> {
    let Prepared { config, model, .. } = prepare(args)?;
    let mut schedules = schedules(args, &config, &model, Instant::now())?;
    let total = schedules.count()?;
    let is_all = args.sample.is_none() && args.run.shard.is_none() && args.seed.is_none();
    if each.is_none() && args.run.only.is_none() {
        return Ok(if is_all { total } else { numbers(args, total).count() as u64 });
    }
    let mut count = |_: u64, _: &str| true;
    let each = each.unwrap_or(&mut count);
    let mut n_schedules = 0;
    let mut tell = |number: u64, text: String| {
        let is_wanted = args.run.wants(&text);
        n_schedules += u64::from(is_wanted);
        !is_wanted || each(number, &text)
    };
    if is_all {
        let mut number = 0;
        schedules.each(&mut |schedule: &[Arc<Step>]| {
            number += 1;
            let words: Vec<String> = schedule.iter().map(ToString::to_string).collect();
            tell(number - 1, words.join(" "))
        })?;
        return Ok(n_schedules);
    }
    for number in numbers(args, total) {
        let Some(schedule) = schedules.get(number)? else { break };
        if !tell(number, step::text(&schedule)) {
            break;
        }
    }
    Ok(n_schedules)
}

/// How often each kind of resynchronisation was seen, and how many reads were answered, in words. `None` if there were neither.
fn seen(ran: &Ran) -> Option<String> {
    let mut counters = Counters::default();
    ran.record.cases.iter().for_each(|case| counters.join(&case.counters));
    let seen = counters.sums.iter().filter_map(|(name, n)| Some(format!("{} {n}", name.strip_prefix(SEEN)?)));
    let seen: Vec<String> = seen.collect();
    let mut text = String::new();
    if !seen.is_empty() {
        let n_distinct = counters.distinct.get(RESYNCS).map_or(0, BTreeSet::len) as u64;
        let combinations = plural(n_distinct, "combination");
        text = format!("resynchronisations seen: {}; {combinations}\n", seen.join(", "));
    }
    if let (Some(reads), Some(unanswered)) = (counters.sums.get(READS), counters.sums.get(READS_UNANSWERED)) {
        let _ = writeln!(text, "reads of clients: {reads} answered, {unanswered} not");
    }
    (!text.is_empty()).then_some(text)
}

/// The fields of the JSON answer that only this verb has.
fn more(ran: &Ran, total: u64) -> Map<String, Json> {
    let cases = &ran.record.cases;
    let n_run = cases.iter().filter(|case| case.not_run.is_none()).count();
    let n_planned = usize::try_from(ran.record.header.cases).unwrap_or(usize::MAX);
    let verdict = match (ran.record.findings.len(), n_planned.saturating_sub(n_run)) {
        (0, _) if n_planned == 0 => "nothing",
        (0, 0) if ran.record.header.only.is_none() => "agree",
        (0, _) => "bounded",
        _ => "findings",
    };
    let fields = json!({ "verdict": verdict, "schedules": total, "run": n_run });
    let Json::Object(fields) = fields else { return Map::new() };
    fields
}

/// The cases to play.
fn cases(args: &ConvergeOptions, config: &Config, generator: &mut Schedules, total: u64) -> Tried<Vec<Case>> {
    let crashes = config.crashes();
    let of_all = |schedules: Vec<(u64, Vec<Step>)>| {
        let of_crash = |crash: &Crash| {
            let crash = *crash;
            let schedules = schedules.clone();
            schedules.into_iter().map(move |(number, schedule)| Case::new(number, schedule, crash))
        };
        crashes.iter().flat_map(of_crash).collect::<Vec<Case>>()
    };
    if !args.schedule.is_empty() {
        return Ok(of_all(given(args, &mut generator.model)?));
    }
    if let Some(id) = &args.run.case {
        let (number, crash) = id.split_once('-').map_or((id.as_str(), None), |(n, crash)| (n, Some(crash)));
        let number = number.parse().ok().filter(|number| *number < total);
        let schedule = match number {
            Some(number) => generator.get(number)?.map(|schedule| (number, schedule)),
            None => None,
        };
        let crash = crash.map_or(Ok(crashes.first().copied().unwrap_or(Crash::Kill)), self::crash);
        let (Some((number, schedule)), Ok(crash)) = (schedule, crash) else {
            let known = "those that there are, `--list` shows in their order, from 0";
            return Err(format!("there is no case {id}; {known}").into());
        };
        return Ok(vec![Case::new(number, schedule, crash)]);
    }
    let mut schedules = Vec::new();
    for number in numbers(args, total) {
        schedules.extend(generator.get(number)?.map(|schedule| (number, schedule)));
    }
    Ok(of_all(args.run.wanted(schedules, |(_, schedule)| step::text(schedule))?))
}

/// The schedules that the user gave by their steps.
fn given(args: &ConvergeOptions, model: &mut Model) -> Tried<Vec<(u64, Vec<Step>)>> {
    let mut schedules = Vec::new();
    for text in &args.schedule {
        let found = find(model, &step::words(text))?;
        let schedule = found.with_context(|| format!("`{text}` is no schedule of the model"))?;
        for _ in 0..args.repeat {
            schedules.push((schedules.len() as u64, schedule.clone()));
        }
    }
    Ok(schedules)
}

/// The command line that repeats a schedule of the model with so many writes.
fn repeat_line(
    program: &str,
    args: &ConvergeOptions,
    schedule: &[Step],
    ops: Option<u8>,
    crash: Crash,
) -> String {
    let mut words = vec![format!("{program} converge {}", quoted(&args.config))];
    words.extend(args.replicas.map(|n| format!("--replicas {n}")));
    words.extend((crash != Crash::Kill).then(|| format!("--crash {}", crash.word())));
    words.extend(ops.map(|ops| format!("--ops {ops}")));
    words.push(format!("--schedule '{}'", step::text(schedule)));
    words.join(" ")
}
