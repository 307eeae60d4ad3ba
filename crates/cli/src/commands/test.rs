//! `kilter test`: the system driven along every case, and compared with the specification after every step.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};
use kilter_check::Progress as _;
use kilter_conform::run::{MakeWorld, Options, Outcome, Stopped};
use kilter_conform::{Case, Plan, cases};
use kilter_mapping::mapping::System;
use kilter_testbed::{Cluster, Interrupt, Setup, Trouble, World};
use kilter_value::Store;
use kilter_wire::{Finding, Group};
use serde_json::json;

use super::graph::BAD_INPUT;
use super::repeat::quoted;
use crate::args::IoArgs;
use crate::changing::side::SideInput;
use crate::changing::since::{self, Selected};
use crate::lock::Lock;
use crate::progress::Line;
use crate::render::error_word;
use crate::rim::Signals;
use crate::testing::borders::borders;
use crate::testing::build::build;
use crate::testing::live::Live;
use crate::testing::prepare::{Prepared, prepare};
use crate::testing::record::{Earlier, Record, header};
use crate::testing::stages;
use crate::testing::tell::{self, About};
use crate::worlds::Worlds;
use crate::{changing, files, rim};

/// What it means that the system under test could not be run.
const NOT_RUNNABLE: u8 = 3;
/// How long the ids of a suite's cases are.
const SUITE_ID_CHARS: usize = 16;

/// `kilter test`
#[derive(clap::Args, Clone, Debug)]
pub struct TestArgs {
    /// The mapping
    #[arg(value_name = "kilter.toml", default_value = "kilter.toml")]
    pub config: PathBuf,
    /// Run this suite of `kilter suite --out` instead of the one that the mapping describes
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// Run only what has to be tested because of what changed since this git revision, in specification and code
    #[arg(long, value_name = "REV", conflicts_with_all = ["suite", "resume"])]
    pub since: Option<String>,
    /// How many systems are run side by side; verdicts do not depend on it
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Run part K of N, such as 2/4
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<(usize, usize)>,
    /// Run only this case: an id of the suite, or e7 for the shortest path that ends with edge 7
    #[arg(long, value_name = "ID", conflicts_with_all = ["shard", "resume"])]
    pub case: Option<String>,
    /// Another seed makes another suite that covers the same
    #[arg(long, value_name = "N", conflicts_with = "suite")]
    pub seed: Option<u64>,
    /// Stop after so many findings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_findings: Option<u64>,
    /// Where the record and the report go [default: .kilter beside kilter.toml]
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Go on where an earlier run with the same report folder has ended
    #[arg(long)]
    pub resume: bool,
    /// What the specification may do with files and programs.
    #[command(flatten)]
    pub io: IoArgs,
    /// With --since: write a summary of what is tested and why to this file, for a pull request
    #[arg(long, value_name = "FILE", requires = "since")]
    pub markdown: Option<PathBuf>,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((k, n)) if 1 <= k && k <= n => Ok((k, n)),
        _ => Err("it should be K/N with K from 1 to N, such as 2/4".to_owned()),
    }
}

/// Tests a system. What is wrong with the input or with the system is told here; the exit code.
pub fn run(args: &TestArgs, worlds: &Worlds, signals: &Signals) -> anyhow::Result<u8> {
    test(args, worlds, signals).or_else(|error| rim::blame(error, BAD_INPUT))
}

