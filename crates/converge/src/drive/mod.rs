//! Plays schedules on real systems.
//!
//! - [`standing`] what was done to each replica so far
//! - [`ledger`]  keeps account of what each replica should hold, and of what must not be lost
//! - [`history`] what clients have done and seen, and whether the store has kept its promise to them
//! - [`quorum`]  plays steps on stores that elect their leader, as signals, restarts and writes
//! - [`chain`]   plays steps on stores whose links are set by hand
//! - [`checkpoint`] goes on from where an earlier schedule had crashed all replicas
//! - [`judge`]   decides whether the replicas agree in the end
//! - [`rounds`]  notices that nodes resynchronise again and again, and never come to an end
//! - [`remains`] keeps the files of nodes when something is wrong
//! - [`picture`] draws the replicas over time

mod chain;
mod checkpoint;
mod history;
mod judge;
mod ledger;
mod picture;
mod quorum;
mod remains;
mod rounds;
mod standing;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use kilter_testbed::remains::read_tail;

use crate::nodes::Nodes;
use crate::step::{Blow, Deed, Link, Replica, Step};
use crate::store::{Client, Promise, System};
use crate::trouble::Trouble;
use crate::watch::{End, Watch};

pub use judge::{Difference, Wrong};
pub use kilter_system::Crash;
pub use ledger::Ledger;

use history::History;
use standing::Standing;

/// How long nodes have to print what they are doing. Nothing tells when they have finished.
const DUMP_TIME: Duration = Duration::from_secs(1);

/// How every schedule begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The number of replicas. All run.
    pub replicas: u8,
    /// The links that are set, where links are set by hand.
    pub links: Vec<Link>,
}

/// How schedules are played.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long to wait for something that may never come.
    pub patience: Duration,
    /// What a crash means.
    pub crash: Crash,
    /// Whether a schedule may continue from the point where an earlier one with the same beginning had crashed all
    /// replicas.
    pub checkpoints: bool,
    /// Where to keep the files of nodes when something is wrong. `None` keeps nothing.
    pub keep: Option<PathBuf>,
    /// Whether the output of nodes is wanted although nothing is wrong.
    pub logs_all: bool,
    /// What the store promises to clients that read.
    pub promise: Promise,
    /// The kinds of resynchronisation to count: the name of each, and a text in the lines of logs that speak of it.
    pub seen: Vec<(String, String)>,
}

/// How often nodes wrote of each kind of resynchronisation, by its name.
pub type Seen = BTreeMap<String, u64>;

/// Adds what was seen.
fn add(sum: &mut Seen, more: &Seen) {
    for (name, n) in more {
        *sum.entry(name.clone()).or_default() += n;
    }
}

/// What each node has written in all.
fn sums(mut seen: Vec<Seen>, before: &[Seen]) -> Vec<Seen> {
    seen.iter_mut().zip(before).for_each(|(sum, before)| add(sum, before));
    seen
}

/// How a schedule went.
#[derive(Clone, Debug)]
pub struct Played {
    /// What is wrong, if anything.
    pub wrong: Option<Wrong>,
    /// A drawing of the replicas over time.
    pub picture: String,
    /// Interesting lines of the nodes' logs.
    pub log: Vec<String>,
    /// What each replica has printed, if something is wrong or the options want it.
    pub outputs: Vec<(Replica, Vec<u8>)>,
    /// The directory with the nodes' files and everything that they printed.
    pub kept: Option<PathBuf>,
    /// How long the schedule took.
    pub took: Duration,
    /// How much of that was spent on waits that ended without result.
    pub in_vain: Duration,
    /// How often nodes wrote of each kind of resynchronisation, in the steps that were run.
    pub seen: Seen,
    /// The same for each replica, with the steps that were taken over from an earlier schedule.
    pub seen_by: Vec<Seen>,
    /// The number of reads of clients, and of those that no node answered.
    pub reads: (u64, u64),
    /// The number of its steps that were run, and not taken over from an earlier schedule.
    pub steps_run: usize,
}

/// A point of a schedule, to draw it and to continue from it.
#[derive(Clone, Debug)]
struct Progress {
    standing: Standing,
    ledger: Ledger,
    history: History,
    /// The node that plays each replica of the schedule.
    casts: Vec<usize>,
    /// What each node had written before, in an earlier schedule that began alike.
    seen_before: Vec<Seen>,
    frames: Vec<picture::Frame>,
}

/// A cluster, on which schedules are played one after the other.
pub struct Player<'a> {
    beginning: &'a Beginning,
    system: &'a System,
    options: Options,
    nodes: Nodes,
    watch: Watch,
    checkpoints: Vec<checkpoint::Checkpoint>,
}

impl<'a> Player<'a> {
    /// Makes a cluster.
    pub fn new(
        beginning: &'a Beginning,
        system: &'a System,
        options: Options,
        end: End,
    ) -> Result<Self, Trouble> {
        let nodes = Nodes::new(beginning.replicas.into(), system.store().ports(), &[])?;
        let watch = Watch::new(options.patience, end);
        Ok(Self { beginning, system, options, nodes, watch, checkpoints: Vec::new() })
    }

