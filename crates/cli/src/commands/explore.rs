//! `kilter explore`: every order of events worth trying, with faults where they hurt.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::ValueEnum;
use kilter::Worlds;
use kilter::explore::BadSystem;
use kilter_explore::config::{BadSearch, Config, Explore, Peers, SearchWord, Walks};
use kilter_explore::method::{Case, Exploration, n_parts};
use kilter_explore::outcome::{Explorable, Told};
use kilter_explore::{Fault, Options};
use kilter_report::summarize;
use kilter_run::lock::Lock;
use kilter_run::{Event, Header, Journal, Shard};
use kilter_testbed::Trouble;
use serde_json::{Map, Value as Json, json};

use super::repeat::quoted;
use crate::render::{BAD, GOOD, paint};
use crate::rim::{self, Signals};
use crate::running::{BAD_INPUT, NOT_RUNNABLE, Ran, Run, RunArgs};

/// `kilter explore`
#[derive(clap::Args, Clone, Debug)]
pub struct ExploreArgs {
    /// What to explore, and how
    #[arg(value_name = "CONFIG")]
    pub config: PathBuf,
    /// How to search [default: dpor]
    #[arg(long, value_enum)]
    pub search: Option<SearchArg>,
    /// Of events on peers explore one: if the peers hold the same up to names (alike), if nothing in the whole system tells them
    /// apart (symmetric), or whenever they have the same role (claimed)
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "alike", require_equals = true)]
    pub peers: Option<PeersArg>,
    /// Within how many steps the goal must be reached, and again after each fault
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub depth: Option<u32>,
    /// How many faults there may be
    #[arg(long, value_name = "F", value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub faults: Option<u32>,
    /// What may break [default: crash,omit,disk]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    pub breaks: Option<Vec<BreakArg>>,
    /// Faults at any place, not only where they destroy the event that reaches the goal
    #[arg(long)]
    pub faults_anywhere: bool,
    /// By how many steps a sequence that has not reached the goal is extended before it is reported
    #[arg(long, value_name = "N")]
    pub extension: Option<u32>,
    /// Do not explore again from a state that was seen before; for dfs and bfs
    #[arg(long)]
    pub matching: bool,
    /// How many nodes a system that is linked in has
    #[arg(long, value_name = "N")]
    pub nodes: Option<usize>,
    /// The seed of random and pct
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// How many sequences random and pct try
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub walks: u64,
    /// Do again what a finding says, as --case does
    #[arg(long, value_name = "SCHEDULE", value_parser = schedule, conflicts_with_all = ["resume", "case"])]
    pub replay: Option<Schedule>,
    /// Stop after as many sequences
    #[arg(long, value_name = "N")]
    pub sequences_max: Option<u64>,
    /// How the parts of the search are run, and where their record goes.
    #[command(flatten)]
    pub run: RunArgs,
}

/// How to search.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchArg {
    /// Every order of events
    Dfs,
    /// One order of each set of orders that lead to the same
    Dpor,
    /// Shortest sequences first
    Bfs,
    /// Random orders
    Random,
    /// Random priorities of nodes that change at a few random steps
    Pct,
}

impl From<SearchArg> for SearchWord {
    fn from(search: SearchArg) -> SearchWord {
        match search {
            SearchArg::Dfs => SearchWord::Dfs,
            SearchArg::Dpor => SearchWord::Dpor,
            SearchArg::Bfs => SearchWord::Bfs,
            SearchArg::Random => SearchWord::Random,
            SearchArg::Pct => SearchWord::Pct,
        }
    }
}

/// What may break.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakArg {
    /// A node crashes
    Crash,
    /// The network loses a message
    Drop,
    /// A link doubles a message; with --faults-anywhere
    Duplicate,
    /// A disk fails a node
    Disk,
}

impl From<BreakArg> for Fault {
    fn from(breaks: BreakArg) -> Fault {
        match breaks {
            BreakArg::Crash => Fault::Crash,
            BreakArg::Drop => Fault::Drop,
            BreakArg::Duplicate => Fault::Duplicate,
            BreakArg::Disk => Fault::Disk,
        }
    }
}

