//! `[system]` of a configuration: how the system under test is run, and what is known of it.
//!
//! `kilter test`, `explore` and `converge` read the same section. A key that only another verb needs is no error, so that one section
//! can be copied from one configuration to the next. A key that no verb knows is one.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::fault::Crash;
use crate::java::Java;
use crate::places::{PLACES, places};

/// `[system]`, as it is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a file, each by its name")]
pub struct System {
    /// The names of the nodes.
    pub nodes: Option<Spanned<Vec<String>>>,
    /// The program that a node is, and its arguments.
    pub command: Option<Spanned<Vec<String>>>,
    /// The program that builds the system, and its arguments. It runs once, before anything else.
    pub build: Option<Spanned<Vec<String>>>,
    /// A system that is linked into the program, by its name, instead of a command.
    pub world: Option<Spanned<String>>,
    /// How many nodes a linked-in system has, if it lets the configuration choose.
    pub size: Option<usize>,
    /// Whether a linked-in system that can show a bug has it.
    pub bug: bool,
    /// The table of the agent, if the nodes are Java programs.
    pub java: Option<Java>,
    /// Variables of the environment of every node. Places are filled in as in the command.
    pub env: BTreeMap<String, Spanned<String>>,
    /// How many milliseconds to wait for what may never come.
    pub patience_ms: Option<NonZeroU64>,
    /// How many milliseconds nodes may take to start and connect.
    pub start_patience_ms: Option<NonZeroU64>,
    /// The request that brings a running node back to its initial state.
    pub reset: Option<String>,
    /// A Java node that crashes ends in its JVM, and starts again there.
    pub crash_in_jvm: bool,
    /// `test`: actions that the specification knows nothing about.
    pub ignore: Vec<String>,

    /// `explore`: actions that are timers.
    pub timers: BTreeSet<String>,
    /// `explore`: actions that read or write what is stored.
    pub storage: BTreeSet<String>,
    /// `explore`: actions that are never let go.
    pub never: BTreeSet<String>,
    /// `explore`: actions that are let go as soon as they are offered, and are no events.
    pub at_once: BTreeSet<String>,
    /// `explore`: messages from one node to another are taken in in the order in which they were sent.
    pub in_order: bool,
    /// `explore`: nodes that crashed may come up again, in a step of their own.
    pub recover: bool,
    /// `explore`: timers fire only when nothing else can happen.
    pub patient: bool,
    /// `explore`: the request that makes an action of `storage` fail.
    pub disk_error: Option<String>,
    /// `explore`: nodes report all that they hold.
    pub complete: bool,
    /// `explore`: the variable that tells a node's role.
    pub role: Option<String>,
    /// `explore`: what clients ask for, each once.
    pub requests: Vec<Request>,

    /// `converge`: which store it is.
    pub kind: Option<String>,
    /// `converge`: more arguments of the program.
    pub options: Vec<String>,
    /// `converge`: how many kilobytes of data every replica has from the beginning.
    pub ballast_kb: u16,
    /// `converge`: what a crash is. Each way is a run of its own.
    pub crash: Option<Vec<Crash>>,
}

/// What a client asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The node that it asks.
    pub node: String,
    /// The action that it asks for.
    pub action: String,
    /// The arguments of the action.
    #[serde(default)]
    pub args: Vec<serde_json::Value>,
}

impl System {
    /// The names of the nodes; none if the section does not say.
    pub fn nodes(&self) -> &[String] {
        self.nodes.as_ref().map_or(&[], |nodes| nodes.get_ref())
    }

    /// The program that a node is, and its arguments; empty if the section does not say.
    pub fn command(&self) -> &[String] {
        self.command.as_ref().map_or(&[], |command| command.get_ref())
    }

    /// The program that builds the system, and its arguments; empty if there is none.
    pub fn build(&self) -> &[String] {
        self.build.as_ref().map_or(&[], |build| build.get_ref())
    }

    /// The variables that are added to the environment of every node.
    pub fn env(&self) -> impl Iterator<Item = (&str, &str)> {
        self.env.iter().map(|(name, value)| (name.as_str(), value.get_ref().as_str()))
    }

