//! Compaction: snapshots in place of entries.

use super::message::Message;
use super::role::Role;
use super::stored::{Snapshot, Write};
use super::{Raft, Term};
use crate::NodeId;

impl Raft {
    /// Replaces all that is committed.
    pub(super) fn take_snapshot(&mut self) {
        let index = self.stored.commit;
        if index > self.stored.snapshot.index
            && let Some(term) = self.stored.term_at(index)
        {
            self.write(Write::Snapshot(Snapshot { index, term, machine: self.machine.clone() }));
        }
    }

    /// The leader sends its snapshot to a node that lacks what it has replaced.
    pub(super) fn install_snapshot(&mut self, peer: NodeId) {
        if let Role::Leader(lead) = &self.role
            && lead.next(&peer) <= self.stored.snapshot.index
        {
            let Snapshot { index: last_index, term: last_term, machine } = self.stored.snapshot.clone();
            let term = self.stored.term;
            self.send(peer, Message::InstallSnapshotRequest { term, last_index, last_term, machine });
        }
    }

    /// A snapshot of what is committed here too is no news.
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
