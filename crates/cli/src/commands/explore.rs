//! `kilter explore`: every order of events worth trying, with faults where they hurt.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use kilter_explore::outcome::{Effort, Explorable, Told};
use kilter_explore::{Break, Options, Search};
use kilter_testbed::Trouble;

use super::repeat::quoted;
use crate::exploring::config::{self, BreakArg, Explore, PeersArg, SearchArg};
use crate::exploring::keep::Keep;
use crate::exploring::watch::Watch;
use crate::exploring::{processes, tell};
use crate::rim::{self, Signals};
use crate::worlds::Worlds;
use crate::{files, units};

/// The configuration or an option can't be used.
const BAD_INPUT: u8 = 2;
/// The system could not be run.
const NOT_RUN: u8 = 3;

/// `kilter explore`
#[derive(clap::Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command, each by its name")]
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
    /// Do again what a finding says
    #[arg(long, value_name = "SCHEDULE", value_parser = schedule)]
    pub replay: Option<Schedule>,
    /// Stop after as many sequences
    #[arg(long, value_name = "N")]
    pub sequences_max: Option<u64>,
    /// Stop after this time, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub time_max: Option<Duration>,
    /// How many systems are run side by side
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Go on where the same search has ended early
    #[arg(long, conflicts_with = "replay")]
    pub resume: bool,
    /// Where findings go, and what is needed to go on [default: .kilter beside CONFIG]
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
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
    let result = match &args.replay {
        Some(Schedule(places)) => replay(args, &*system, places, &options),
        None => explore(args, &*system, &options, signals),
    };
    match result {
        Err(error) => match error.downcast_ref::<Trouble>() {
            Some(Trouble::Interrupted) => Ok(rim::INTERRUPTED),
            Some(Trouble::Impossible(_)) => rim::blame(error, BAD_INPUT),
            Some(_) => rim::blame(error, NOT_RUN),
            None => Err(error),
        },
        result => result,
    }
}

fn prepare(args: &ExploreArgs, worlds: &Worlds) -> anyhow::Result<(Box<dyn Explorable>, Options)> {
    let mut config = config::read(&args.config)?;
    config.system.size = args.nodes.unwrap_or(config.system.size);
    let options = options(args, &config.explore);
    if options.breaks.contains(&Break::Duplicate) && options.faults > 0 && !options.faults_anywhere {
        bail!("a message that arrives twice destroys no event; it is tried with `--faults-anywhere` only");
    }
    if options.matching && !matches!(options.search, Search::Dfs | Search::Bfs) {
        bail!("states are matched in dfs and bfs only");
    }
    let system = match (&config.system.world, config.system.command.is_empty()) {
        (Some(_), true) => worlds.explorable(&config.system)?,
        (None, false) if options.matching && !config.system.complete => {
            bail!(
                "states of processes can be matched only if they report all that they hold, and [system] says so with `complete = true`"
            )
        }
        (None, false) => {
            let folder = args.config.parent().filter(|folder| *folder != Path::new(""));
            let folder = folder.unwrap_or(Path::new("."));
            processes::system(&config, folder)?
        }
        _ => bail!("[system] should have either a `world` or a `command`"),
    };
    Ok((system, options))
}

fn explore(
    args: &ExploreArgs,
    system: &dyn Explorable,
    options: &Options,
    signals: &Signals,
) -> anyhow::Result<u8> {
    let config = kilter::read::utf8(&args.config)?;
    // How far a search goes in one sitting does not make it another one.
    let lasting = Options { sequences_max: None, ..options.clone() };
    let search = format!("{config}\n{:?} {lasting:?}", args.nodes);
    let keep = Keep::new(args.report.as_deref(), &args.config, search);
    let mut effort = Effort { n_jobs: args.jobs.into(), rest: None };
    let mut earlier = Vec::new();
    if args.resume {
        let (rest, findings) = keep.resume().map_err(|error| unusable(&error))?;
        (effort.rest, earlier) = (Some(rest), findings);
    }
    let mut found = keep.begin(args.resume).map_err(|error| unusable(&error))?;
    let repeat = |told: &Told| repeat_line(args, told);
    let mut watch = Watch::new(args.time_max, signals, &mut found, &repeat)?;
    let _patience = signals.patience();
    let explored = system.explore(options, effort, &mut watch);
    watch.clear();
    let (seconds, was_interrupted) = (watch.seconds(), watch.was_interrupted());
    let mut outcome = explored?;
    outcome.add(earlier);
    let findings: Vec<_> = outcome.findings.iter().map(|told| tell::finding(told, &repeat)).collect();
    let in_what = if args.json { tell::in_json } else { tell::in_words };
    // Whatever can't be written, the rest is: what was found is never lost for that.
    let told = rim::print(&in_what(&outcome, seconds, &repeat));
    found.check().and(keep.save(&outcome, &findings))?;
    told?;
    if !args.json && !findings.is_empty() {
        rim::say(&format!("findings are in {}\n", keep.findings().display()));
    }
    if outcome.rest.is_some() {
        rim::say("the search was ended early; --resume goes on\n");
    }
    Ok(if was_interrupted { rim::INTERRUPTED } else { u8::from(outcome.counts.failing > 0) })
}

/// What is wrong before anything is started.
fn unusable(error: &anyhow::Error) -> Trouble {
    let advice = files::advice(error).map(|advice| format!("; {advice}")).unwrap_or_default();
    Trouble::Impossible(format!("{error:#}{advice}"))
}

fn replay(
    args: &ExploreArgs,
    system: &dyn Explorable,
    places: &[usize],
    options: &Options,
) -> anyhow::Result<u8> {
    let told = system.replay(places, options)?;
    rim::print(&if args.json {
        format!("{}\n", tell::finding(&told, &|told| repeat_line(args, told)))
    } else {
        format!("{}{}", told.draw(), tell::heading(&told))
    })?;
    Ok(u8::from(told.fails))
}

fn options(args: &ExploreArgs, config: &Explore) -> Options {
    let default = Options::default();
    let search = match args.search.or(config.search).unwrap_or(SearchArg::Dpor) {
        SearchArg::Dfs => Search::Dfs,
        SearchArg::Dpor => Search::Dpor,
        SearchArg::Bfs => Search::Bfs,
        SearchArg::Random => Search::Random { seed: args.seed, walks: args.walks },
        SearchArg::Pct => Search::Pct { seed: args.seed, walks: args.walks, bug_depth: 3 },
    };
    let breaks = args.breaks.as_ref().or(config.breaks.as_ref());
    Options {
        search,
        peers: args.peers.or(config.peers).map(Into::into),
        depth: args.depth.or(config.depth).unwrap_or(default.depth),
        faults: args.faults.or(config.faults).unwrap_or(default.faults),
        breaks: breaks
            .map_or(default.breaks, |breaks| breaks.iter().map(|what| Break::from(*what)).collect()),
        faults_anywhere: args.faults_anywhere || config.faults_anywhere,
        extension: args.extension.or(config.extension).unwrap_or(default.extension),
        matching: args.matching || config.matching,
        sequences_max: args.sequences_max,
        ..default
    }
}

/// The line that does it again.
fn repeat_line(args: &ExploreArgs, told: &Told) -> String {
    let mut words = vec![format!("kilter explore {} --replay '{}'", quoted(&args.config), told.schedule())];
    words.extend(args.nodes.map(|nodes| format!("--nodes {nodes}")));
    words.extend(args.depth.map(|depth| format!("--depth {depth}")));
    words.extend(args.extension.map(|extension| format!("--extension {extension}")));
    words.join(" ")
}
