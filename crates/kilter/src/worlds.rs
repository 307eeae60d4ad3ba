//! Systems that are linked in, by name, for `[system] world = "…"` in `kilter.toml`.

use std::collections::BTreeMap;
use std::sync::Arc;

use kilter_converge::datatype::{DataType, Playable};
use kilter_explore::outcome::Explorable;
use kilter_system::System;
use kilter_testbed::{Trouble, World};

/// Makes a world as `[system]` describes it. It is called once for each job.
pub type Maker = dyn Fn(&System) -> Result<Box<dyn World>, Trouble> + Send + Sync;

/// Makes a system for `kilter explore`, as its configuration describes it.
pub type ExplorableMaker = dyn Fn(&System) -> Box<dyn Explorable> + Send + Sync;

/// Makes a replicated data type for `kilter converge`, as its configuration describes it.
pub type DataMaker = dyn Fn(&System) -> Result<Box<dyn Playable>, String> + Send + Sync;

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

/// The error if a data type can't be made.
#[derive(Debug, thiserror::Error)]
pub enum NoDataType {
    /// None with this name is linked in.
    #[error(transparent)]
    NoWorld(#[from] NoWorld),
    /// The program could not make it.
    #[error("the data type `{name}` could not be made: {why}")]
    NotMade {
        /// Its name.
        name: String,
        /// The reason, as the program says it.
        why: String,
    },
}

/// Systems by name. `kilter` itself has none; a program that links systems adds them.
#[derive(Clone, Default)]
pub struct Worlds {
    makers: BTreeMap<String, Arc<Maker>>,
    explorable: BTreeMap<String, Arc<ExplorableMaker>>,
    data_types: BTreeMap<String, Arc<DataMaker>>,
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

    /// Adds a replicated data type for `kilter converge`.
    #[must_use]
    pub fn with_data_type<T: DataType + 'static>(
        mut self,
        name: impl Into<String>,
        make: impl Fn(&System) -> Result<T, String> + Send + Sync + 'static,
    ) -> Worlds {
        let make = move |system: &System| make(system).map(|made| -> Box<dyn Playable> { Box::new(made) });
        self.data_types.insert(name.into(), Arc::new(make));
        self
    }

    /// Makes the data type that a configuration of `kilter converge` names.
    pub fn data_type(&self, system: &System) -> Result<Box<dyn Playable>, NoDataType> {
        let name = system.world().unwrap_or_default();
        let make = self.data_types.get(name).ok_or_else(|| no_world(name, &self.data_types))?;
        make(system).map_err(|why| NoDataType::NotMade { name: name.to_owned(), why })
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
