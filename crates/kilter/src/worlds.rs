//! Systems that are linked in, by name: `[system] world = "…"` in `kilter.toml`.

use std::collections::BTreeMap;

use kilter_explore::config;
use kilter_explore::outcome::Explorable;
use kilter_mapping::mapping::System;
use kilter_testbed::{Trouble, World};

/// Makes a world as `[system]` wants it; called once for each job.
pub type Maker = dyn Fn(&System) -> Result<Box<dyn World>, Trouble> + Send + Sync;

/// Makes a system for `kilter explore`, as its configuration wants it.
pub type ExplorableMaker = dyn Fn(&config::System) -> Box<dyn Explorable> + Send + Sync;

/// A world that isn't linked in.
#[derive(Debug, thiserror::Error)]
#[error("there is no world `{name}` in this program, which knows {}", .known.join(", "))]
pub struct NoWorld {
    name: String,
    known: Vec<String>,
}

/// Systems by name. The command alone knows none; a program that links one adds it.
#[derive(Default)]
pub struct Worlds {
    makers: BTreeMap<String, Box<Maker>>,
    explorable: BTreeMap<String, Box<ExplorableMaker>>,
}

impl Worlds {
    /// The same, with one more.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        make: impl Fn(&System) -> Result<Box<dyn World>, Trouble> + Send + Sync + 'static,
    ) -> Worlds {
        self.makers.insert(name.into(), Box::new(make));
        self
    }

    /// The same, with one more that can be explored.
    #[must_use]
    pub fn with_explorable(
        mut self,
        name: impl Into<String>,
        make: impl Fn(&config::System) -> Box<dyn Explorable> + Send + Sync + 'static,
    ) -> Worlds {
        self.explorable.insert(name.into(), Box::new(make));
        self
    }

    /// The system that a configuration of `kilter explore` names.
    pub fn explorable(&self, system: &config::System) -> Result<Box<dyn Explorable>, NoWorld> {
        let name = system.world.as_deref().unwrap_or_default();
        match self.explorable.get(name) {
            Some(make) => Ok(make(system)),
            None => Err(NoWorld { name: name.to_owned(), known: self.explorable.keys().cloned().collect() }),
        }
    }

    /// What makes the world with this name.
    pub fn get(&self, name: &str) -> Option<&Maker> {
        self.makers.get(name).map(|maker| &**maker)
    }

    /// The names of all.
    pub fn names(&self) -> Vec<&str> {
        self.makers.keys().map(String::as_str).collect()
    }
}
