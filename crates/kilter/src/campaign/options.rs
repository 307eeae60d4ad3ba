//! Which campaign is started, and how.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use kilter_run::Verb;
use kilter_system::keys;
use serde_json::Value as Json;

use super::link::At;
use crate::error::Tried;
use crate::read;
#[cfg(feature = "clap")]
use crate::units;

/// Which campaign is started, and how.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct StartOptions {
    /// The mapping, or the configuration of a search or of a store
    #[cfg_attr(feature = "clap", arg(value_name = "kilter.toml", default_value = "kilter.toml"))]
    pub config: PathBuf,
    /// Whose cases are played: those of `kilter test`, `explore` or `converge`
    #[cfg_attr(feature = "clap", arg(long, value_name = "COMMAND", default_value = "test", value_parser = verb))]
    pub verb: Verb,
    /// Which campaign, and where its brokers are. Without a name it is that of the mapping's folder or file.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub at: At,
    /// Play this suite of `kilter suite --out` instead of the one that the mapping describes
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub suite: Option<PathBuf>,
    /// Another seed makes another suite that covers the same, or puts schedules of `converge` in another random order
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", conflicts_with = "suite"))]
    pub seed: Option<u64>,
    /// Play so many schedules of `converge`, spread evenly over all; with --seed, random ones
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..)))]
    pub sample: Option<u64>,
    /// Send this file or folder along, too; what the mapping, the specification and the command of the system name is sent anyway
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH"))]
    pub with: Vec<PathBuf>,
    /// A worker that has said nothing for so long has lost its cases, and others get them
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", default_value = "30s", value_parser = units::some_time))]
    pub lost_after: Duration,
    /// On how many brokers everything is kept [default: 3, or 1 if the broker is no part of a cluster]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5)))]
    pub replicas: Option<u8>,
    /// Let the specification run programs, write files and read any file (IOExec, Serialize, CSVWrite and their like)
    #[cfg_attr(feature = "clap", arg(long))]
    pub allow_io: bool,
}

impl StartOptions {
    /// Refuses what the command whose cases are made has no use for. It would be ignored otherwise, and nobody would know.
    pub(super) fn check(&self) -> Tried<()> {
        let verb = self.verb.name();
        let other = match self.verb {
            Verb::Test | Verb::Follow => self.verb_of_config().filter(|other| *other != Verb::Test),
            Verb::Explore | Verb::Converge => None,
        };
        if let Some(other) = other.map(Verb::name) {
            let config = self.config.display();
            return Err(format!("{config} is a configuration of `kilter {other}`; add --verb {other}").into());
        }
        let strange = [
            ("--sample", self.sample.is_some(), &[Verb::Converge][..]),
            ("--suite", self.suite.is_some(), &[Verb::Test]),
            ("--seed", self.seed.is_some(), &[Verb::Test, Verb::Converge]),
        ];
        for (option, is_given, users) in strange {
            if is_given && !users.contains(&self.verb) {
                let users: Vec<String> = users.iter().map(|user| format!("--verb {}", user.name())).collect();
                let users = users.join(" or ");
                return Err(format!("{option} says nothing about the cases of `kilter {verb}`: leave it out, or use it with {users}").into());
            }
        }
        Ok(())
    }

    /// The command that the sections of the configuration are for, if they tell.
    fn verb_of_config(&self) -> Option<Verb> {
        let text = read::utf8(&self.config).ok()?;
        let sections: BTreeMap<String, Json> = keys::read(&text).ok()?;
        let has = |names: &[&str]| names.iter().any(|name| sections.contains_key(*name));
        match () {
            () if has(&["spec"]) => Some(Verb::Test),
            () if has(&["explore", "properties"]) => Some(Verb::Explore),
            () if has(&["replicas"]) => Some(Verb::Converge),
            () => None,
        }
    }
}

#[cfg(feature = "clap")]
fn verb(text: &str) -> Result<Verb, String> {
    let all = [Verb::Test, Verb::Explore, Verb::Converge];
    let found = all.into_iter().find(|verb| verb.name() == text);
    found.ok_or_else(|| "it should be test, explore or converge".to_owned())
}
