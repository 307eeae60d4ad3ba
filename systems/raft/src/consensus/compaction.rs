//! Compaction: replaces entries by snapshots.

use super::message::Message;
use super::role::Role;
use super::stored::{Snapshot, Write};
use super::{Raft, Term};
use crate::NodeId;

impl Raft {
    /// Replaces all committed entries by a snapshot.
    pub(super) fn take_snapshot(&mut self) {
        let index = self.stored.commit;
        if index > self.stored.snapshot.index
            && let Some(term) = self.stored.term_at(index)
        {
            self.write(Write::Snapshot(Snapshot { index, term, machine: self.machine.clone() }));
        }
    }

    /// Sends the leader's snapshot to a node that lacks entries which the snapshot has replaced.
    pub(super) fn install_snapshot(&mut self, peer: NodeId) {
        if let Role::Leader(lead) = &self.role
            && lead.next(&peer) <= self.stored.snapshot.index
        {
            let Snapshot { index: last_index, term: last_term, machine } = self.stored.snapshot.clone();
            let term = self.stored.term;
            self.send(peer, Message::InstallSnapshotRequest { term, last_index, last_term, machine });
        }
    }

    /// Handles a snapshot. If its entries are committed here too, nothing changes.
    pub(super) fn handle_snapshot(&mut self, from: NodeId, term: Term, snapshot: Snapshot) {
        if term < self.stored.term {
            return self.answer_leader(from, false, 0);
        }
        self.follow(Some(from.clone()));
        self.outcome.patience = true;
        let index = snapshot.index;
        if index > self.stored.commit {
            self.machine = snapshot.machine.clone();
            self.write(Write::Snapshot(snapshot));
        }
        self.answer_leader(from, true, index);
    }
}
