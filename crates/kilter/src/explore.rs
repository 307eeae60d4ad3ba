//! Exploring a system: what its configuration describes, made ready to be searched.
//!
//! - [`properties`] TLA+ formulas over what processes report
//! - `processes`    a system of processes

mod processes;
pub mod properties;

use std::path::Path;

use kilter_explore::config::{BadSearch, Config};
use kilter_explore::outcome::Explorable;

use self::properties::BadProperty;
use crate::worlds::{NoWorld, Worlds};

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

/// The system that a configuration describes; `folder` is where the configuration is.
pub fn system(config: &Config, folder: &Path, worlds: &Worlds) -> Result<Box<dyn Explorable>, BadSystem> {
    match (&config.system.world, config.system.command.is_empty()) {
        (Some(_), true) if config.system.size == 0 => Err(BadSystem::Empty),
        (Some(_), true) => Ok(worlds.explorable(&config.system)?),
        (None, false) => processes::system(config, folder),
        _ => Err(BadSystem::OneSystem),
    }
}
