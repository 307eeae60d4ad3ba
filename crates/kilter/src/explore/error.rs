//! Errors of systems that can't be explored.

use kilter_explore::config::BadSearch;
use kilter_explore::subject::NODES_MAX;

use super::properties::BadProperty;
use crate::worlds::NoWorld;

/// Why a system can't be explored.
#[derive(Debug, thiserror::Error)]
pub enum BadSystem {
    /// No system with this name is linked in.
    #[error(transparent)]
    World(#[from] NoWorld),
    /// The configuration names no system, or two.
    #[error("[system] should have either a `world` or a `command`")]
    OneSystem,
    /// The system has no nodes.
    #[error("a system has at least one node")]
    Empty,
    /// More than a search can tell apart.
    #[error("{n_nodes} nodes are too many; a search takes at most {NODES_MAX}")]
    TooMany {
        /// How many there are.
        n_nodes: usize,
    },
    /// The processes have no names.
    #[error("`nodes` in [system] should name the processes")]
    NoNodes,
    /// The number of nodes is given for a system whose nodes have names.
    #[error(
        "--nodes is for systems that are linked in; the processes of this one are `nodes` in [system]: change them there"
    )]
    NamedNodes,
    /// A request names a node that does not exist.
    #[error("a request is for `{name}`, which is no node")]
    NoSuchNode {
        /// The name as it is written.
        name: String,
    },
    /// A property makes no sense.
    #[error(transparent)]
    Property(#[from] BadProperty),
    /// Only a search of several parts can be split among machines.
    #[error(
        "a breadth-first search can't be split: leave out `--shard`, or search with dfs, dpor, random or pct"
    )]
    OnePart,
    /// Machines that divide a search for different times have different parts.
    #[error("--time-max is over before the search is divided into the parts of --shard; give it more time")]
    Undivided,
    /// The options of the search do not fit together.
    #[error(transparent)]
    Search(#[from] BadSearch),
}
