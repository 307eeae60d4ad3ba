//! What nodes offer and say, for what a run has to tell besides its findings. A name of `[system]` that no node offers is probably misspelt, an
//! action of the agent's table that none offers is not tested, and an action that takes in a message that nobody has sent hides orders of events.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kilter_base::suggest::closest;
use kilter_system::System;
use kilter_testbed::{Command, Flight, Offer, OfferId, Trouble, Waited, World, notes};
use serde_json::{Map, Value as Json};

/// The most notes of one kind that are told.
const TOLD_MAX: usize = 5;
/// The most notes that are kept for the record.
const NOTES_MAX: usize = 1_000;

/// What nodes have offered and said so far, in all worlds of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard(Arc<Mutex<Told>>);

#[derive(Clone, Debug, Default)]
struct Told {
    /// The names of all actions that were offered.
    offered: BTreeSet<String>,
    /// Those that have taken in a message that no node has said it sent.
    of_nobody: BTreeSet<String>,
    /// Why nodes could not be used again, the first time.
    not_reused: Option<String>,
    /// Patterns of the table that no thread's name had fitted when a node was ready, with these nodes, and those that one has fitted since.
    unmatched: BTreeMap<String, BTreeSet<String>>,
    matched: BTreeSet<String>,
    /// For each thread of a pool with a timer that is due, what the agent says of it.
    timers: BTreeMap<String, String>,
    /// What the agent says of threads that died.
    died: BTreeSet<String>,
    /// Whether anything has happened after the nodes had started.
    has_acted: bool,
    /// What a node was doing when the run ended before it came to rest.
    cut_off: Option<String>,
}

impl Heard {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nodes have offered something, and nobody has let anything happen.
    pub(crate) fn is_idle(&self) -> bool {
        let told = self.told();
        !told.has_acted && !told.offered.is_empty()
    }

    /// A sentence for each action of the configuration, or of the agent's table, that no node has offered, and for each that takes in messages of
    /// nobody.
    pub(crate) fn of_offers(&self, system: &System, table: &BTreeSet<String>) -> Vec<String> {
        let Told { offered: heard, of_nobody, timers, .. } = &*self.told();
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
        let unheard = all.filter(|(_, name)| !heard.contains(*name) && !table.contains(*name));
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
        told.chain(of_table(heard, table, timers)).chain(unsent).collect()
    }

    /// A sentence for each thing that nodes and their testbed have said, and that somebody should know of the whole run.
    pub(crate) fn of_notes(&self, system: &System) -> Vec<String> {
        let Told { not_reused, unmatched, matched, cut_off, .. } = &*self.told();
        let reset = not_reused.iter().map(|why| {
            format!("`reset` of [system] did not work, so nodes are started anew for each case: {why}")
        });
        // Nodes may have different threads.
        let n_nodes = system.nodes().len();
        let is_nowhere = |(pattern, nodes): &(&String, &BTreeSet<String>)| {
            nodes.len() >= n_nodes && !matched.contains(*pattern)
        };
        let threads = unmatched.iter().filter(is_nowhere).map(|(pattern, _)| {
            format!("`threads` of the agent's table has `{pattern}`, and no thread has such a name")
        });
        let last = cut_off.iter().map(|note| format!("a node was still busy when the run ended: {note}"));
        reset.chain(threads).chain(last).collect()
    }

    /// A sentence for each thread that died, for those whose findings do not say so.
    pub(crate) fn of_deaths(&self) -> Vec<String> {
        self.told().died.iter().take(TOLD_MAX).cloned().collect()
    }

    /// Takes in a note that a node or its testbed has made.
    fn note(&self, note: &str) {
        let mut told = self.told();
        if let Some(why) = note.strip_prefix(notes::NOT_REUSED) {
            told.not_reused.get_or_insert_with(|| why.to_owned());
        } else if let Some(pattern) = quoted_after(note, notes::NO_SUCH_THREAD) {
            let node = note.split_once(notes::NO_SUCH_THREAD).map_or("", |(node, _)| node);
            told.unmatched.entry(pattern).or_default().insert(node.to_owned());
        } else if let Some(pattern) = quoted_after(note, notes::SUCH_A_THREAD) {
            told.matched.insert(pattern);
        } else if let Some((who, _)) = note.split_once(notes::TIMER) {
            told.timers.entry(who.to_owned()).or_insert_with(|| note.to_owned());
        } else if note.contains(notes::DIED) {
            told.died.insert(note.to_owned());
        }
    }
}

/// A sentence for the actions of the agent's table that no node has offered. What waits for a timer that nobody lets go is one of them.
fn of_table(
    heard: &BTreeSet<String>,
    table: &BTreeSet<String>,
    timers: &BTreeMap<String, String>,
) -> Option<String> {
    let missing: Vec<String> = table.difference(heard).map(|name| format!("`{name}`")).collect();
    let them = if missing.len() == 1 { "it" } else { "them" };
    let mut text = format!(
        "no node has offered {}, which the table of the agent has, so nothing is known of {them}",
        missing.join(", ")
    );
    for note in timers.values().take(TOLD_MAX) {
        text = format!("{text}; {note}");
    }
    (!missing.is_empty()).then_some(text)
}