/// How much alike events on peers must be.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeersArg {
    /// Same role, same functions, same content
    Claimed,
    /// And the peers hold the same, up to names
    Alike,
    /// And nothing in the whole system tells them apart
    Symmetric,
}

impl From<PeersArg> for Peers {
    fn from(peers: PeersArg) -> Peers {
        match peers {
            PeersArg::Claimed => Peers::Claimed,
            PeersArg::Alike => Peers::Alike,
            PeersArg::Symmetric => Peers::Symmetric,
        }
    }
}

/// The places of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(Vec<usize>);

fn schedule(text: &str) -> Result<Schedule, String> {
    let places: Result<Vec<usize>, _> =
        text.split('.').filter(|place| !place.is_empty()).map(str::parse).collect();
    places.map(Schedule).map_err(|_| "numbers with dots between them are expected".to_owned())
}

/// Explores a system. What is wrong with the input or with the system is told here; the exit code.
pub fn run(args: &ExploreArgs, worlds: &Worlds, signals: &Signals) -> anyhow::Result<u8> {
    let (system, options) = match prepare(args, worlds) {
        Ok(prepared) => prepared,
        Err(error) => return rim::blame(error, BAD_INPUT),
    };
    let given = match &args.run.case {
        Some(case) => Some(schedule(case).map_err(|error| anyhow!("--case: {error}"))),
        None => args.replay.clone().map(Ok),
    };
    let result = match given {
        Some(Ok(Schedule(places))) => replay(args, &*system, &places, &options),
        Some(Err(error)) => return rim::blame(error, BAD_INPUT),
        None => explore(args, &*system, &options, signals),
    };
    match result {
        Err(error) => match error.downcast_ref::<Trouble>() {
            Some(Trouble::Interrupted) => Ok(rim::INTERRUPTED),
            Some(Trouble::Impossible(_)) => rim::blame(error, BAD_INPUT),
            Some(_) => rim::blame(error, NOT_RUNNABLE),
            None => rim::blame(error, BAD_INPUT),
        },
        result => result,
    }
}

fn prepare(args: &ExploreArgs, worlds: &Worlds) -> anyhow::Result<(Box<dyn Explorable>, Options)> {
    let shown = args.config.display();
    let text = kilter::read::utf8(&args.config).with_context(|| format!("{shown} cannot be read"))?;
    let mut config = Config::parse(&text).with_context(|| format!("{shown} is not understood"))?;
    config.system.size = args.nodes.unwrap_or(config.system.size);
    let walks = Walks { seed: args.seed, n: args.walks };
    let options = config.explore.or_rather(&said(args)).options(walks)?;
    let folder = args.config.parent().filter(|folder| *folder != Path::new(""));
    let system = kilter::explore::system(&config, folder.unwrap_or(Path::new(".")), worlds)?;
    if options.matching && config.system.world.is_none() && !config.system.complete {
        return Err(BadSystem::from(BadSearch::NotComplete).into());
    }
    Ok((system, Options { sequences_max: args.sequences_max, ..options }))
}

fn explore(
    args: &ExploreArgs,
    system: &dyn Explorable,
    options: &Options,
    signals: &Signals,
) -> anyhow::Result<u8> {
    let name = args.config.file_stem().unwrap_or_default();
    let own = args.config.parent().unwrap_or(Path::new("")).join(".kilter").join(name);
    let folder = args.run.folder(&own, None);
    let _lock = Lock::folder(&folder, "--report")?;
    let config = kilter::read::utf8(&args.config)?;
    // How far a search goes in one sitting does not make it another one.
    let lasting = Options { sequences_max: None, ..options.clone() };
    let search = format!("{config}\n{:?} {lasting:?}", args.nodes);
    let repeat = |told: &Told| repeat_line(args, told);
    let method = Exploration::new(system, options, &repeat);
    let header = |n_cases| method.header(&args.config.display().to_string(), search.clone(), n_cases);
    let cases = if args.run.resume { left(&folder, &header(0))? } else { all(args, system, options)? };
    if args.run.list {
        let ids: Vec<&str> = cases.iter().map(Case::id).collect();
        rim::print(&if args.run.json {
            format!("{}\n", json!({ "planned": ids.len(), "listed": ids }))
        } else {
            format!("{}\n", ids.join("\n"))
        })?;
        return Ok(0);
    }
    let planned = cases.iter().map(|case| case.id().to_owned()).collect();
    let (header, first) = (header(cases.len() as u64), vec![Event::Planned { cases: planned }]);
    let ran =
        Run { method: &method, cases, header, first, batch: 1, folder: &folder }.run(&args.run, signals)?;
    let more = more(&ran);
    ran.answer(&args.run, &folder, more)
}

