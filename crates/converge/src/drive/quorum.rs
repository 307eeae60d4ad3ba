//! Plays steps of the quorum model, as signals, restarts and writes.
//!
//! "Only these replicas get the write" means that the others are stopped when it is sent, and killed before they run
//! again. A replica has got the write when it is in the replica's files. Which node leads is the system's choice. All
//! nodes that are up are in the same state of the model, so their parts can be exchanged: the leader plays a replica
//! that gets all writes.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kilter_testbed::remains::copy_dir;
use rustix::process::Signal;

use super::judge::{self, Wrong};
use super::picture::Frame;
use super::{Crash, Ledger, Player, Progress};
use crate::model::state::State;
use crate::nodes::Seat;
use crate::step::{Replica, Step};
use crate::store::{Contents, Quorum, write_of};
use crate::trouble::Trouble;

/// Once all replicas answer, a replica must take over what it lacks within this time. An election may take longer.
const SETTLE: Duration = Duration::from_secs(10);

/// A checkpoint at a point where all replicas have crashed. The system then consists only of its files, and schedules
/// with the same beginning continue from there.
pub struct Checkpoint {
    steps: Vec<Step>,
    progress: Progress,
    dir: PathBuf,
}

type Outcome = Result<(Option<Wrong>, Progress), Trouble>;

