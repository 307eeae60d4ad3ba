//! Why a system can't be explored.

use kilter_explore::config::BadSearch;

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
    /// The search that is asked for.
    #[error(transparent)]
    Search(#[from] BadSearch),
}
