//! Schedules on real systems.
//!
//! - [`ledger`]  what each replica should hold, and what must not be lost
//! - [`quorum`]  steps of the quorum model as signals, restarts and writes
//! - [`chain`]   steps of chain models as signals, restarts, links and writes
//! - [`judge`]   whether the replicas agree in the end
//! - [`picture`] the replicas over time

mod chain;
mod judge;
mod ledger;
mod picture;
mod quorum;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::model::state::State;
use crate::nodes::Nodes;
use crate::step::{self, Replica, Step};
use crate::store::System;
use crate::trouble::Trouble;
use crate::watch::Watch;

pub use judge::{Difference, Wrong};
pub use ledger::Ledger;

/// What a crash of the model is on the real system. Each way is a run of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crash {
    /// SIGKILL.
    Kill,
    /// SIGTERM: an orderly stop.
    Stop,
    /// SIGKILL, and another node with nothing on its disk takes its place.
    Decommission,
}

impl Crash {
    /// As it is written in configurations.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Decommission => "decommission",
        }
    }
}

/// How a schedule is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long to wait for what may never come.
    pub patience: Duration,
    /// What a crash is.
    pub crash: Crash,
    /// Whether schedules may go on from where an earlier one with the same beginning has crashed everybody.
    pub checkpoints: bool,
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
    options: &'a Options,
    nodes: Nodes,
    watch: Watch,
    checkpoints: Vec<quorum::Checkpoint>,
}

impl<'a> Player<'a> {
    /// A cluster of the model's size.
    pub fn new(
        model: &'a Model,
        system: &'a System,
        options: &'a Options,
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
        let played = outcome.map(|(wrong, mut progress)| {
            let log = if wrong.is_some() { self.interesting_lines(&progress.casts) } else { Vec::new() };
            if let Some(Wrong::Differ { found, .. }) = &wrong {
                progress.frames.push(picture::Frame::found(found));
            }
            Played {
                wrong,
                picture: picture::draw(&progress.frames),
                log,
                took: started.elapsed(),
                in_vain: self.watch.in_vain,
                steps_run: schedule.len() - n_known,
            }
        });
        self.nodes.clear()?;
        played
    }

    fn interesting_lines(&self, casts: &[usize]) -> Vec<String> {
        const LINES_MAX: usize = 12;
        let mut lines = Vec::new();
        for (name, node) in (0u8..).map(Replica).zip(casts) {
            let output = self.nodes.output(*node);
            let found: Vec<&str> =
                output.lines().filter(|line| self.system.store().is_interesting(line)).collect();
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