impl Player<'_> {
    pub(super) fn play_quorum(
        &mut self,
        store: &dyn Quorum,
        schedule: &[Step],
        n_known: &mut usize,
    ) -> Outcome {
        let mut progress = match self.restore(schedule)? {
            Some((n_steps, progress)) => {
                *n_known = n_steps;
                progress
            }
            None => self.begin(store)?,
        };
        for (index, step) in schedule.iter().enumerate().skip(*n_known) {
            let next = self.model.after(&progress.state, step);
            let next = next.ok_or_else(|| Trouble::NotDriven(format!("`{step}` can't follow")))?;
            let wrong = match step {
                Step::Spread(received) => {
                    self.spread(store, received, &mut progress)?;
                    None
                }
                Step::Rise(up) => self.rise(store, up, &next, &progress.casts)?,
                _ => return Err(Trouble::NotDriven(format!("`{step}` is no step of the quorum model"))),
            };
            progress.ledger.take(step, &next);
            progress.frames.push(Frame::new(Some(step), &next, &progress.ledger, ""));
            progress.state = next;
            if wrong.is_some() {
                return Ok((wrong, progress));
            }
            if step.is_divergence() {
                self.keep(&schedule[..=index], &progress)?;
            }
        }
        Ok((self.judge_quorum(store, &progress)?, progress))
    }

    /// Starts all replicas, and makes a write that all of them have.
    fn begin(&mut self, store: &dyn Quorum) -> Result<Progress, Trouble> {
        let state = self.model.initial();
        let ledger = Ledger::new(self.model.replicas);
        let frames = vec![Frame::new(None, &state, &ledger, "")];
        let casts = (0..state.replicas.len()).collect();
        let progress = Progress { state, ledger, casts, frames };
        store.prepare(self.nodes.seats())?;
        let everybody: Vec<Replica> = progress.state.names().collect();
        if let Some(wrong) = self.rise(store, &everybody, &progress.state, &progress.casts)? {
            // Nothing has diverged yet, so this is not the kind of failure that is searched for.
            return Err(Trouble::NotDriven(format!("at the start: {wrong}")));
        }
        let leader = self.leader(store, &progress.state, &progress.casts)?;
        let leader = leader.ok_or_else(|| Trouble::NotDriven("nobody leads at the start".to_owned()))?;
        let (key, value) = write_of(0);
        let mut client = store.connect(self.nodes.seats(), leader)?;
        client.send(&key, &value)?;
        if !client.is_acknowledged(self.watch.limit) {
            return Err(Trouble::NotDriven("the first write was not acknowledged".to_owned()));
        }
        self.wait_stored(&progress.casts.clone(), &value)?;
        Ok(progress)
    }

    /// The node that leads, once all nodes that should be up serve under it.
    fn leader(
        &mut self,
        store: &dyn Quorum,
        state: &State,
        casts: &[usize],
    ) -> Result<Option<usize>, Trouble> {
        let nodes = &self.nodes;
        let up: Vec<&Seat> = state.up().iter().map(|name| &nodes.seats()[casts[name.index()]]).collect();
        let found = self.watch.until(|| match nodes.ended_by_itself() {
            Some(_) => Some(None),
            None => store.leader(&up).map(Some),
        })?;
        Ok(found.flatten())
    }

    fn rise(
        &mut self,
        store: &dyn Quorum,
        rising: &[Replica],
        next: &State,
        casts: &[usize],
    ) -> Result<Option<Wrong>, Trouble> {
        for name in rising {
            let node = casts[name.index()];
            let command = store.command(self.nodes.seats(), node, None);
            self.nodes.start(node, command)?;
        }
        if self.leader(store, next, casts)?.is_some() {
            return Ok(None);
        }
        let names: String = next.up().iter().map(ToString::to_string).collect();
        let what = format!("{names} did not come to serve under one leader");
        Ok(self.died(casts).or(Some(Wrong::Stuck { what })))
    }

    fn spread(
        &mut self,
        store: &dyn Quorum,
        received: &[Option<u8>],
        progress: &mut Progress,
    ) -> Result<(), Trouble> {
        let n_writes = received.iter().flatten().copied().max().unwrap_or(0);
        let leader = self.leader(store, &progress.state, &progress.casts)?;
        let leader = leader.ok_or_else(|| Trouble::NotDriven("the leader has stepped down".to_owned()))?;
        cast_leader(received, n_writes, leader, &mut progress.casts);
        let nodes: Vec<(usize, u8)> = progress
            .casts
            .iter()
            .zip(received)
            .filter_map(|(node, got)| got.map(|got| (*node, got)))
            .collect();
        let mut client = store.connect(self.nodes.seats(), leader)?;
        for number in 1..=n_writes {
            for (node, _) in nodes.iter().filter(|(_, got)| *got + 1 == number) {
                self.nodes.pause(*node);
            }
            let getting: Vec<usize> =
                nodes.iter().filter(|(_, got)| *got >= number).map(|(node, _)| *node).collect();
            let (key, value) = write_of(progress.ledger.used + number);
            client.send(&key, &value)?;
            if 2 * getting.len() > received.len() {
                if !client.is_acknowledged(self.watch.limit) {
                    return Err(Trouble::NotDriven(format!("write {key} was not acknowledged")));
                }
                progress.ledger.must_survive.push(progress.ledger.used + number);
            }
            self.wait_stored(&getting, &value)?;
        }
        // A node that was stopped must not run again, because it would see what it must not see.
        let is_orderly = |(_, got): &(usize, u8)| self.options.crash == Crash::Stop && *got == n_writes;
        let (orderly, others): (Vec<_>, Vec<_>) = nodes.into_iter().partition(is_orderly);
        let others: Vec<usize> = others.into_iter().map(|(node, _)| node).collect();
        self.nodes.crash(&others);
        for (node, _) in orderly {
            self.nodes.signal(node, Signal::TERM);
        }
        Ok(())
    }

    fn wait_stored(&mut self, nodes: &[usize], value: &str) -> Result<(), Trouble> {
        for node in nodes {
            let seat = &self.nodes.seats()[*node];
            let stored = self.watch.until(|| seat.has_stored(value).then_some(()))?;
            stored.ok_or_else(|| Trouble::NotDriven(format!("node {node} did not store {value}")))?;
        }
        Ok(())
    }

    fn judge_quorum(&mut self, store: &dyn Quorum, progress: &Progress) -> Result<Option<Wrong>, Trouble> {
        let seats = self.nodes.seats();
        let look = || -> Option<Vec<Contents>> {
            progress.casts.iter().map(|node| store.read(&seats[*node])).collect()
        };
        let judge = |found: Vec<Contents>| {
            let differences = judge::differences(&found);
            if differences.is_empty() {
                return judge::lost(&found[0], &progress.ledger, None);
            }
            Some(Wrong::Differ { differences, found })
        };
        let mut wrong_since: Option<Instant> = None;
        let outcome = self.watch.until(|| match judge(look()?) {
            None => Some(None),
            wrong => {
                let since = wrong_since.get_or_insert_with(Instant::now);
                (since.elapsed() >= SETTLE).then_some(wrong)
            }
        })?;
        if let Some(wrong) = outcome {
            self.watch.in_vain += wrong.as_ref().map_or(Duration::ZERO, |_| SETTLE);
            return Ok(wrong);
        }
        let silent = || Wrong::Stuck { what: "in the end, some replica does not answer".to_owned() };
        Ok(self.died(&progress.casts).or_else(|| look().map_or_else(|| Some(silent()), judge)))
    }

    /// Removes all checkpoints, so that the next schedule starts at its beginning.
    pub fn forget(&mut self) -> Result<(), Trouble> {
        while let Some(checkpoint) = self.checkpoints.pop() {
            fs::remove_dir_all(&checkpoint.dir).map_err(Trouble::own("removing old files of nodes"))?;
        }
        Ok(())
    }

    /// Makes a checkpoint of the nodes' files.
    fn keep(&mut self, steps: &[Step], progress: &Progress) -> Result<(), Trouble> {
        if !self.options.checkpoints {
            return Ok(());
        }
        let dir = self.nodes.aside(&format!("checkpoint{}", self.checkpoints.len()));
        for seat in self.nodes.seats() {
            let copied = copy_dir(&seat.dir, &dir.join(seat.index.to_string()));
            copied.map_err(Trouble::own("keeping the nodes' files"))?;
        }
        self.checkpoints.push(Checkpoint { steps: steps.to_vec(), progress: progress.clone(), dir });
        Ok(())
    }

    /// Puts back the files of the longest beginning that this schedule shares with the last ones.
    fn restore(&mut self, schedule: &[Step]) -> Result<Option<(usize, Progress)>, Trouble> {
        while let Some(checkpoint) = self.checkpoints.pop_if(|last| !schedule.starts_with(&last.steps)) {
            fs::remove_dir_all(&checkpoint.dir).map_err(Trouble::own("removing old files of nodes"))?;
        }
        let Some(last) = self.checkpoints.last() else { return Ok(None) };
        for seat in self.nodes.seats() {
            let copied = copy_dir(&last.dir.join(seat.index.to_string()), &seat.dir);
            copied.map_err(Trouble::own("putting the nodes' files back"))?;
        }
        Ok(Some((last.steps.len(), last.progress.clone())))
    }
}

/// Exchanges parts so that the leader plays a replica that gets all writes.
fn cast_leader(received: &[Option<u8>], n_writes: u8, leader: usize, casts: &mut [usize]) {
    let plays = casts.iter().position(|node| *node == leader);
    let wanted = received.iter().position(|got| *got == Some(n_writes));
    if let (Some(plays), Some(wanted)) = (plays, wanted)
        && received[plays] != Some(n_writes)
    {
        casts.swap(plays, wanted);
    }
}
