//! The configuration file: which system, what must hold, how to search.

use std::collections::{BTreeMap, BTreeSet};

use kilter_system::{Fault, keys};
use serde::Deserialize;
use thiserror::Error;

use crate::options::{Options, Search};
use crate::subject::{FAULTS, Likeness};

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

/// `[system]`: either a system that is linked in, or processes.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a file, each by its name")]
pub struct System {
    /// A system that is linked in, by its name.
    pub world: Option<String>,
    /// How many nodes it has.
    #[serde(default = "three")]
    pub size: usize,
    /// Whether its bug is there.
    #[serde(default)]
    pub bug: bool,
    /// How a process is started.
    #[serde(default)]
    pub command: Vec<String>,
    /// The names of the processes.
    #[serde(default)]
    pub nodes: Vec<String>,
    /// What processes find in their environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// A request that brings a process back to its initial state.
    pub reset: Option<String>,
    /// Actions that are timers.
    #[serde(default)]
    pub timers: BTreeSet<String>,
    /// Actions that read or write what is stored.
    #[serde(default)]
    pub storage: BTreeSet<String>,
    /// Actions that are never let go.
    #[serde(default)]
    pub never: BTreeSet<String>,
    /// Actions that are let go as soon as they are offered, and are no events.
    #[serde(default)]
    pub at_once: BTreeSet<String>,
    /// Whether messages from one node to another are taken in in the order in which they were sent.
    #[serde(default)]
    pub in_order: bool,
    /// Whether nodes that crashed may come up again, in a step of their own.
    #[serde(default)]
    pub recover: bool,
    /// Whether timers fire only when nothing else can happen.
    #[serde(default)]
    pub patient: bool,
    /// A request that makes an action of `storage` fail.
    pub disk_error: Option<String>,
    /// Whether nodes report all that they hold.
    #[serde(default)]
    pub complete: bool,
    /// The variable that tells a node's role.
    pub role: Option<String>,
    /// What clients ask for, each once.
    #[serde(default)]
    pub requests: Vec<Request>,
}

fn three() -> usize {
    3
}

/// What a client asks for.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Whom.
    pub node: String,
    /// For what.
    pub action: String,
    /// With which arguments.
    #[serde(default)]
    pub args: Vec<serde_json::Value>,
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
    #[error("a message that arrives twice destroys no event; it is tried with `--faults-anywhere` only")]
    DuplicateDestroysNothing,
    /// A fault that only `kilter test` knows.
    #[error("a search can't bring about `{0}`; it knows {known}", known = FAULTS.map(Fault::word).join(", "))]
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
        if let Some(fault) = options.fault_kinds.iter().find(|fault| !FAULTS.contains(fault)) {
            return Err(BadSearch::NoSuchFault(*fault));
        }
        if options.fault_kinds.contains(&Fault::Duplicate) && options.faults > 0 && !options.faults_anywhere {
            return Err(BadSearch::DuplicateDestroysNothing);
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
