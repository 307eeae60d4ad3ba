//! The configuration file: which system, what must hold, how to search.

use std::collections::BTreeMap;

use kilter_system::{Fault, System, keys};
use serde::Deserialize;
use thiserror::Error;

use crate::options::{Options, Search};
use crate::subject::{Likeness, searched_faults};

/// A configuration, as it is written.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What is explored.
    pub system: System,
    /// What must hold, if it consists of processes.
    #[serde(default)]
    pub properties: PropertiesSection,
    /// How; the command line comes first.
    #[serde(default)]
    pub explore: Explore,
}

/// `[properties]` of processes
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct PropertiesSection {
    /// What nodes report and formulas use.
    #[serde(default)]
    pub variables: Vec<String>,
    /// What must hold in every state, by name.
    #[serde(default)]
    pub safety: BTreeMap<String, String>,
    /// What must hold in some state of every sequence.
    pub goal: Option<String>,
}

/// `[explore]`
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Explore {
    /// How to search.
    pub search: Option<SearchWord>,
    /// How much alike events on peers must be to stand for each other.
    pub peers: Option<Peers>,
    /// Within how many steps the goal must be reached.
    pub depth: Option<u32>,
    /// How many faults there may be.
    pub faults: Option<u32>,
    /// Which kinds of faults there may be.
    pub fault_kinds: Option<Vec<Fault>>,
    /// Faults at any place.
    #[serde(default)]
    pub faults_anywhere: bool,
    /// By how many steps a sequence is extended before it is reported.
    pub extension: Option<u32>,
    /// Do not explore again from a state that was seen before.
    #[serde(default)]
    pub matching: bool,
}

impl Config {
    /// Reads a configuration.
    pub fn parse(text: &str) -> Result<Config, BadConfig> {
        toml::from_str(text).map_err(|error| BadConfig(keys::explain(&error.to_string())))
    }
}

/// A text that is no configuration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BadConfig(String);

/// A search that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadSearch {
    /// Where faults are placed by events that they destroy.
    #[error("`{0}` destroys no event; it is tried with `--faults-anywhere` only")]
    DestroysNothing(Fault),
    /// A fault that only `kilter test` knows.
    #[error("a search can't bring about `{0}`; it knows {known}", known = words())]
    NoSuchFault(Fault),
    /// In another search.
    #[error("states are matched in dfs and bfs only")]
    CannotMatch,
    /// Of processes.
    #[error(
        "states of processes can be matched only if they report all that they hold, and [system] says so with `complete = true`"
    )]
    NotComplete,
}

/// The faults that a search knows.
fn words() -> String {
    searched_faults().map(Fault::word).collect::<Vec<_>>().join(", ")
}

impl Explore {
    /// The same, where `first` says nothing else.
    #[must_use]
    pub fn or_rather(&self, first: &Explore) -> Explore {
        Explore {
            search: first.search.or(self.search),
            peers: first.peers.or(self.peers),
            depth: first.depth.or(self.depth),
            faults: first.faults.or(self.faults),
            fault_kinds: first.fault_kinds.clone().or_else(|| self.fault_kinds.clone()),
            faults_anywhere: first.faults_anywhere || self.faults_anywhere,
            extension: first.extension.or(self.extension),
            matching: first.matching || self.matching,
        }
    }

    /// What to search for, and how; `walks` are for searches that are random.
    pub fn options(&self, walks: Walks) -> Result<Options, BadSearch> {
        let default = Options::default();
        let kinds = self.fault_kinds.as_ref().map(|kinds| kinds.iter().copied().collect());
        let options = Options {
            search: self.search.unwrap_or(SearchWord::Dpor).search(walks),
            peers: self.peers.map(Likeness::from),
            depth: self.depth.unwrap_or(default.depth),
            faults: self.faults.unwrap_or(default.faults),
            fault_kinds: kinds.unwrap_or(default.fault_kinds),
            faults_anywhere: self.faults_anywhere,
            extension: self.extension.unwrap_or(default.extension),
            matching: self.matching,
            ..default
        };
        if let Some(fault) = options.fault_kinds.iter().find(|fault| !fault.is_searched()) {
            return Err(BadSearch::NoSuchFault(*fault));
        }
        let useless = options.fault_kinds.iter().find(|fault| !fault.destroys_events());
        if let Some(fault) = useless.filter(|_| options.faults > 0 && !options.faults_anywhere) {
            return Err(BadSearch::DestroysNothing(*fault));
        }
        if options.matching && !matches!(options.search, Search::Dfs | Search::Bfs) {
            return Err(BadSearch::CannotMatch);
        }
        Ok(options)
    }
}

/// What random searches need besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walks {
    /// Another seed, other orders.
    pub seed: u64,
    /// How many sequences.
    pub n: u64,
}

/// A way to search, by its name.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum SearchWord {
    /// Every order of events.
    Dfs,
    /// One order of each set of orders that lead to the same.
    Dpor,
    /// Shortest sequences first.
    Bfs,
    /// Random orders.
    Random,
    /// Random priorities of nodes that change at a few random steps.
    Pct,
}

/// How many events in a certain order make the bugs that `pct` looks for.
const BUG_DEPTH: u32 = 3;

impl SearchWord {
    fn search(self, Walks { seed, n: walks }: Walks) -> Search {
        match self {
            SearchWord::Dfs => Search::Dfs,
            SearchWord::Dpor => Search::Dpor,
            SearchWord::Bfs => Search::Bfs,
            SearchWord::Random => Search::Random { seed, walks },
            SearchWord::Pct => Search::Pct { seed, walks, bug_depth: BUG_DEPTH },
        }
    }
}

/// How much alike events on peers must be to stand for each other, by its name.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Peers {
    /// Same role, same functions, same content.
    Claimed,
    /// And the peers hold the same, up to names.
    Alike,
    /// And nothing in the whole system tells them apart.
    Symmetric,
}

impl From<Peers> for Likeness {
    fn from(peers: Peers) -> Likeness {
        match peers {
            Peers::Claimed => Likeness::Claimed,
            Peers::Alike => Likeness::Alike,
            Peers::Symmetric => Likeness::Symmetric,
        }
    }
}
