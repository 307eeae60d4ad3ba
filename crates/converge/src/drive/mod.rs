//! Schedules on real systems.
//!
//! - [`ledger`]  what each replica should hold, and what must not be lost
//! - [`quorum`]  steps of the quorum model as signals, restarts and writes
//! - [`chain`]   steps of chain models as signals, restarts, links and writes
//! - [`judge`]   whether the replicas agree in the end
//! - [`remains`] what nodes leave behind when something is wrong
//! - [`picture`] the replicas over time

mod chain;
mod judge;
mod ledger;
mod picture;
mod quorum;
mod remains;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use crate::model::Model;
use crate::model::state::State;
use crate::nodes::Nodes;
use crate::step::{self, Replica, Step};
use crate::store::System;
use crate::trouble::Trouble;
use crate::watch::Watch;

pub use judge::{Difference, Wrong};
pub use kilter_system::Crash;
pub use ledger::Ledger;

/// How long nodes have to say what they are doing; nothing tells when they have.
const DUMP_TIME: Duration = Duration::from_secs(1);

/// How a schedule is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long to wait for what may never come.
    pub patience: Duration,
    /// What a crash is.
    pub crash: Crash,
    /// Whether schedules may go on from where an earlier one with the same beginning has crashed everybody.
    pub checkpoints: bool,
    /// Where to keep what nodes leave behind when something is wrong.
    pub keep: Option<PathBuf>,
}

/// How a schedule went.
#[derive(Clone, Debug)]
pub struct Played {
    /// What is wrong, if anything is.
    pub wrong: Option<Wrong>,
    /// The replicas over time.
    pub picture: String,
    /// Interesting lines of the nodes' logs.
    pub log: Vec<String>,
    /// Where the nodes' files and all that they printed are kept.
    pub kept: Option<PathBuf>,
    /// How long it took.
    pub took: Duration,
    /// How much of that went into waits that ended without what was waited for.
    pub in_vain: Duration,
    /// How many of its steps were run, and not taken over from an earlier schedule.
    pub steps_run: usize,
}

/// A moment of a schedule, for the picture and to go on from.
#[derive(Clone, Debug)]
struct Progress {
    state: State,
    ledger: Ledger,
    /// The node that plays each replica of the schedule.
    casts: Vec<usize>,
    frames: Vec<picture::Frame>,
}

/// One cluster, and schedules on it one after the other.
pub struct Player<'a> {
    model: &'a Model,
    system: &'a System,
    options: Options,
    nodes: Nodes,
    watch: Watch,
    checkpoints: Vec<quorum::Checkpoint>,
}

impl<'a> Player<'a> {
    /// A cluster of the model's size.
    pub fn new(
        model: &'a Model,
        system: &'a System,
        options: Options,
        interrupted: Arc<AtomicBool>,
    ) -> Result<Self, Trouble> {
        let nodes = Nodes::new(model.replicas.into(), system.store().ports())?;
        let watch = Watch::new(options.patience, interrupted);
        Ok(Self { model, system, options, nodes, watch, checkpoints: Vec::new() })
    }

    /// Runs a schedule from its beginning to the verdict.
    pub fn play(&mut self, schedule: &[Step]) -> Result<Played, Trouble> {
        let started = Instant::now();
        let schedule = &step::normal(schedule, self.model.replicas)[..];
        self.watch.in_vain = Duration::ZERO;
        let mut n_known = 0;
        let outcome = match self.system {
            System::Quorum(store) => self.play_quorum(store.as_ref(), schedule, &mut n_known),
            System::Chain(store) => self.play_chain(store.as_ref(), schedule),
        };
        let played = outcome.and_then(|(wrong, mut progress)| {
            let mut kept = None;
            let mut log = Vec::new();
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
                kept,
                took: started.elapsed(),
                in_vain: self.watch.in_vain,
                steps_run: schedule.len() - n_known,
            })
        });
        self.nodes.clear()?;
        played
    }

    /// Keeps what the nodes leave behind, if somebody wants it. Those that are stuck first say what they are doing.
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

    /// The last lines of each node that are worth showing; of a node that is stuck, simply its last.
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

    /// A node that ended by itself is a finding.
    fn died(&self, casts: &[usize]) -> Option<Wrong> {
        let (node, how) = self.nodes.ended_by_itself()?;
        let replica = casts.iter().position(|cast| *cast == node)?;
        Some(Wrong::Died { replica: Replica(replica as u8), how })
    }
}