    /// Adds a variable to the environment of every node, or gives it another value.
    pub fn set_env(&mut self, name: String, value: String) {
        self.env.insert(name, Spanned::new(0..0, value));
    }

    /// The words in braces that nothing can be filled in for, each with where it stands: in the command or in the environment.
    pub fn unknown_places(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        let command = self
            .command
            .iter()
            .flat_map(|command| command.get_ref().iter().map(|word| (word.as_str(), command.span())));
        let env = self.env.values().map(|value| (value.get_ref().as_str(), value.span()));
        command.chain(env).flat_map(|(text, range)| {
            places(text).filter(|place| !PLACES.contains(place)).map(move |place| (place, range.clone()))
        })
    }

    /// The words in braces of `build`, with where it stands. Nothing is filled in there. What stands behind a dollar sign is a
    /// variable of the shell.
    pub fn places_of_build(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        self.build.iter().flat_map(|build| {
            build
                .get_ref()
                .iter()
                .flat_map(|word| places(word).filter(move |place| !word.contains(&format!("${{{place}}}"))))
                .map(|place| (place, build.span()))
        })
    }

    /// Whether nodes are started with the agent: the command, or the environment, has a place for it.
    pub fn starts_agent(&self) -> bool {
        let mut words = self.command().iter().map(String::as_str).chain(self.env().map(|(_, value)| value));
        words.any(|word| places(word).any(|place| place == "agent"))
    }

    /// The name of the linked-in system, if it is one.
    pub fn world(&self) -> Option<&str> {
        self.world.as_ref().map(|world| world.get_ref().as_str())
    }

    /// How long to wait for what may never come: `usual` if the section does not say.
    pub fn patience(&self, usual: Duration) -> Duration {
        self.patience_ms.map_or(usual, |ms| Duration::from_millis(ms.get()))
    }

    /// How long nodes may take to start and connect: `usual` if the section does not say.
    pub fn start_patience(&self, usual: Duration) -> Duration {
        self.start_patience_ms.map_or(usual, |ms| Duration::from_millis(ms.get()))
    }

    /// Makes a program that is named by a relative path one that nodes find from their own directories: from here, or from `folder`,
    /// where the configuration is.
    pub fn find_command(&mut self, folder: &Path) {
        let program = self.command.as_mut().and_then(|command| command.get_mut().first_mut());
        let Some(program) = program.filter(|program| program.contains('/')) else { return };
        let places = [PathBuf::from(&*program), folder.join(&*program)];
        let found =
            places.iter().filter(|place| place.is_file()).find_map(|place| std::path::absolute(place).ok());
        if let Some(found) = found {
            *program = found.to_string_lossy().into_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> System {
        toml::from_str(text).expect("a section")
    }

    #[test]
    fn one_section_serves_every_verb() {
        let system = read(
            "nodes = [\"n1\"]\ncommand = [\"node\"]\ntimers = [\"Tick\"]\nkind = \"line\"\ncrash = [\"stop\"]\n",
        );
        assert_eq!((system.nodes(), system.command()), (&["n1".to_owned()][..], &["node".to_owned()][..]));
        assert_eq!(system.crash, Some(vec![Crash::Stop]));
        assert_eq!(system.patience(Duration::from_secs(2)), Duration::from_secs(2));
        assert!(toml::from_str::<System>("colour = 1").is_err());
        assert!(toml::from_str::<System>("patience-ms = 0").is_err());
    }

    #[test]
    fn a_program_beside_the_configuration_is_found_from_everywhere() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("bin")).expect("ours");
        std::fs::write(folder.path().join("bin/store"), "").expect("ours");
        let found = |command: &str| {
            let mut system = read(&format!("command = [\"{command}\"]"));
            system.find_command(folder.path());
            system.command()[0].clone()
        };
        assert_eq!(found("bin/store"), folder.path().join("bin/store").to_string_lossy());
        // What is on the path is looked for there, and what is nowhere is told when it is started.
        assert_eq!((found("store"), found("bin/none")), ("store".to_owned(), "bin/none".to_owned()));
    }
}
