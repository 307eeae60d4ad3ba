//! The options of an exploration. They override the configuration.

use std::fmt;
use std::path::PathBuf;

use kilter_explore::Fault;
use kilter_explore::config::{Explore, Peers, SearchWord};
use kilter_explore::method::Case;
use kilter_explore::told::START;

#[cfg(feature = "clap")]
use super::words;
use crate::run::RunOptions;

/// The number of sequences that random searches try by default.
const WALKS: u64 = 10_000;

/// What to explore, and how. What is not said here, the configuration says.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ExploreOptions {
    /// What to explore, and how
    #[cfg_attr(feature = "clap", arg(value_name = "CONFIG"))]
    pub config: PathBuf,
    /// How to search [default: dpor]
    #[cfg_attr(feature = "clap", arg(long, value_parser = words::searches()))]
    pub search: Option<SearchWord>,
    /// Of events on peers explore one: if the peers hold the same up to names (alike), if nothing in the whole system tells them
    /// apart (symmetric), or whenever they have the same role (claimed)
    #[cfg_attr(feature = "clap", arg(long, value_parser = words::peers(), num_args = 0..=1, default_missing_value = "alike", require_equals = true))]
    pub peers: Option<Peers>,
    /// Within how many steps the goal must be reached, and again after each fault
    #[cfg_attr(feature = "clap", arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=100_000)))]
    pub depth: Option<u32>,
    /// How many faults there may be
    #[cfg_attr(feature = "clap", arg(long, value_name = "F", value_parser = clap::value_parser!(u32).range(0..=1_000)))]
    pub faults: Option<u32>,
    /// Which kinds of faults there may be [default: crash,drop,disk]
    #[cfg_attr(feature = "clap", arg(long, value_parser = words::fault_kinds(), value_delimiter = ',', value_name = "KINDS"))]
    pub fault_kinds: Option<Vec<Fault>>,
    /// Faults at any place, not only where they destroy the event that reaches the goal
    #[cfg_attr(feature = "clap", arg(long))]
    pub faults_anywhere: bool,
    /// By how many steps a sequence that has not reached the goal is extended before it is reported
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub extension: Option<u32>,
    /// Do not explore again from a state that was seen before; for dfs and bfs
    #[cfg_attr(feature = "clap", arg(long))]
    pub matching: bool,
    /// How many nodes a system that is linked in has
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub nodes: Option<usize>,
    /// The seed of random and pct
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 0, value_name = "N"))]
    pub seed: u64,
    /// How many sequences random and pct try
    #[cfg_attr(feature = "clap", arg(long, default_value_t = WALKS, value_name = "N", value_parser = clap::value_parser!(u64).range(1..)))]
    pub walks: u64,
    /// Do again what a finding says, as --case does
    #[cfg_attr(feature = "clap", arg(long, value_name = "SCHEDULE", value_parser = schedule, conflicts_with_all = ["resume", "case"]))]
    pub replay: Option<Schedule>,
    /// Stop after as many sequences
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..)))]
    pub sequences_max: Option<u64>,
    /// How the parts of the search are run, and where their record goes.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub run: RunOptions,
}

impl ExploreOptions {
    /// The options that leave everything to the configuration.
    pub fn of(config: impl Into<PathBuf>) -> ExploreOptions {
        ExploreOptions {
            config: config.into(),
            search: None,
            peers: None,
            depth: None,
            faults: None,
            fault_kinds: None,
            faults_anywhere: false,
            extension: None,
            matching: false,
            nodes: None,
            seed: 0,
            walks: WALKS,
            replay: None,
            sequences_max: None,
            run: RunOptions::default(),
        }
    }

    /// The options about the search, as a section `[explore]`.
    pub(super) fn said(&self) -> Explore {
        Explore {
            search: self.search,
            peers: self.peers,
            depth: self.depth,
            faults: self.faults,
            fault_kinds: self.fault_kinds.clone(),
            faults_anywhere: self.faults_anywhere,
            extension: self.extension,
            matching: self.matching,
        }
    }
}

/// The indices of a schedule's events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(pub Vec<usize>);

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(START);
        }
        let places: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&places.join("."))
    }
}

/// Reads a schedule, as findings show it: `0.2.1`, or `start` for what is wrong before the first step.
pub fn schedule(text: &str) -> Result<Schedule, String> {
    if text == START {
        return Ok(Schedule(Vec::new()));
    }
    let places: Result<Vec<usize>, _> =
        text.split('.').filter(|place| !place.is_empty()).map(str::parse).collect();
    places.map(Schedule).map_err(|_| match Case::with_id(text) {
        Some(_) => format!(
            "`{text}` is a part of a search; a schedule is expected, as findings name it, such as 0.2.1"
        ),
        None => {
            "numbers with dots between them are expected, as findings name them, such as 0.2.1".to_owned()
        }
    })
}