/// The parts of a new search.
fn all(args: &ExploreArgs, system: &dyn Explorable, options: &Options) -> anyhow::Result<Vec<Case>> {
    let shard = args.run.shard.unwrap_or(Shard::WHOLE);
    // So that all machines take it apart alike, whatever their jobs.
    let jobs = if shard == Shard::WHOLE { usize::from(args.run.jobs) } else { shard.parts as usize };
    let parts = system.parts(options, n_parts(jobs))?;
    Ok(shard.every_nth(parts).into_iter().map(Case::new).collect())
}

/// The parts of a search that goes on, each from where it was.
fn left(folder: &Path, header: &Header) -> anyhow::Result<Vec<Case>> {
    let mut earlier = Journal::earlier(folder, header)?;
    let ids = earlier.planned.unwrap_or_default();
    let case = |id: String| {
        let case =
            Case::with_id(&id).with_context(|| format!("the record has a part `{id}`, which is none"))?;
        Ok(match earlier.checkpoints.remove(&id) {
            Some((counters, state)) => case.from_checkpoint(counters, state),
            None => case,
        })
    };
    ids.into_iter().map(case).collect()
}

/// What only this verb says in JSON.
fn more(ran: &Ran) -> Map<String, Json> {
    let counted = summarize(&ran.record).counters.sums;
    #[allow(clippy::cast_precision_loss, reason = "people look at three digits")]
    let seconds = |name: &str| counted.get(name).map_or(0.0, |us| *us as f64 / 1e6);
    let (nodes, testbed) = (seconds("nodes_us"), seconds("testbed_us"));
    let search = (seconds("whole_us") - nodes - testbed).max(0.0);
    let fields = json!({
        "complete": ran.record.is_finished,
        "spent": { "nodes": nodes, "testbed": testbed, "search": search },
    });
    if let Json::Object(fields) = fields { fields } else { Map::new() }
}

fn replay(
    args: &ExploreArgs,
    system: &dyn Explorable,
    places: &[usize],
    options: &Options,
) -> anyhow::Result<u8> {
    let told = system.replay(places, options)?;
    rim::print(&if args.run.json {
        let mut answer = told.json();
        answer["repeat"] = json!(repeat_line(args, &told));
        format!("{answer}\n")
    } else {
        let style = if told.fails { BAD } else { GOOD };
        format!("{}{}: {}\n", told.draw(), paint(style, &told.kind), told.sentence)
    })?;
    Ok(u8::from(told.fails))
}

/// What the command line says about the search.
fn said(args: &ExploreArgs) -> Explore {
    Explore {
        search: args.search.map(Into::into),
        peers: args.peers.map(Into::into),
        depth: args.depth,
        faults: args.faults,
        breaks: args.breaks.as_ref().map(|breaks| breaks.iter().map(|what| Fault::from(*what)).collect()),
        faults_anywhere: args.faults_anywhere,
        extension: args.extension,
        matching: args.matching,
    }
}

/// The line that does it again.
fn repeat_line(args: &ExploreArgs, told: &Told) -> String {
    let mut words = vec![format!("kilter explore {} --case '{}'", quoted(&args.config), told.schedule())];
    words.extend(args.nodes.map(|nodes| format!("--nodes {nodes}")));
    words.extend(args.depth.map(|depth| format!("--depth {depth}")));
    words.extend(args.extension.map(|extension| format!("--extension {extension}")));
    words.join(" ")
}
