//! The models that come with Kilter: a module of TLA+, its configuration, and what its actions are on a store. They are
//! texts here, as a user's own model is.

use std::collections::BTreeSet;

use kilter_system::Fault;
use serde::{Deserialize, Serialize};

use crate::words::Actions;

/// The names of the models.
pub const BUILT_IN: [&str; 6] = ["quorum", "partial", "pause", "link", "crash-and-link", "edits"];

/// A model that comes with Kilter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// The name of the module.
    pub module: &'static str,
    /// The text of the module.
    pub text: &'static str,
    /// Its configuration.
    pub config: String,
    actions: &'static str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mapped {
    actions: Actions,
}

impl BuiltIn {
    /// The model with this name.
    pub fn find(name: &str) -> Option<Self> {
        let chain = |config: &str| Self::chain(config.to_owned());
        Some(match name {
            "quorum" => Self {
                module: "Quorum",
                text: include_str!("../models/Quorum.tla"),
                config: include_str!("../models/quorum.cfg").to_owned(),
                actions: include_str!("../models/quorum.toml"),
            },
            "partial" => Self {
                module: "Partial",
                text: include_str!("../models/Partial.tla"),
                config: include_str!("../models/partial.cfg").to_owned(),
                actions: include_str!("../models/partial.toml"),
            },
            "pause" => chain(include_str!("../models/pause.cfg")),
            "link" => chain(include_str!("../models/link.cfg")),
            "crash-and-link" => chain(include_str!("../models/crash-and-link.cfg")),
            "edits" => Self {
                module: "Edits",
                text: include_str!("../models/Edits.tla"),
                config: include_str!("../models/edits.cfg").to_owned(),
                actions: include_str!("../models/edits.toml"),
            },
            _ => return None,
        })
    }

    /// The chain model with the user's own rules.
    pub fn of_rules(rules: &ChainRules) -> Self {
        let set = |words: Vec<&str>| format!("{{{}}}", words.join(", "));
        let faults = rules.faults.iter().map(|fault| format!("{:?}", fault.word())).collect::<Vec<_>>();
        let resyncs = rules.resync.iter().map(|resync| format!("{:?}", resync.word())).collect::<Vec<_>>();
        Self::chain(format!(
            "CONSTANTS\n Nobody = Nobody\n Start = {:?}\n Faults = {}\n Scope = {:?}\n Resyncs = {}\n Direction = {:?}\n\
             SPECIFICATION Spec\nSYMMETRY Interchangeable\n",
            rules.start.word(),
            set(faults.iter().map(String::as_str).collect()),
            rules.scope.word(),
            set(resyncs.iter().map(String::as_str).collect()),
            rules.direction.word(),
        ))
    }

    fn chain(config: String) -> Self {
        Self {
            module: "Chain",
            text: include_str!("../models/Chain.tla"),
            config,
            actions: include_str!("../models/chain.toml"),
        }
    }

    /// What its actions are on a store.
    pub fn actions(&self) -> Actions {
        let mapped: Result<Mapped, _> = toml::from_str(self.actions);
        mapped.expect("the texts of this crate are right, a test reads them").actions
    }
}

/// The links with which a chain model begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// No replica copies another.
    Apart,
    /// B copies A, C copies B, and so on.
    Chain,
}

impl Start {
    fn word(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::Chain => "chain",
        }
    }
}

/// Whom the fault of one divergence strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One replica or one link, or none if the replicas are apart already.
    One,
    /// All replicas but the one that is written to.
    Others,
}

impl Scope {
    fn word(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Others => "others",
        }
    }
}

/// How a replica gets the data of its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resync {
    /// The system itself does it when the link is there again.
    Online,
    /// By hand: the replica starts on a copy of its source's snapshot.
    Offline,
}

impl Resync {
    fn word(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::Offline => "offline",
        }
    }
}

/// The links that a convergence may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Any link. Data may be given up for older data, as an operator can do.
    Any,
    /// Only links whose source has the later write.
    Latest,
}

impl Direction {
    fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Latest => "latest",
        }
    }
}

/// The rules of a chain model: the constants of `Chain.tla`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChainRules {
    /// The links at the beginning.
    pub start: Start,
    /// What can fail.
    pub faults: BTreeSet<Fault>,
    /// The replicas that a failure strikes.
    #[serde(default = "one")]
    pub scope: Scope,
    /// The ways in which a replica can get its source's data.
    #[serde(default = "online")]
    pub resync: BTreeSet<Resync>,
    /// The links that may be set.
    #[serde(default = "any")]
    pub direction: Direction,
}

fn one() -> Scope {
    Scope::One
}

fn online() -> BTreeSet<Resync> {
    BTreeSet::from([Resync::Online])
}

fn any() -> Direction {
    Direction::Any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_all_models_are_right() {
        for name in BUILT_IN {
            let model = BuiltIn::find(name).expect("a built-in model");
            assert!(model.text.contains(&format!("MODULE {} ", model.module)), "{name}");
            for word in model.actions().values().flatten() {
                word.verb().expect("a word with a verb");
            }
        }
    }
}
