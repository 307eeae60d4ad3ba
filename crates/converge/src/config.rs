//! The configuration file: the model and the system.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use kilter_system::keys::{self, BadText};
use kilter_system::{Fault, System as Section};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::drive::Crash;
use crate::models::{BUILT_IN, BuiltIn, ChainRules};
use crate::store::{Promise, System};
use crate::targets::etcd::Etcd;
use crate::targets::line::Line;
use crate::targets::nats::Nats;
use crate::targets::ovsdb::Ovsdb;
use crate::targets::postgres::{self, Postgres};
use crate::targets::redis::Redis;
use crate::targets::rqlite::Rqlite;
use crate::targets::sentinel::Sentinel;
use crate::targets::zookeeper::{DEBIAN, ZooKeeper};
use crate::words::{Actions, Needs, Verb, Word};

/// The most replicas that a model may have. Schedules name them by letters, and symmetry tries all orders.
pub const REPLICAS_MAX: u8 = 6;
/// The most writes that a model may have.
pub const OPS_MAX: u8 = 30;
/// The ending of a model of one's own.
const ENDING: &str = ".tla";
/// The faults that can strike replicas of a chain: a cut is between a replica and the one that it copies.
const FAULTS: [Fault; 3] = [Fault::Crash, Fault::Pause, Fault::Cut];

/// A configuration as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The name of a model that comes with Kilter, or a module of one's own.
    pub model: Option<String>,
    /// The configuration of that module, if it has not the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<PathBuf>,
    /// The rules of the user's own chain model. Either this or `model` must be given.
    pub chain: Option<ChainRules>,
    /// The number of replicas: the constant `Replicas` of the model has so many members.
    pub replicas: u8,
    /// The number of writes: the constant `Ops` of the model. A model without that constant has none.
    pub ops: Option<u8>,
    /// Further constants of the model, with values as its configuration would write them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, String>,
    /// Which behaviors of the model are schedules.
    #[serde(default)]
    pub paths: Paths,
    /// What the actions of the model are on the store.
    #[serde(default, skip_serializing_if = "Actions::is_empty")]
    pub actions: Actions,
    /// What the store promises to clients that read, if it is not what Kilter knows of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promises: Option<Promise>,
    /// The kinds of resynchronisation that nodes write to their logs, each with a text in such lines. If it is missing, the
    /// kinds that Kilter knows of the store are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<BTreeMap<String, String>>,
    /// The system.
    pub system: Section,
}

/// Which behaviors of a model are schedules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paths {
    /// All of them, up to its symmetry.
    #[default]
    All,
    /// So few that each transition is in one of them.
    Transitions,
    /// So few that each pair of actions that can follow each other is in one of them.
    Pairs,
}

/// Where a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It comes with Kilter.
    BuiltIn(BuiltIn),
    /// In files: the module and its configuration.
    Files {
        /// The module.
        module: PathBuf,
        /// Its configuration.
        config: PathBuf,
    },
}

/// A model: where it is, its size, and what its actions are on the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSource {
    /// Where it is.
    pub origin: Origin,
    /// The number of replicas.
    pub replicas: u8,
    /// The number of writes, if the model takes one.
    pub ops: Option<u8>,
    /// Further constants, with their values.
    pub constants: BTreeMap<String, String>,
    /// What its actions are on the store.
    pub actions: Actions,
}

impl ModelSource {
    /// The verbs of all actions, each with its action. Words without a verb are left out.
    pub fn verbs(&self) -> impl Iterator<Item = (&String, Verb)> {
        self.actions.iter().flat_map(|(action, words)| words_of(action, words))
    }
}

fn words_of<'a>(action: &'a String, words: &'a [Word]) -> impl Iterator<Item = (&'a String, Verb)> {
    words.iter().filter_map(move |word| Some((action, word.verb().ok()?.0)))
}

/// How long to wait for a store, if the configuration does not say.
const PATIENCE: Duration = Duration::from_secs(10);

/// The stores that Kilter can drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Redis,
    RedisSentinel,
    Zookeeper,
    Etcd,
    Rqlite,
    Nats,
    Ovsdb,
    Postgres,
    /// A store of the user that speaks lines of text.
    Line,
}

