//! The configuration file: the system, its properties, and how to search.

use std::collections::BTreeMap;

use kilter_system::keys::{self, BadText};
use kilter_system::{Fault, PLACES, System};
use serde::Deserialize;
use thiserror::Error;

use crate::options::{Options, Search};
use crate::subject::{Likeness, searched_faults};

/// A configuration as it is written.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The system to explore.
    pub system: System,
    /// The properties of a system of processes.
    #[serde(default)]
    pub properties: PropertiesSection,
    /// How to search. Options of the command line override it.
    #[serde(default)]
    pub explore: Explore,
}

/// `[properties]`, for a system of processes.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct PropertiesSection {
    /// The variables that nodes report and that formulas use.
    #[serde(default)]
    pub variables: Vec<String>,
    /// The formulas that must hold in every state, by name.
    #[serde(default)]
    pub safety: BTreeMap<String, String>,
    /// The formula that must hold in some state of every sequence.
    pub goal: Option<String>,
}

/// `[explore]`
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Explore {
    /// How to search.
    pub search: Option<SearchWord>,
    /// How similar events on peers must be for one to stand for the other.
    pub peers: Option<Peers>,
    /// The number of steps within which the goal must be reached.
    pub depth: Option<u32>,
    /// The most faults in a sequence.
    pub faults: Option<u32>,
    /// The kinds of faults that may happen.
    pub fault_kinds: Option<Vec<Fault>>,
    /// Whether faults may happen at any place.
    #[serde(default)]
    pub faults_anywhere: bool,
    /// The number of steps by which a sequence is extended before it is reported.
    pub extension: Option<u32>,
    /// Whether a state that was seen before is not explored again.
    #[serde(default)]
    pub matching: bool,
}

impl Config {
    /// Parses a configuration.
    pub fn parse(text: &str) -> Result<Config, BadText> {
        let config: Config = keys::read(text)?;
        if let Some((place, range)) = config.system.unknown_places().next() {
            let known = PLACES.map(|place| format!("{{{place}}}")).join(", ");
            return Err(BadText {
                message: format!("nothing is known that `{{{place}}}` could stand for"),
                help: Some(format!("there are {known}")),
                range: Some(range),
            });
        }
        Ok(config)
    }
}

/// The error for options that do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadSearch {
    /// Where faults are placed by events that they destroy.
    #[error("`{0}` destroys no event; it is tried with `--faults-anywhere` only")]
    DestroysNothing(Fault),
    /// A fault that only `kilter test` knows.
    #[error("a search can't bring about `{0}`; it knows {known}", known = words())]
    NoSuchFault(Fault),
    /// This search cannot match states.
    #[error("states are matched in dfs and bfs only")]
    CannotMatch,
    /// The processes do not report everything that they hold.
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
    /// These options, overridden by those that `first` gives.
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

    /// The options of a search. `walks` is for random searches.
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

/// What random searches need in addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walks {
    /// The seed. Other seeds give other orders.
    pub seed: u64,
    /// The number of sequences.
    pub n: u64,
}

/// The name of a search.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum SearchWord {
    /// Every order of events.
    Dfs,
    /// One order of each set of equivalent orders, by dynamic partial-order reduction.
    Dpor,
    /// Shortest sequences first.
    Bfs,
    /// Random orders.
    Random,
    /// Random priorities of nodes, which change at a few random steps.
    Pct,
}

/// `pct` looks for bugs that need this many events in a certain order.
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

/// The name of a degree of similarity, at which one peer's event stands for another's.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Peers {
    /// The peers have the same role and functions, and the events the same content.
    Claimed,
    /// The peers also hold the same, up to names.
    Alike,
    /// Also, nothing in the whole system tells the peers apart.
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