    /// Plays a schedule from its beginning to the verdict.
    pub fn play(&mut self, schedule: &[Step]) -> Result<Played, Trouble> {
        let started = Instant::now();
        self.watch.in_vain = Duration::ZERO;
        self.prepare_relays(schedule)?;
        let mut n_known = 0;
        let outcome = match self.system {
            System::Quorum(store) => self.play_quorum(store.as_ref(), schedule, &mut n_known),
            System::Chain(store) => self.play_chain(store.as_ref(), schedule),
        };
        let played = outcome.and_then(|(wrong, mut progress)| {
            let mut kept = None;
            let mut log = Vec::new();
            let mut outputs = Vec::new();
            let seen_by_node = self.seen();
            let mut seen = Seen::new();
            for of_node in &seen_by_node {
                add(&mut seen, of_node);
            }
            let seen_in_all = sums(seen_by_node, &progress.seen_before);
            if wrong.is_some() || self.options.logs_all {
                outputs = self.outputs(&progress.casts);
            }
            if let Some(wrong) = &wrong {
                log = self.interesting_lines(wrong, &progress.casts);
                kept = self.keep_remains(schedule, wrong, &progress.casts)?;
            }
            if let Some(Wrong::Differ { found, .. }) = &wrong {
                progress.frames.push(picture::Frame::found(found));
            }
            Ok(Played {
                wrong,
                picture: picture::draw(&progress.frames),
                log,
                outputs,
                kept,
                took: started.elapsed(),
                in_vain: self.watch.in_vain,
                seen,
                seen_by: progress.casts.iter().map(|node| seen_in_all[*node].clone()).collect(),
                reads: (progress.history.n_reads(), progress.history.n_unanswered),
                steps_run: schedule.len() - n_known,
            })
        });
        self.clear()?;
        played
    }

    /// Puts relays between the nodes if the schedule cuts some off, and takes them away if it does not. With relays, nodes
    /// have other addresses.
    fn prepare_relays(&mut self, schedule: &[Step]) -> Result<(), Trouble> {
        let is_cut = |deed: &Deed| matches!(deed, Deed::Strike(Blow::Cut, _));
        let needs_relays = matches!(self.system, System::Quorum(_))
            && schedule.iter().any(|step| step.deeds.iter().any(is_cut));
        if needs_relays == self.nodes.has_relays() {
            return Ok(());
        }
        let store = self.system.store();
        let relayed = if needs_relays { store.peer_ports() } else { &[] };
        if needs_relays && relayed.is_empty() {
            return Err(Trouble::Unable(
                "`cut`: no relays can be put between its nodes; `pause` them instead",
            ));
        }
        self.forget()?;
        self.nodes = Nodes::new(self.beginning.replicas.into(), store.ports(), relayed)?;
        Ok(())
    }

    /// Ends all nodes, and leaves nothing of them.
    fn clear(&mut self) -> Result<(), Trouble> {
        self.nodes.crash(&(0..self.nodes.seats().len()).collect::<Vec<_>>());
        for seat in self.nodes.seats() {
            self.system.store().clean_up(seat);
        }
        self.nodes.clear()
    }

    /// Keeps the files of the nodes, if the options want it. Nodes that are stuck first print what they are doing.
    fn keep_remains(
        &self,
        schedule: &[Step],
        wrong: &Wrong,
        casts: &[usize],
    ) -> Result<Option<PathBuf>, Trouble> {
        let Some(folder) = &self.options.keep else { return Ok(None) };
        if let (Wrong::Stuck { .. }, Some(signal)) = (wrong, self.system.store().dump_signal()) {
            for node in casts.iter().filter(|node| self.nodes.is_running(**node)) {
                self.nodes.send(*node, signal);
            }
            thread::sleep(DUMP_TIME);
        }
        let kept = remains::keep(folder, schedule, wrong, &self.nodes, casts);
        kept.map(Some).map_err(Trouble::own(&format!("keeping the nodes' files in {}", folder.display())))
    }

    /// What each node has written of resynchronisations since the files of nodes were put back.
    fn seen(&self) -> Vec<Seen> {
        self.nodes.seats().iter().map(|seat| rounds::of_node(seat, &self.options.seen)).collect()
    }

    /// What each replica has printed.
    fn outputs(&self, casts: &[usize]) -> Vec<(Replica, Vec<u8>)> {
        let output = |node: &usize| read_tail(&self.nodes.seats()[*node].output(), 0).unwrap_or_default();
        (0u8..).map(Replica).zip(casts.iter().map(output)).collect()
    }

    /// The last lines of each node's log that are worth showing. For a node that is stuck, simply the last lines.
    fn interesting_lines(&self, wrong: &Wrong, casts: &[usize]) -> Vec<String> {
        const LINES_MAX: usize = 12;
        let mut lines = Vec::new();
        for (name, node) in (0u8..).map(Replica).zip(casts) {
            let output = self.nodes.output(*node);
            let is_shown = |line: &&str| match wrong {
                Wrong::Stuck { .. } => !line.starts_with(char::is_whitespace),
                _ => self.system.store().is_interesting(line),
            };
            let found: Vec<&str> = output.lines().filter(is_shown).collect();
            let last = found.len().saturating_sub(LINES_MAX);
            lines.extend(found[last..].iter().map(|line| format!("{name}: {line}")));
        }
        lines
    }

    /// Sends a write. Its keys are in the ledger.
    fn send(client: &mut dyn Client, ledger: &Ledger, number: u8) -> Result<(), Trouble> {
        match &ledger.pairs(number)[..] {
            [(key, value)] => client.send(key, value),
            pairs => client.send_together(pairs),
        }
    }

    /// The beginning of a schedule.
    fn progress(&self, standing: Standing) -> Progress {
        let ledger = Ledger::new(self.beginning.replicas);
        let frames = vec![picture::Frame::new(None, &standing, &ledger)];
        let (history, seen_before) = (History::default(), Vec::new());
        let casts = (0..self.beginning.replicas.into()).collect();
        Progress { standing, ledger, history, casts, seen_before, frames }
    }

    /// The finding for a node that has ended without being told to.
    fn died(&self, casts: &[usize]) -> Option<Wrong> {
        let (node, how) = self.nodes.ended_by_itself()?;
        let replica = casts.iter().position(|cast| *cast == node)?;
        Some(Wrong::Died { replica: Replica(replica as u8), how })
    }
}
