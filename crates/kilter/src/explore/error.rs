//! Why a system can't be explored.

use kilter_explore::config::BadSearch;
use kilter_explore::subject::NODES_MAX;

use super::properties::BadProperty;
use crate::worlds::NoWorld;

/// A system that can't be explored.
#[derive(Debug, thiserror::Error)]
pub enum BadSystem {
    /// It is linked in under another name, or not at all.
    #[error(transparent)]
    World(#[from] NoWorld),
    /// None or two.
    #[error("[system] should have either a `world` or a `command`")]
    OneSystem,
    /// Of no nodes.
    #[error("a system has at least one node")]
    Empty,
    /// More than a search can tell apart.
    #[error("{n_nodes} nodes are too many; a search takes at most {NODES_MAX}")]
    TooMany {
        /// How many there are.
        n_nodes: usize,
    },
    /// Processes without names.
    #[error("`nodes` in [system] should name the processes")]
    NoNodes,
    /// A request for somebody who isn't there.
    #[error("a request is for `{name}`, which is no node")]
    NoSuchNode {
        /// As it is written.
        name: String,
    },
    /// What must hold makes no sense.
    #[error(transparent)]
    Property(#[from] BadProperty),
    /// Only a search of several parts can be split among machines.
    #[error(
        "a breadth-first search can't be split: leave out `--shard`, or search with dfs, dpor, random or pct"
    )]
    OnePart,
    /// The search that is asked for.
    #[error(transparent)]
    Search(#[from] BadSearch),
}