fn test(args: &TestArgs, worlds: &Worlds, signals: &Signals) -> anyhow::Result<u8> {
    let store = Store::new();
    let mut prepared = match prepare(&args.config, args.io.access(), &store) {
        Ok(prepared) => prepared,
        Err(problems) => {
            rim::say(&problems.text);
            return Ok(BAD_INPUT);
        }
    };
    let own = prepared.folder.join(".kilter");
    let cache = args.report.clone().unwrap_or_else(|| own.clone());
    // One case, run again, must not take the place of a whole run; neither must the cases that a change needs.
    let report = match (&args.report, &args.case, &args.since) {
        (Some(report), ..) => report.clone(),
        (None, Some(_), _) => own.join("case"),
        (None, None, Some(_)) => own.join("since"),
        (None, None, None) => own,
    };
    let _lock = Lock::folder(&report, "--report")?;
    let mut line = Line::new(args.json, signals)?;
    let selected = match &args.since {
        Some(revision) => {
            let workers = usize::from(args.jobs);
            let wanted = SideInput {
                mapping: Some(args.config.clone()),
                access: args.io.access(),
                ..SideInput::default()
            };
            Some(since::select(&wanted, revision, args.seed, &cache, workers, &mut line)?)
        }
        None => None,
    };
    if let Some(selected) = &selected {
        rim::say(&changing::tell::to_text(&selected.round, &selected.new));
        if let Some(path) = &args.markdown {
            files::replace(path, changing::markdown::summary(&selected.round, &selected.new))?;
        }
        if selected.cases.is_empty() {
            return nothing_to_run(args, selected);
        }
    }
    if let Err(why) = build(&prepared.mapping.system.build, &prepared.folder, signals)? {
        rim::say(&format!("{}: the system could not be built: {why}\n", error_word()));
        return Ok(NOT_RUNNABLE);
    }
    let interrupt = Interrupt::on_signals()?;
    let make_world = world_maker(&prepared, worlds, &interrupt)?;
    let graph = stages::graph(&mut prepared, &store, &cache, usize::from(args.jobs), &mut line)?;
    let plan = Plan::new(&graph, &prepared.mapping, &store, borders(&prepared.program, &store, &graph)?)?;
    let cases = chosen_cases(args, &plan, selected.as_ref())?;
    let header = header(&plan, &args.config, &cases);
    let (mut record, earlier) = if args.resume {
        Record::resume(&report, &header)?
    } else {
        (Record::create(&report, &header, &plan)?, Earlier::default())
    };
    let cases: Vec<Case> = cases.into_iter().filter(|case| !earlier.done.contains(&case.id)).collect();
    let repeat = |id: &str| repeat_line(args, id);
    let interrupted = line.interrupted();
    let options = Options {
        jobs: usize::from(args.jobs),
        findings_max: args.max_findings,
        repeat: &repeat,
        interrupted: &interrupted,
    };
    let mut live = Live::new(&mut record, args.json)?;
    let _patience = signals.patience();
    let mut outcome = kilter_conform::run(&plan, &store, &cases, &*make_world, &options, &mut live);
    live.clear();
    add_earlier(&mut outcome, earlier);
    if interrupted.load(Ordering::Relaxed) {
        outcome.stopped = Some(Stopped::Interrupted);
    }
    // Whatever can't be written: what was found is told first.
    let written = record.check().and_then(|()| super::report::write_all(&report, &report).map(drop));
    let selected = selected.map(|selected| changing::tell::to_json(&selected.round, &selected.new));
    let about = About { n_states: graph.n_states(), n_edges: graph.n_edges(), report: &report, selected };
    let code = answer(args, &outcome, &about)?;
    written.map(|()| code)
}

/// Says what came of it; the exit code.
fn answer(args: &TestArgs, outcome: &Outcome, about: &About<'_>) -> anyhow::Result<u8> {
    if args.json {
        rim::print(&format!("{}\n", tell::to_json(outcome, about)))?;
    } else if let Some(Stopped::NotRunnable(why)) = &outcome.stopped {
        rim::say(&format!("{}: the system could not be run: {why}\n", error_word()));
    } else {
        rim::print(&tell::to_text(outcome, about))?;
    }
    Ok(match &outcome.stopped {
        Some(Stopped::NotRunnable(_)) => NOT_RUNNABLE,
        Some(Stopped::Interrupted) => rim::INTERRUPTED,
        _ if outcome.findings.is_empty() => 0,
        _ => 1,
    })
}

/// Says that nothing has to be run; why has been said already.
fn nothing_to_run(args: &TestArgs, selected: &Selected) -> anyhow::Result<u8> {
    if args.json {
        let told = changing::tell::to_json(&selected.round, &selected.new);
        let seconds = selected.round.took.as_secs_f64();
        let nothing = json!({
            "cases": 0, "passed": 0, "findings": [], "groups": [], "steps": 0, "planned": 0, "seconds": seconds,
            "cases_per_second": 0.0, "selected": told,
        });
        rim::print(&format!("{nothing}\n"))?;
    }
    Ok(0)
}

