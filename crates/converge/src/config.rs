//! The configuration file: the model and the system.

use std::time::Duration;

use kilter_system::System as Section;
use kilter_system::keys::{self, BadText};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::drive::Crash;
use crate::model::{BUILT_IN, BadModel, ChainRules, Model, Rules};
use crate::store::System;
use crate::targets::etcd::Etcd;
use crate::targets::line::Line;
use crate::targets::redis::Redis;
use crate::targets::zookeeper::{DEBIAN, ZooKeeper};

/// A configuration as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The name of a model that comes with Kilter.
    pub model: Option<String>,
    /// The rules of the user's own chain model. Either this or `model` must be given.
    pub chain: Option<ChainRules>,
    /// The number of replicas.
    pub replicas: u8,
    /// The number of writes.
    pub ops: u8,
    /// The system.
    pub system: Section,
}

/// How long to wait for a store, if the configuration does not say.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stores that Kilter can drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Redis,
    Zookeeper,
    Etcd,
    /// A store of the user that speaks lines of text.
    Line,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Redis, Kind::Zookeeper, Kind::Etcd, Kind::Line];

    fn word(self) -> &'static str {
        match self {
            Kind::Redis => "redis",
            Kind::Zookeeper => "zookeeper",
            Kind::Etcd => "etcd",
            Kind::Line => "line",
        }
    }
}

/// The error for a configuration that makes no sense.
#[derive(Debug, Error)]
pub enum BadConfig {
    /// It is not TOML, or has unknown fields.
    #[error(transparent)]
    Text(#[from] BadText),
    /// There is no such model.
    #[error("there is no model `{name}`{}; there are {}, or the rules of your own in a table [chain]", called_now(name), BUILT_IN.join(", "))]
    NoModel {
        /// The name as it is written.
        name: String,
    },
    /// It names no model, or two.
    #[error("give either `model` or a table [chain]")]
    OneModel,
    /// The size of the model is not allowed.
    #[error(transparent)]
    Model(#[from] BadModel),
    /// The system can't do what the model needs.
    #[error("a model with {needs} needs another kind of store")]
    Unfit {
        /// What the model needs.
        needs: &'static str,
    },
    /// Nobody says which store it is.
    #[error("`kind` in [system] should say which store it is: {}", Kind::ALL.map(Kind::word).join(", "))]
    NoKind,
    /// A store that Kilter can't drive.
    #[error("there is no kind of store `{name}`; there are {}", Kind::ALL.map(Kind::word).join(", "))]
    NoSuchKind {
        /// The name as it is written.
        name: String,
    },
    /// Only ZooKeeper takes ballast.
    #[error("`ballast-kb` is for stores of the kind \"zookeeper\"")]
    NoBallast,
    /// The list of crashes is empty.
    #[error("`crash` lists at least one of \"kill\", \"stop\", \"decommission\"")]
    NoCrash,
}

fn called_now(name: &str) -> String {
    keys::value_today(name).map(|today| format!(", it is called `{today}` now")).unwrap_or_default()
}

impl Config {
    /// Parses a configuration.
    pub fn parse(text: &str) -> Result<Self, BadConfig> {
        Ok(keys::read(text)?)
    }

    /// The model that it describes.
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

    /// What a crash is, one after the other.
    pub fn crashes(&self) -> &[Crash] {
        self.system.crash.as_deref().unwrap_or(&[Crash::Kill])
    }

    /// How long to wait for what may never come.
    pub fn patience(&self) -> Duration {
        self.system.patience(PATIENCE)
    }

    fn kind(&self) -> Result<Kind, BadConfig> {
        let name = self.system.kind.as_deref().ok_or(BadConfig::NoKind)?;
        let found = Kind::ALL.into_iter().find(|kind| kind.word() == name);
        found.ok_or_else(|| BadConfig::NoSuchKind { name: name.to_owned() })
    }

    /// The system that it describes. It is an error if the model can't be played on it.
    pub fn system(&self) -> Result<System, BadConfig> {
        if self.crashes().is_empty() {
            return Err(BadConfig::NoCrash);
        }
        let kind = self.kind()?;
        if self.system.ballast_kb > 0 && kind != Kind::Zookeeper {
            return Err(BadConfig::NoBallast);
        }
        let system = store(&self.system, kind);
        match (self.model()?.rules, &system) {
            (Rules::Quorum, System::Chain(_)) => Err(BadConfig::Unfit { needs: "a quorum" }),
            (Rules::Chain(_), System::Quorum(_)) => Err(BadConfig::Unfit { needs: "links set by hand" }),
            _ => Ok(system),
        }
    }
}

/// The program of a store: the one that its package installs, if the configuration names none.
fn command_or(section: &Section, usual: &[&str]) -> Vec<String> {
    let usual = || usual.iter().map(|&word| word.to_owned()).collect();
    if section.command().is_empty() { usual() } else { section.command().to_vec() }
}

fn store(section: &Section, kind: Kind) -> System {
    let options = section.options.clone();
    match kind {
        Kind::Zookeeper => {
            let command = command_or(section, &DEBIAN);
            System::Quorum(Box::new(ZooKeeper::new(&command, options, section.ballast_kb)))
        }
        Kind::Etcd => System::Quorum(Box::new(Etcd { command: command_or(section, &["etcd"]), options })),
        Kind::Line => System::Quorum(Box::new(Line { command: command_or(section, &["toystore"]), options })),
        Kind::Redis => {
            System::Chain(Box::new(Redis { command: command_or(section, &["redis-server"]), options }))
        }
    }
}
