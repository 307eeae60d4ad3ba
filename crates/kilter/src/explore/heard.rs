//! Which actions nodes offer. A name of `[system]` that is not among them is probably misspelt. An action that takes in a message that
//! nobody has sent hides orders of events.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kilter_base::suggest::closest;
use kilter_system::System;
use kilter_testbed::{Command, Flight, Offer, OfferId, Trouble, Waited, World};
use serde_json::{Map, Value as Json};

/// What nodes have offered so far, in all worlds of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard(Arc<Mutex<Actions>>);

#[derive(Clone, Debug, Default)]
struct Actions {
    /// The names of all actions.
    offered: BTreeSet<String>,
    /// Those that have taken in a message that no node has said it sent.
    of_nobody: BTreeSet<String>,
}

impl Heard {
    fn actions(&self) -> MutexGuard<'_, Actions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A sentence for each action of the configuration that no node has offered, and for each that takes in messages of nobody.
    pub(super) fn warnings(&self, system: &System) -> Vec<String> {
        let Actions { offered: heard, of_nobody } = &*self.actions();
        if heard.is_empty() {
            return Vec::new();
        }
        let unsent = of_nobody.iter().map(|action| {
            format!(
                "`{action}` takes in messages that no node has said it sent, so orders of events are missed: is `sent()`, or for Java a point with `sends`, \
                 missing, or is a message described differently where it is sent and where it is taken in?"
            )
        });
        let lists = [
            ("timers", &system.timers),
            ("storage", &system.storage),
            ("never", &system.never),
            ("at-once", &system.at_once),
        ];
        let all = lists.into_iter().flat_map(|(key, names)| names.iter().map(move |name| (key, name)));
        let unheard = all.filter(|(_, name)| !heard.contains(*name));
        let told = unheard.map(|(key, name)| {
            let rather = match closest(name, heard.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    let offered: Vec<&str> = heard.iter().map(String::as_str).collect();
                    format!("they have offered {}", offered.join(", "))
                }
            };
            format!("`{key}` of [system] has `{name}`, which no node has offered; {rather}")
        });
        told.chain(unsent).collect()
    }
}

/// A world whose offers are heard.
pub(super) struct Overheard<W> {
    world: W,
    /// What this world has passed on; asking it costs less than the lock.
    passed_on: BTreeSet<String>,
    /// Whether a fault has struck. The messages of a node that has crashed are those of nobody.
    is_struck: bool,
    heard: Heard,
}

impl<W: World> Overheard<W> {
    /// A world that has not been started.
    pub(super) fn new(world: W, heard: Heard) -> Overheard<W> {
        Overheard { world, passed_on: BTreeSet::new(), is_struck: false, heard }
    }

    fn listen<T>(&mut self, done: Result<T, Trouble>) -> Result<T, Trouble> {
        for offer in self.world.offers().values() {
            if !self.passed_on.contains(&offer.action) {
                self.passed_on.insert(offer.action.clone());
                self.heard.actions().offered.insert(offer.action.clone());
            }
            let is_its =
                |flight: &&Flight| flight.to == offer.node && Some(&flight.message) == offer.message.as_ref();
            let flight = self.world.flights().iter().find(is_its);
            if !self.is_struck && flight.is_some_and(|flight| flight.from.is_none()) {
                self.heard.actions().of_nobody.insert(offer.action.clone());
            }
        }
        done
    }
}

impl<W: World> World for Overheard<W> {
    fn start(&mut self) -> Result<(), Trouble> {
        self.is_struck = false;
        let done = self.world.start();
        self.listen(done)
    }

    fn offers(&self) -> &BTreeMap<OfferId, Offer> {
        self.world.offers()
    }

    fn flights(&self) -> &[Flight] {
        self.world.flights()
    }

    fn variables(&self, node: &str) -> Option<&Map<String, Json>> {
        self.world.variables(node)
    }

    fn perform(&mut self, command: &Command) -> Result<(), Trouble> {
        self.is_struck |= matches!(command, Command::Fault(..));
        let done = self.world.perform(command);
        self.listen(done)
    }

    fn wait(&mut self) -> Result<Waited, Trouble> {
        let waited = self.world.wait();
        self.listen(waited)
    }

    fn stop(&mut self) {
        self.world.stop();
    }

    fn waited(&self) -> Duration {
        self.world.waited()
    }

    fn own_time(&self) -> Duration {
        self.world.own_time()
    }

    fn keep(&self, dir: &Path) -> io::Result<()> {
        self.world.keep(dir)
    }

    fn has_logs(&self) -> bool {
        self.world.has_logs()
    }

    fn write_logs(&self, dir: &Path) -> io::Result<()> {
        self.world.write_logs(dir)
    }

    fn take_notes(&mut self) -> Vec<String> {
        self.world.take_notes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kilter_explore::config::Config;

    #[test]
    fn a_name_that_nobody_offers_is_told_with_the_nearest() {
        let text = "[system]\ntimers = [\"gosip\", \"gossip\"]\nat-once = [\"begin\"]\n";
        let system = Config::parse(text).expect("a configuration").system;
        let heard = Heard::default();
        assert_eq!(heard.warnings(&system), Vec::<String>::new());
        heard.actions().offered.extend(["gossip", "wake"].map(str::to_owned));
        assert_eq!(
            heard.warnings(&system),
            [
                "`timers` of [system] has `gosip`, which no node has offered; did you mean `gossip`?",
                "`at-once` of [system] has `begin`, which no node has offered; they have offered gossip, wake",
            ]
        );
        heard.actions().of_nobody.insert("wake".to_owned());
        let last = heard.warnings(&system).pop();
        assert!(last.is_some_and(|warning| {
            warning.starts_with("`wake` takes in messages that no node has said it sent")
        }));
    }
}
