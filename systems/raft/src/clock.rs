//! Decides when a node without a testbed takes its steps: random election timeouts, heartbeats, snapshots of long logs.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::NodeId;
use crate::consensus::message::Message;
use crate::consensus::role::Role;
use crate::consensus::{Index, Outcome, Raft, Step};

/// The times of a node.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The shortest time after which a follower stands for election; the longest is twice that.
    pub election: Duration,
    /// The time between two heartbeats of a leader.
    pub heartbeat: Duration,
    /// The number of committed entries after which a snapshot is taken.
    pub snapshot_after: Index,
}

/// When a step is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// At once.
    Now,
    /// At this time, if nothing happens before.
    At(Instant),
    /// Not at present.
    Later,
}

/// The clock of a node.
pub struct Clock {
    timing: Timing,
    chance: u64,
    election: Instant,
    sent: BTreeMap<NodeId, Sent>,
}

/// What a leader last sent to a node.
struct Sent {
    at: Instant,
    state: (Index, Index, Index),
    answered: bool,
}

impl Clock {
    /// Makes a clock that starts now. Nodes should have different seeds.
    pub fn new(timing: Timing, seed: u64, now: Instant) -> Clock {
        let mut clock = Clock { timing, chance: seed | 1, election: now, sent: BTreeMap::new() };
        clock.await_election(now);
        clock
    }

    /// When a step is due that the node can take.
    pub fn due(&self, raft: &Raft, step: &Step) -> Due {
        match step {
            Step::Timeout => Due::At(self.election),
            Step::AppendEntries(peer) | Step::InstallSnapshot(peer) => match self.sent.get(peer) {
                None => Due::Now,
                Some(sent) if sent.answered && sent.state != state_for(raft, peer) => Due::Now,
                Some(sent) => Due::At(sent.at + self.timing.heartbeat),
            },
            Step::TakeSnapshot => {
                let n_committed = raft.stored().commit - raft.stored().snapshot.index;
                if n_committed >= self.timing.snapshot_after { Due::Now } else { Due::Later }
            }
            _ => Due::Now,
        }
    }

    /// Notes that a message of a node has arrived.
    pub fn heard(&mut self, from: &str) {
        if let Some(sent) = self.sent.get_mut(from) {
            sent.answered = true;
        }
    }

    /// Notes that a step has been taken.
    pub fn taken(&mut self, raft: &Raft, outcome: &Outcome, now: Instant) {
        let leads = matches!(raft.role(), Role::Leader(_));
        if outcome.patience || leads {
            self.await_election(now);
        }
        if !leads {
            self.sent.clear();
        }
        for (to, message) in &outcome.messages {
            if let Message::AppendEntriesRequest { .. } | Message::InstallSnapshotRequest { .. } = message {
                let sent = Sent { at: now, state: state_for(raft, to), answered: false };
                self.sent.insert(to.clone(), sent);
            }
        }
    }

    fn await_election(&mut self, now: Instant) {
        // Marsaglia's xorshift. Nodes only have to differ.
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        let share = (self.chance % 1000) as u32;
        self.election = now + self.timing.election + self.timing.election * share / 1000;
    }
}

/// The state on which it depends what a leader sends to a node.
fn state_for(raft: &Raft, peer: &str) -> (Index, Index, Index) {
    let next = match raft.role() {
        Role::Leader(lead) => lead.next(peer),
        _ => 0,
    };
    (next, raft.stored().last_index(), raft.stored().commit)
}
