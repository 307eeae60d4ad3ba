//! `kilter explore`: every order of events worth trying, with faults where they hurt.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::ValueEnum;
use kilter_explore::outcome::{Explorable, Outcome, Told};
use kilter_explore::{Likeness, Options, Search};
use serde::Deserialize;
use serde_json::json;

use crate::exploring::{Watch, built_in};
use crate::render::{count, plural};
use crate::{rim, units};

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
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "alike")]
    pub peers: Option<PeersArg>,
    /// Within how many steps the goal must be reached, and again after each fault
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,
    /// How many faults there may be
    #[arg(long, value_name = "F")]
    pub faults: Option<u32>,
    /// Faults at any place, not only where they destroy the event that reaches the goal
    #[arg(long)]
    pub faults_anywhere: bool,
    /// By how many steps a sequence that has not reached the goal is extended before it is reported
    #[arg(long, value_name = "N")]
    pub extension: Option<u32>,
    /// Do not explore again from a state that was seen before; for dfs and bfs
    #[arg(long)]
    pub matching: bool,
    /// How many nodes
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
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

/// The places of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(Vec<usize>);

fn schedule(text: &str) -> Result<Schedule, String> {
    let places: Result<Vec<usize>, _> = text.split('.').filter(|place| !place.is_empty()).map(str::parse).collect();
    places.map(Schedule).map_err(|_| "numbers with dots between them are expected".to_owned())
}

/// How to search.
#[derive(ValueEnum, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
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

/// How much alike events on peers must be.
#[derive(ValueEnum, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum PeersArg {
    /// Same role, same functions, same content
    Claimed,
    /// And the peers hold the same, up to names
    Alike,
    /// And nothing in the whole system tells them apart
    Symmetric,
}

impl From<PeersArg> for Likeness {
    fn from(peers: PeersArg) -> Likeness {
        match peers {
            PeersArg::Claimed => Likeness::Claimed,
            PeersArg::Alike => Likeness::Alike,
            PeersArg::Symmetric => Likeness::Symmetric,
        }
    }
}

/// The configuration file.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Config {
    system: System,
    #[serde(default)]
    explore: Explore,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct System {
    world: String,
    #[serde(default = "three")]
    nodes: usize,
    #[serde(default)]
    bug: bool,
}

fn three() -> usize {
    3
}

#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
struct Explore {
    search: Option<SearchArg>,
    peers: Option<PeersArg>,
    depth: Option<u32>,
    faults: Option<u32>,
    #[serde(default)]
    faults_anywhere: bool,
    extension: Option<u32>,
    #[serde(default)]
    matching: bool,
}

/// Explores a system.
pub fn run(args: &ExploreArgs) -> anyhow::Result<u8> {
    match explore(args) {
        Ok(code) => Ok(code),
        Err(error) => {
            rim::say(&format!("{}: {error:#}\n", crate::render::error_word()));
            Ok(2)
        }
    }
}

fn explore(args: &ExploreArgs) -> anyhow::Result<u8> {
    let text = std::fs::read_to_string(&args.config)
        .with_context(|| format!("{} cannot be read", args.config.display()))?;
    let config: Config =
        toml::from_str(&text).with_context(|| format!("{} is not understood", args.config.display()))?;
    let n_nodes = args.nodes.unwrap_or(config.system.nodes);
    let subject = built_in(&config.system.world, n_nodes, config.system.bug)?;
    let options = options(args, &config.explore);
    if options.matching && !matches!(options.search, Search::Dfs | Search::Bfs) {
        bail!("states are matched in dfs and bfs only");
    }
    if let Some(Schedule(places)) = &args.replay {
        return replay(args, &*subject, places, &options);
    }
    let started = Instant::now();
    let mut watch = Watch::new(args.time_max)?;
    let outcome = match subject.explore(&options, &mut watch) {
        Ok(outcome) => outcome,
        Err(trouble) => bail!("{trouble}"),
    };
    watch.clear();
    let seconds = started.elapsed().as_secs_f64();
    let text = if args.json { in_json(&outcome, seconds) } else { in_words(args, &outcome, seconds) };
    rim::print(&text);
    if watch.was_interrupted() {
        return Ok(rim::INTERRUPTED);
    }
    Ok(u8::from(outcome.counts.failing > 0))
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
    Options {
        search,
        peers: args.peers.or(config.peers).map(Into::into),
        depth: args.depth.or(config.depth).unwrap_or(default.depth),
        faults: args.faults.or(config.faults).unwrap_or(default.faults),
        faults_anywhere: args.faults_anywhere || config.faults_anywhere,
        extension: args.extension.or(config.extension).unwrap_or(default.extension),
        matching: args.matching || config.matching,
        sequences_max: args.sequences_max,
        ..default
    }
}

