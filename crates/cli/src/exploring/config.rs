//! The configuration of `kilter explore`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context as _;
use clap::ValueEnum;
use kilter_explore::{Fault, Likeness};
use serde::Deserialize;

/// All of it.
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
    /// Whether a node that crashes comes up again at once.
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
    pub search: Option<SearchArg>,
    /// How much alike events on peers must be to stand for each other.
    pub peers: Option<PeersArg>,
    /// Within how many steps the goal must be reached.
    pub depth: Option<u32>,
    /// How many faults there may be.
    pub faults: Option<u32>,
    /// What may break.
    pub breaks: Option<Vec<BreakArg>>,
    /// Faults at any place.
    #[serde(default)]
    pub faults_anywhere: bool,
    /// By how many steps a sequence is extended before it is reported.
    pub extension: Option<u32>,
    /// Do not explore again from a state that was seen before.
    #[serde(default)]
    pub matching: bool,
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

/// What may break.
#[derive(ValueEnum, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum BreakArg {
    /// A node crashes
    Crash,
    /// The network loses a message
    Drop,
    /// The network doubles a message; with --faults-anywhere
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

/// Reads the file.
pub fn read(path: &Path) -> anyhow::Result<Config> {
    let shown = path.display();
    let text = kilter::read::utf8(path).with_context(|| format!("{shown} cannot be read"))?;
    toml::from_str(&text).with_context(|| format!("{shown} is not understood"))
}
