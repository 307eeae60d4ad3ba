//! `kilter test`: the system driven along every case, and compared with the specification after every step.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use kilter::Worlds;
use kilter_conform::{Case, Conformance, MakeWorld, Plan, cases};
use kilter_mapping::mapping::System;
use kilter_run::files;
use kilter_run::lock::Lock;
use kilter_testbed::{Cluster, Interrupt, Setup, Trouble, World};
use kilter_value::Store;
use serde_json::{Map, json};

use super::repeat::quoted;
use crate::args::IoArgs;
use crate::changing::side::SideInput;
use crate::changing::since::{self, Selected};
use crate::progress::Line;
use crate::render::error_word;
use crate::rim::Signals;
use crate::running::{BAD_INPUT, Besides, NOT_RUNNABLE, Run, RunArgs};
use crate::testing::borders::borders;
use crate::testing::build::build;
use crate::testing::prepare::{Prepared, prepare};
use crate::testing::stages;
use crate::{changing, rim};

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
    /// Another seed makes another suite that covers the same
    #[arg(long, value_name = "N", conflicts_with = "suite")]
    pub seed: Option<u64>,
    /// How cases are run, and where their record goes.
    #[command(flatten)]
    pub run: RunArgs,
    /// What the specification may do with files and programs.
    #[command(flatten)]
    pub io: IoArgs,
    /// With --since: write a summary of what is tested and why to this file, for a pull request
    #[arg(long, value_name = "FILE", requires = "since")]
    pub markdown: Option<PathBuf>,
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
    let cache = args.run.folder(&own, None);
    let besides =
        args.run.case.as_ref().map(|_| Besides::Case).or(args.since.as_ref().map(|_| Besides::Since));
    let folder = args.run.folder(&own, besides);
    let _lock = Lock::folder(&folder, "--report")?;
    let mut line = Line::new(args.run.json, signals)?;
    let selected = match &args.since {
        Some(revision) => {
            let workers = usize::from(args.run.jobs);
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
    if !args.run.list
        && let Err(why) = build(&prepared.mapping.system.build, &prepared.folder, signals)?
    {
        rim::say(&format!("{}: the system could not be built: {why}\n", error_word()));
        return Ok(NOT_RUNNABLE);
    }
    let interrupt = Interrupt::on_signals()?;
    let make_world = world_maker(&prepared, worlds, &interrupt)?;
    let graph = stages::graph(&mut prepared, &store, &cache, usize::from(args.run.jobs), &mut line)?;
    let plan = Plan::new(&graph, &prepared.mapping, &store, borders(&prepared.program, &store, &graph)?)?;
    let cases = chosen_cases(args, &plan, selected.as_ref())?;
    if args.run.list {
        return list(args, &plan, &store, &cases);
    }
    let repeat = |id: &str| repeat_line(args, id);
    let method = Conformance { plan: &plan, store: &store, make_world: &*make_world, repeat: &repeat };
    let header = method.header(&args.config.display().to_string(), cases.len() as u64);
    let first = vec![method.actions()];
    let ran =
        Run { method: &method, cases, header, first, batch: 1, folder: &folder }.run(&args.run, signals)?;
    let mut more = Map::new();
    if let Some(selected) = selected {
        more.insert("selected".to_owned(), changing::tell::to_json(&selected.round, &selected.new));
    }
    ran.answer(&args.run, &folder, more)
}

/// Lists the cases; the exit code.
fn list(args: &TestArgs, plan: &Plan<'_>, store: &Store, cases: &[Case]) -> anyhow::Result<u8> {
    let steps = |case: &Case| -> Vec<String> {
        case.edges.iter().map(|edge| kilter_conform::discovery::show_step(plan, store, *edge)).collect()
    };
    let text = if args.run.json {
        let listed: Vec<_> =
            cases.iter().map(|case| json!({ "case": case.id, "steps": steps(case) })).collect();
        format!("{}\n", json!({ "planned": listed.len(), "listed": listed }))
    } else {
        let lines = cases.iter().map(|case| format!("{}  {}\n", case.id, steps(case).join("; ")));
        lines.collect()
    };
    rim::print(&text)?;
    Ok(0)
}

/// Says that nothing has to be run; why has been said already.
fn nothing_to_run(args: &TestArgs, selected: &Selected) -> anyhow::Result<u8> {
    if args.run.json {
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

/// The cases that the arguments ask for.
fn chosen_cases(args: &TestArgs, plan: &Plan<'_>, selected: Option<&Selected>) -> anyhow::Result<Vec<Case>> {
    let all = match (&args.suite, selected) {
        (_, Some(selected)) => selected.cases.clone(),
        (Some(path), None) => stages::read_cases(plan.graph, path)?,
        (None, None) => stages::make_cases(plan.graph, &plan.mapping.suite, args.seed)?,
    };
    if let Some(id) = &args.run.case {
        let found = cases::by_id(plan, &all, id);
        return Ok(vec![
            found.with_context(|| format!("there is no case {id}, or more than one whose id begins so"))?,
        ]);
    }
    Ok(match args.run.shard {
        Some(shard) => shard.every_nth(all),
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
