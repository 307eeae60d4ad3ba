//! Systems that are linked in, by name: `[system] world = "…"` in `kilter.toml`.

use std::collections::BTreeMap;

use kilter_conform::mapping::System;
use kilter_testbed::{Trouble, World};

/// Makes a world as `[system]` wants it; called once for each job.
pub type Maker = dyn Fn(&System) -> Result<Box<dyn World>, Trouble> + Send + Sync;

/// Systems by name. The command alone knows none; a program that links one adds it and calls [`crate::run_with`].
#[derive(Default)]
pub struct Worlds {
    makers: BTreeMap<String, Box<Maker>>,
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

    /// What makes the world with this name.
    pub fn get(&self, name: &str) -> Option<&Maker> {
        self.makers.get(name).map(|maker| &**maker)
    }

    /// The names of all.
    pub fn names(&self) -> Vec<&str> {
        self.makers.keys().map(String::as_str).collect()
    }
}