/// What stands in back quotes behind these words.
fn quoted_after(note: &str, words: &str) -> Option<String> {
    let (_, rest) = note.split_once(words)?;
    Some(rest.split('`').nth(1)?.to_owned())
}

/// A world whose offers and notes are heard.
pub(crate) struct Overheard<W> {
    world: W,
    /// What this world has passed on; asking it costs less than the lock.
    passed_on: BTreeSet<String>,
    /// Whether a fault has struck. The messages of a node that has crashed are those of nobody.
    is_struck: bool,
    /// Notes that nobody has taken yet.
    notes: Vec<String>,
    heard: Heard,
}

impl<W: World> Overheard<W> {
    /// A world that has not been started.
    pub(crate) fn new(world: W, heard: Heard) -> Overheard<W> {
        Overheard { world, passed_on: BTreeSet::new(), is_struck: false, notes: Vec::new(), heard }
    }

    fn listen<T>(&mut self, done: Result<T, Trouble>) -> Result<T, Trouble> {
        for offer in self.world.offers().values() {
            if !self.passed_on.contains(&offer.action) {
                self.passed_on.insert(offer.action.clone());
                self.heard.told().offered.insert(offer.action.clone());
            }
            let is_its =
                |flight: &&Flight| flight.to == offer.node && Some(&flight.message) == offer.message.as_ref();
            let flight = self.world.flights().iter().find(is_its);
            if !self.is_struck && flight.is_some_and(|flight| flight.from.is_none()) {
                self.heard.told().of_nobody.insert(offer.action.clone());
            }
        }
        if let Err(Trouble::Interrupted) = done {
            self.hear_notes();
            let busy = self.notes.iter().rfind(|note| note.contains(notes::BUSY));
            self.heard.told().cut_off = busy.cloned();
        }
        done
    }

    /// Takes the notes of the world. It keeps some only, and a part of a search has many sequences.
    fn hear_notes(&mut self) {
        for note in self.world.take_notes() {
            self.heard.note(&note);
            if self.notes.len() < NOTES_MAX {
                self.notes.push(note);
            }
        }
    }
}

impl<W: World> World for Overheard<W> {
    fn start(&mut self) -> Result<(), Trouble> {
        self.is_struck = false;
        self.hear_notes();
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
        self.heard.told().has_acted = true;
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
        self.hear_notes();
        std::mem::take(&mut self.notes)
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
        let table = BTreeSet::new();
        assert_eq!(heard.of_offers(&system, &table), Vec::<String>::new());
        heard.told().offered.extend(["gossip", "wake"].map(str::to_owned));
        assert_eq!(
            heard.of_offers(&system, &table),
            [
                "`timers` of [system] has `gosip`, which no node has offered; did you mean `gossip`?",
                "`at-once` of [system] has `begin`, which no node has offered; they have offered gossip, wake",
            ]
        );
        heard.told().of_nobody.insert("wake".to_owned());
        let last = heard.of_offers(&system, &table).pop();
        assert!(last.is_some_and(|warning| {
            warning.starts_with("`wake` takes in messages that no node has said it sent")
        }));
    }

    #[test]
    fn an_action_of_the_table_that_nobody_offers_is_told_with_the_timers_that_wait() {
        let system = Config::parse("[system]\ntimers = [\"Refresh\"]\n").expect("a configuration").system;
        let heard = Heard::default();
        let table = ["Handle", "Refresh"].map(str::to_owned).into();
        heard.told().offered.insert("Handle".to_owned());
        let note = "n1: thread pool-1 of a pool has a timer that is due in 900 ms, and nobody lets it go";
        heard.note(note);
        heard.note(&note.replace("900", "800"));
        let told =
            "no node has offered `Refresh`, which the table of the agent has, so nothing is known of it";
        assert_eq!(heard.of_offers(&system, &table), [format!("{told}; {note}")]);
        heard.told().offered.insert("Refresh".to_owned());
        assert_eq!(heard.of_offers(&system, &table), Vec::<String>::new());
    }

    #[test]
    fn notes_about_the_whole_run_are_told_once() {
        let heard = Heard::default();
        let system = Config::parse("[system]\nnodes = [\"n1\", \"n2\"]\n").expect("a configuration").system;
        for pattern in ["werker-*", "late-*"] {
            for node in system.nodes() {
                let there = "so far; there are main, worker-1";
                heard.note(&format!("{node}: no thread has a name that fits `{pattern}` {there}"));
            }
        }
        heard.note("n2: no thread has a name that fits `ticker` so far; there are main, worker-1");
        heard.note("n1: thread late-3 has a name that fits `late-*`");
        for node in ["n2", "n1"] {
            heard.note(&format!("can't be used again: node {node} knows nothing of it"));
        }
        heard.note("n1: thread worker-1 has died of java.lang.NullPointerException at a.B.c(B.java:3)");
        assert_eq!(
            heard.of_notes(&system),
            [
                "`reset` of [system] did not work, so nodes are started anew for each case: node n2 knows nothing of it",
                "`threads` of the agent's table has `werker-*`, and no thread has such a name",
            ]
        );
        assert_eq!(heard.of_deaths().len(), 1);
    }
}
