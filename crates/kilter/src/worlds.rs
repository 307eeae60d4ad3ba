//! Systems that are linked in, by name, for `[system] world = "…"` in `kilter.toml`.

use std::collections::BTreeMap;
use std::sync::Arc;

use kilter_explore::outcome::Explorable;
use kilter_system::System;
use kilter_testbed::{Trouble, World};

/// Makes a world as `[system]` describes it. It is called once for each job.
pub type Maker = dyn Fn(&System) -> Result<Box<dyn World>, Trouble> + Send + Sync;

/// Makes a system for `kilter explore`, as its configuration describes it.
pub type ExplorableMaker = dyn Fn(&System) -> Box<dyn Explorable> + Send + Sync;

/// The error if no system with this name is linked in.
#[derive(Debug, thiserror::Error)]
#[error("there is no world `{name}` in this program, which knows {}", all_of(.known))]
pub struct NoWorld {
    name: String,
    known: Vec<String>,
}

fn all_of(names: &[String]) -> String {
    if names.is_empty() {
        let why = "a world is linked into a program of its own: run that program with the same arguments";
        return format!("none at all; `kilter` alone runs commands only, and {why}");
    }
    names.join(", ")
}

/// Systems by name. `kilter` itself has none; a program that links systems adds them.
#[derive(Clone, Default)]
pub struct Worlds {
    makers: BTreeMap<String, Arc<Maker>>,
    explorable: BTreeMap<String, Arc<ExplorableMaker>>,
}

impl Worlds {
    /// Adds a system for `kilter test`.
    #[must_use]
    pub fn with(
        mut self,
        name: impl Into<String>,
        make: impl Fn(&System) -> Result<Box<dyn World>, Trouble> + Send + Sync + 'static,
    ) -> Worlds {
        self.makers.insert(name.into(), Arc::new(make));
        self
    }

    /// Adds a system for `kilter explore`.
    #[must_use]
    pub fn with_explorable(
        mut self,
        name: impl Into<String>,
        make: impl Fn(&System) -> Box<dyn Explorable> + Send + Sync + 'static,
    ) -> Worlds {
        self.explorable.insert(name.into(), Arc::new(make));
        self
    }

    /// Makes the system that a configuration of `kilter explore` names.
    pub fn explorable(&self, system: &System) -> Result<Box<dyn Explorable>, NoWorld> {
        let name = system.world().unwrap_or_default();
        match self.explorable.get(name) {
            Some(make) => Ok(make(system)),
            None => Err(NoWorld { name: name.to_owned(), known: self.explorable.keys().cloned().collect() }),
        }
    }

    /// The function that makes the world with this name.
    pub fn get(&self, name: &str) -> Result<&Maker, NoWorld> {
        self.makers.get(name).map(|maker| &**maker).ok_or_else(|| no_world(name, &self.makers))
    }
}

fn no_world<T>(name: &str, makers: &BTreeMap<String, T>) -> NoWorld {
    NoWorld { name: name.to_owned(), known: makers.keys().cloned().collect() }
}