/// The line that runs a case again.
fn repeat_line(args: &TestArgs, id: &str) -> String {
    let program = std::env::args_os().next().map(PathBuf::from);
    let program = program
        .as_deref()
        .and_then(Path::file_name)
        .map_or_else(|| "kilter".into(), |name| name.to_string_lossy());
    let mut words = vec![format!("{program} test {}", quoted(&args.config))];
    // Shortest paths to edges are the same whatever the suite.
    if !id.starts_with(['e', 'p']) || id.len() == SUITE_ID_CHARS {
        words.extend(args.suite.as_ref().map(|suite| format!("--suite {}", quoted(suite))));
        words.extend(args.since.as_ref().map(|since| format!("--since {}", quoted(Path::new(since)))));
        words.extend(args.seed.map(|seed| format!("--seed {seed}")));
    }
    words.extend(args.io.allow_io.then(|| "--allow-io".to_owned()));
    words.push(format!("--case {id}"));
    words.join(" ")
}

fn add_earlier(outcome: &mut Outcome, earlier: Earlier) {
    let n_done = earlier.done.len() as u64;
    outcome.tally.n_cases += n_done;
    outcome.tally.ended += n_done;
    outcome.tally.passed += earlier.passed;
    outcome.tally.steps += earlier.steps;
    for finding in &earlier.findings {
        match outcome.groups.iter_mut().find(|group| group.group == finding.group) {
            Some(group) => group.findings += 1,
            None => outcome.groups.push(group_of(finding)),
        }
    }
    outcome.findings.splice(0..0, earlier.findings);
}

/// A group of which only an earlier sitting has found something.
fn group_of(finding: &Finding) -> Group {
    Group {
        group: finding.group.clone(),
        findings: 1,
        edges_failed: 1,
        edges_passed: 0,
        shortest: finding.shortest.clone().unwrap_or_else(|| finding.case.clone()),
        steps: finding.path.len() as u32,
        hints: finding.hints.clone(),
        repeat: finding.repeat.clone(),
    }
}

/// The cases that the arguments ask for.
fn chosen_cases(args: &TestArgs, plan: &Plan<'_>, selected: Option<&Selected>) -> anyhow::Result<Vec<Case>> {
    let all = match (&args.suite, selected) {
        (_, Some(selected)) => selected.cases.clone(),
        (Some(path), None) => stages::read_cases(plan.graph, path)?,
        (None, None) => stages::make_cases(plan.graph, &plan.mapping.suite, args.seed)?,
    };
    if let Some(id) = &args.case {
        let found = cases::by_id(plan, &all, id);
        return Ok(vec![
            found.with_context(|| format!("there is no case {id}, or more than one whose id begins so"))?,
        ]);
    }
    Ok(match args.shard {
        Some((k, n)) => cases::shard(all, k, n),
        None => all,
    })
}

/// What makes a world for each job.
fn world_maker<'m>(
    prepared: &Prepared,
    worlds: &'m Worlds,
    interrupt: &Interrupt,
) -> anyhow::Result<Box<MakeWorld<'m>>> {
    let system: System = prepared.mapping.system.clone();
    let Some(name) = &system.world else {
        let setup = setup(&system, &prepared.folder, interrupt);
        return Ok(Box::new(move || Ok(Box::new(Cluster::new(setup.clone())) as Box<dyn World>)));
    };
    let Some(maker) = worlds.get(name) else {
        let known = worlds.names();
        let known = if known.is_empty() { "none at all".to_owned() } else { known.join(", ") };
        bail!(
            "there is no world `{name}` in this program, which knows {known}; `kilter` alone runs commands only"
        );
    };
    Ok(Box::new(move || -> Result<Box<dyn World>, Trouble> { maker(&system) }))
}

fn setup(system: &System, folder: &Path, interrupt: &Interrupt) -> Setup {
    Setup {
        env: system.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        dir: std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf()),
        patience: system.patience,
        start_patience: system.start_patience,
        reset: system.reset.clone(),
        interrupt: Some(interrupt.clone()),
        ..Setup::new(system.nodes.iter().map(String::as_str), system.command.iter().map(String::as_str))
    }
}