impl Kind {
    const ALL: [Kind; 9] = [
        Kind::Redis,
        Kind::RedisSentinel,
        Kind::Zookeeper,
        Kind::Etcd,
        Kind::Rqlite,
        Kind::Nats,
        Kind::Ovsdb,
        Kind::Postgres,
        Kind::Line,
    ];

    fn word(self) -> &'static str {
        match self {
            Kind::Redis => "redis",
            Kind::RedisSentinel => "redis-sentinel",
            Kind::Zookeeper => "zookeeper",
            Kind::Etcd => "etcd",
            Kind::Rqlite => "rqlite",
            Kind::Nats => "nats",
            Kind::Ovsdb => "ovsdb",
            Kind::Postgres => "postgres",
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
    #[error("there is no model `{name}`{}; there are {}, the rules of your own in a table [chain], or a module of your own, such as \"MyModel.tla\"", called_now(name), BUILT_IN.join(", "))]
    NoModel {
        /// The name as it is written.
        name: String,
    },
    /// It names no model, or two.
    #[error("give either `model` or a table [chain]")]
    OneModel,
    /// A model that comes with Kilter has its configuration with it.
    #[error("`config` is for a module of your own, such as model = \"MyModel.tla\"")]
    NoModule,
    /// Too many or too few replicas.
    #[error("a model has 2 to {REPLICAS_MAX} replicas, not {0}")]
    Replicas(u8),
    /// Too many or too few writes.
    #[error("a model has 1 to {OPS_MAX} operations, not {0}")]
    Ops(u8),
    /// A model that comes with Kilter takes a number of writes.
    #[error("`ops` is missing: how many writes a schedule has")]
    NoOps,
    /// Nothing can fail or come together.
    #[error("a chain model needs at least one fault and one resync")]
    Empty,
    /// A fault that the drivers of stores can't bring about.
    #[error("a chain model can't have the fault `{0}`; it can have {known}", known = FAULTS.map(Fault::word).join(", "))]
    NoSuchFault(Fault),
    /// A word of `[actions]` is wrong.
    #[error("{action} in [actions]: {what}")]
    Word {
        /// The action.
        action: String,
        /// What is wrong.
        what: String,
    },
    /// The system can't do what the model needs.
    #[error("`{word}` ({action} in [actions]) needs {needs}")]
    Unfit {
        /// The verb.
        word: &'static str,
        /// The action.
        action: String,
        /// What it needs.
        needs: &'static str,
    },
    /// Reads could not be compared with anything.
    #[error(
        "`read` ({action} in [actions]) needs a store that promises something to clients that read; with kind = \"line\", `promises` says what: \"sessions\" or \"linearizable\""
    )]
    NoPromise {
        /// The action.
        action: String,
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
    /// A store that elects its leader has to be told that a member is another one now.
    #[error("crash = \"decommission\" needs a store whose links are set by hand, such as \"redis\"")]
    NoDecommission,
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
    pub fn model(&self) -> Result<ModelSource, BadConfig> {
        let origin = self.origin()?;
        if !(2..=REPLICAS_MAX).contains(&self.replicas) {
            return Err(BadConfig::Replicas(self.replicas));
        }
        let mut actions = match &origin {
            Origin::BuiltIn(_) if self.ops.is_none() => return Err(BadConfig::NoOps),
            Origin::BuiltIn(model) => model.actions(),
            Origin::Files { .. } => Actions::new(),
        };
        if let Some(ops) = self.ops.filter(|ops| !(1..=OPS_MAX).contains(ops)) {
            return Err(BadConfig::Ops(ops));
        }
        actions.extend(self.actions.clone());
        for (action, words) in &actions {
            for word in words {
                word.verb().map_err(|what| BadConfig::Word { action: action.clone(), what })?;
            }
        }
        let constants = self.constants.clone();
        Ok(ModelSource { origin, replicas: self.replicas, ops: self.ops, constants, actions })
    }

    fn origin(&self) -> Result<Origin, BadConfig> {
        let origin = match (&self.model, &self.chain) {
            (Some(name), None) if name.ends_with(ENDING) => {
                let module = PathBuf::from(name);
                let config = self.config.clone().unwrap_or_else(|| module.with_extension("cfg"));
                return Ok(Origin::Files { module, config });
            }
            (Some(name), None) => {
                let found = BuiltIn::find(name);
                Origin::BuiltIn(found.ok_or_else(|| BadConfig::NoModel { name: name.clone() })?)
            }
            (None, Some(rules)) => {
                if rules.faults.is_empty() || rules.resync.is_empty() {
                    return Err(BadConfig::Empty);
                }
                if let Some(fault) = rules.faults.iter().find(|fault| !FAULTS.contains(fault)) {
                    return Err(BadConfig::NoSuchFault(*fault));
                }
                Origin::BuiltIn(BuiltIn::of_rules(rules))
            }
            _ => return Err(BadConfig::OneModel),
        };
        if self.config.is_some() { Err(BadConfig::NoModule) } else { Ok(origin) }
    }

    /// What a crash is, one after the other.
    pub fn crashes(&self) -> &[Crash] {
        self.system.crash.as_deref().unwrap_or(&[Crash::Kill])
    }

    /// The kinds of resynchronisation to count on a store, each with a text in the lines of logs that speak of it.
    pub fn seen(&self, system: &System) -> Vec<(String, String)> {
        let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        match &self.seen {
            Some(seen) => seen.iter().map(|(name, text)| (name.clone(), text.clone())).collect(),
            None => system.store().resyncs().iter().map(own).collect(),
        }
    }

    /// What the store promises to clients that read.
    pub fn promise(&self, system: &System) -> Promise {
        self.promises.unwrap_or_else(|| system.store().promise())
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
        if self.crashes().contains(&Crash::Decommission) && matches!(system, System::Quorum(_)) {
            return Err(BadConfig::NoDecommission);
        }
        for (action, verb) in self.model()?.verbs() {
            let action = action.clone();
            let needs = match (verb.needs(), &system) {
                (Needs::Quorum, System::Chain(_)) => "a store that elects its leader",
                (Needs::Chain, System::Quorum(_)) => "a store whose links are set by hand",
                (Needs::Data, _) => "a data type in process: `world` in [system]",
                _ if verb == Verb::Read && self.promise(&system) == Promise::Nothing => {
                    return Err(BadConfig::NoPromise { action });
                }
                _ => continue,
            };
            return Err(BadConfig::Unfit { word: verb.word(), action, needs });
        }
        Ok(system)
    }
}