fn replay(args: &ExploreArgs, subject: &dyn Explorable, places: &[usize], options: &Options) -> anyhow::Result<u8> {
    let replayed = match subject.replay(places, options) {
        Ok(replayed) => replayed,
        Err(trouble) => bail!("{trouble}"),
    };
    let text = if args.json {
        format!("{:#}\n", replayed.told.json())
    } else {
        format!("{}\n{}", replayed.told.draw(), heading(&replayed.told))
    };
    rim::print(&text);
    Ok(u8::from(replayed.fails))
}

fn in_json(outcome: &Outcome, seconds: f64) -> String {
    let counts = &outcome.counts;
    let findings: Vec<_> = outcome.findings.iter().map(Told::json).collect();
    let answer = json!({
        "sequences": counts.sequences,
        "states": counts.states,
        "findings": findings,
        "seconds": seconds,
        "failing_sequences": counts.failing,
        "complete": outcome.saved.is_none(),
        "events": counts.events,
        "depth": counts.depth,
        "pruned": counts.pruned,
        "late": counts.late,
        "late_by": counts.late_by,
        "peers": counts.peers,
        "peers_unlike": counts.peers_unlike,
    });
    format!("{answer:#}\n")
}

fn heading(told: &Told) -> String {
    format!("{}: {}\n", told.kind, told.sentence)
}

fn in_words(args: &ExploreArgs, outcome: &Outcome, seconds: f64) -> String {
    let counts = &outcome.counts;
    let mut text = String::new();
    for told in &outcome.findings {
        text.push_str(&heading(told));
        text.push_str(&told.draw());
        text.push_str(&format!("repeat with:\n  {}\n\n", repeat(args, told)));
    }
    let rate = counts.events as f64 / seconds.max(1e-9);
    text.push_str(&format!(
        "{}, {} events ({}/s), {} states, depth {}, {seconds:.1} s\n",
        plural(counts.sequences, "sequence"),
        count(counts.events),
        count(rate as u64),
        count(counts.states),
        counts.depth,
    ));
    if counts.late > 0 {
        text.push_str(&format!(
            "{} reached the goal only when extended, by {} at most\n",
            plural(counts.late, "sequence"),
            plural(counts.late_by.into(), "step")
        ));
    }
    if counts.peers_unlike > 0 {
        text.push_str(&format!(
            "peers that do not hold the same stood for each other {} of {} times: that they are alike is your claim\n",
            count(counts.peers_unlike),
            count(counts.peers)
        ));
    }
    let verdict = match (counts.failing, outcome.saved.is_some()) {
        (0, false) => "nothing wrong was found".to_owned(),
        (0, true) => "nothing wrong was found so far; the search was ended early".to_owned(),
        (failing, _) => format!("{} fail", plural(failing, "sequence")),
    };
    text.push_str(&format!("{verdict}\n"));
    text
}

/// The line that does it again.
fn repeat(args: &ExploreArgs, told: &Told) -> String {
    let mut line = format!("kilter explore {} --replay {}", args.config.display(), told.schedule());
    if let Some(nodes) = args.nodes {
        line.push_str(&format!(" --nodes {nodes}"));
    }
    line
}
