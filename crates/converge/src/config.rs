//! The configuration file: which model, which system.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kilter_system::keys;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::drive::Crash;
use crate::model::{BUILT_IN, BadModel, ChainRules, Model, Rules};
use crate::store::System;
use crate::targets::etcd::Etcd;
use crate::targets::line::Line;
use crate::targets::redis::Redis;
use crate::targets::zookeeper::{DEBIAN, ZooKeeper};

/// A configuration, as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// A model that comes with Kilter.
    pub model: Option<String>,
    /// Or the rules of a chain model of one's own.
    pub chain: Option<ChainRules>,
    /// How many replicas.
    pub replicas: u8,
    /// How many writes.
    pub ops: u8,
    /// The system.
    #[serde(rename = "system")]
    pub store: StoreConfig,
}

/// The part about the system.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StoreConfig {
    /// Which one.
    pub kind: Kind,
    /// The program, if it is not the one that the package installs; for ZooKeeper the jars, and the main class
    /// if that is in another package.
    #[serde(default)]
    pub command: Vec<String>,
    /// What else it is started with.
    #[serde(default)]
    pub options: Vec<String>,
    /// How much data all have from the beginning; for ZooKeeper.
    #[serde(default)]
    pub ballast_kb: u16,
    /// How long to wait for what may never come.
    #[serde(default = "patience")]
    pub patience_ms: u64,
    /// What a crash is; each way is a run of its own.
    #[serde(default = "kill")]
    pub crash: Vec<Crash>,
}

fn patience() -> u64 {
    10_000
}

fn kill() -> Vec<Crash> {
    vec![Crash::Kill]
}

/// The systems that Kilter knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Redis.
    Redis,
    /// ZooKeeper.
    Zookeeper,
    /// etcd.
    Etcd,
    /// A store of one's own that speaks lines of text.
    Line,
}

/// A configuration that makes no sense.
#[derive(Debug, Error)]
pub enum BadConfig {
    /// It is no TOML, or has unknown fields.
    #[error("{0}")]
    Text(String),
    /// There is no such model.
    #[error("there is no model `{name}`; there are {}, or the rules of your own in a table [chain]", BUILT_IN.join(", "))]
    NoModel {
        /// As it is written.
        name: String,
    },
    /// None or two.
    #[error("give either `model` or a table [chain]")]
    OneModel,
    /// The size.
    #[error(transparent)]
    Model(#[from] BadModel),
    /// The system can't do what the model needs.
    #[error("a model with {needs} needs another kind of store")]
    Unfit {
        /// What it needs.
        needs: &'static str,
    },
    /// Only one kind of store takes it.
    #[error("`ballast-kb` is for stores of the kind \"zookeeper\"")]
    NoBallast,
    /// No way to crash.
    #[error("`crash` lists at least one of \"kill\", \"stop\", \"decommission\"")]
    NoCrash,
}

impl Config {
    /// Reads a configuration.
    pub fn parse(text: &str) -> Result<Self, BadConfig> {
        toml::from_str(text).map_err(|error| BadConfig::Text(keys::explain(&error.to_string())))
    }

    /// The model that it names, possibly of another size.
    pub fn model(&self) -> Result<Model, BadConfig> {
        let rules = match (&self.model, &self.chain) {
            (Some(name), None) => {
                Rules::built_in(name).ok_or_else(|| BadConfig::NoModel { name: name.clone() })?
            }
            (None, Some(chain)) => Rules::Chain(chain.clone()),
            _ => return Err(BadConfig::OneModel),
        };
        Ok(Model::new(rules, self.replicas, self.ops)?)
    }

    /// The system that it names, if the model can be played on it.
    pub fn system(&self) -> Result<System, BadConfig> {
        if self.store.crash.is_empty() {
            return Err(BadConfig::NoCrash);
        }
        if self.store.ballast_kb > 0 && self.store.kind != Kind::Zookeeper {
            return Err(BadConfig::NoBallast);
        }
        let system = self.store.system();
        match (self.model()?.rules, &system) {
            (Rules::Quorum, System::Chain(_)) => Err(BadConfig::Unfit { needs: "a quorum" }),
            (Rules::Chain(_), System::Quorum(_)) => Err(BadConfig::Unfit { needs: "links set by hand" }),
            _ => Ok(system),
        }
    }
}

impl StoreConfig {
    /// Makes a program that is named by a relative path one that nodes find from their own directories: from here, or from `folder`,
    /// where the configuration is.
    pub fn find_command(&mut self, folder: &Path) {
        let Some(program) = self.command.first_mut().filter(|program| program.contains('/')) else { return };
        let places = [PathBuf::from(&*program), folder.join(&*program)];
        let found =
            places.iter().filter(|place| place.is_file()).find_map(|place| std::path::absolute(place).ok());
        if let Some(found) = found {
            *program = found.to_string_lossy().into_owned();
        }
    }

    /// How long to wait.
    pub fn patience(&self) -> Duration {
        Duration::from_millis(self.patience_ms)
    }

    fn command_or(&self, usual: &[&str]) -> Vec<String> {
        if self.command.is_empty() {
            usual.iter().map(|&word| word.to_owned()).collect()
        } else {
            self.command.clone()
        }
    }

    fn system(&self) -> System {
        let options = self.options.clone();
        match self.kind {
            Kind::Zookeeper => {
                let command = self.command_or(&DEBIAN);
                System::Quorum(Box::new(ZooKeeper::new(&command, options, self.ballast_kb)))
            }
            Kind::Etcd => System::Quorum(Box::new(Etcd { command: self.command_or(&["etcd"]), options })),
            Kind::Line => System::Quorum(Box::new(Line { command: self.command_or(&["toystore"]), options })),
            Kind::Redis => {
                System::Chain(Box::new(Redis { command: self.command_or(&["redis-server"]), options }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_beside_the_configuration_is_found_from_everywhere() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("bin")).expect("ours");
        std::fs::write(folder.path().join("bin/store"), "").expect("ours");
        let text = "model = \"quorum\"\nreplicas = 3\nops = 1\n[system]\nkind = \"line\"\n";
        let found = |command: &str| {
            let mut config =
                Config::parse(&format!("{text}command = [\"{command}\"]\n")).expect("a configuration");
            config.store.find_command(folder.path());
            config.store.command.remove(0)
        };
        assert_eq!(found("bin/store"), folder.path().join("bin/store").to_string_lossy());
        // What is on the path is looked for there, and what is nowhere is told when it is started.
        assert_eq!((found("store"), found("bin/none")), ("store".to_owned(), "bin/none".to_owned()));
    }
}