impl Config {
    /// Whether the model can be played on a data type in process.
    pub fn check_data(&self) -> Result<(), BadConfig> {
        let model = self.model()?;
        let mut unfit = model.verbs().filter(|(_, verb)| verb.needs() != Needs::Data);
        let Some((action, verb)) = unfit.next() else { return Ok(()) };
        let needs = "a store in processes: `kind` instead of `world` in [system]";
        Err(BadConfig::Unfit { word: verb.word(), action: action.clone(), needs })
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
        Kind::Rqlite => {
            System::Quorum(Box::new(Rqlite { command: command_or(section, &["rqlited"]), options }))
        }
        Kind::Nats => {
            System::Quorum(Box::new(Nats { command: command_or(section, &["nats-server"]), options }))
        }
        Kind::Ovsdb => {
            System::Quorum(Box::new(Ovsdb { command: command_or(section, &["ovsdb-server"]), options }))
        }
        Kind::Line => System::Quorum(Box::new(Line { command: command_or(section, &["toystore"]), options })),
        Kind::Postgres => {
            System::Chain(Box::new(Postgres { command: command_or(section, &[postgres::DEBIAN]), options }))
        }
        Kind::RedisSentinel => {
            System::Quorum(Box::new(Sentinel { command: command_or(section, &["redis-server"]), options }))
        }
        Kind::Redis => {
            System::Chain(Box::new(Redis { command: command_or(section, &["redis-server"]), options }))
        }
    }
}
