//! Replication: what leaders send, what followers do with it, and when it is committed.

use super::message::Message;
use super::role::{Lead, Role};
use super::stored::{Entry, Write};
use super::{Index, Raft, Term};
use crate::NodeId;
use crate::machine::{Command, RequestId};

/// The most entries in a message. More are sent in several messages.
const BATCH_MAX: usize = 256;

/// The content of a leader's message, without its term.
pub(super) struct Batch {
    pub(super) prev_index: Index,
    pub(super) prev_term: Term,
    pub(super) entries: Vec<Entry>,
    pub(super) commit: Index,
}

impl Batch {
    /// The index of the last entry.
    fn end(&self) -> Index {
        self.prev_index + self.entries.len() as Index
    }
}

impl Raft {
    /// Appends a client's command to the leader's log.
    pub(super) fn propose(&mut self, request: RequestId, command: Command) {
        if !matches!(self.role, Role::Leader(_)) {
            return;
        }
        self.append_to_log(request, command);
        if let Role::Leader(lead) = &mut self.role
            && let Some(own) = lead.progress.get_mut(&self.id)
        {
            own.matched = self.stored.last_index();
        }
    }

    /// Sends a node the entries that it is not known to have.
    pub(super) fn append_entries(&mut self, peer: NodeId) {
        let Role::Leader(lead) = &self.role else { return };
        let prev_index = lead.next(&peer) - 1;
        let Some(prev_term) = self.stored.term_at(prev_index) else { return };
        let entries = self.stored.entries_from(prev_index + 1);
        let entries = entries[..entries.len().min(BATCH_MAX)].to_vec();
        let (term, commit) = (self.stored.term, self.stored.commit);
        self.send(peer, Message::AppendEntriesRequest { term, prev_index, prev_term, entries, commit });
    }

    /// Adds entries to a follower's log, if they fit.
    pub(super) fn handle_append_request(&mut self, from: NodeId, term: Term, batch: &Batch) {
        if term < self.stored.term {
            return self.answer_leader(from, false, 0);
        }
        self.follow(Some(from.clone()));
        self.outcome.patience = true;
        if !self.has_previous(batch) {
            return self.answer_leader(from, false, self.stored.last_index().min(batch.prev_index - 1));
        }
        let end = batch.end();
        self.add_to_log(batch);
        self.commit(batch.commit.min(end));
        self.answer_leader(from, true, end);
    }

    pub(super) fn answer_leader(&mut self, leader: NodeId, success: bool, index: Index) {
        self.send(leader, Message::AppendEntriesResponse { term: self.stored.term, success, index });
    }

    /// Whether the log has the entry before a batch. Entries in the snapshot are committed, so the leader has the same.
    fn has_previous(&self, batch: &Batch) -> bool {
        batch.prev_index <= self.stored.snapshot.index
            || self.stored.term_at(batch.prev_index) == Some(batch.prev_term)
    }

    /// What is there already stays; what contradicts the leader goes, with all that follows.
    fn add_to_log(&mut self, batch: &Batch) {
        let indexed = (batch.prev_index + 1..).zip(&batch.entries);
        let known = |index: Index, entry: &Entry| {
            index <= self.stored.snapshot.index || self.stored.term_at(index) == Some(entry.term)
        };
        let n_known = indexed.take_while(|(index, entry)| known(*index, entry)).count();
        if n_known < batch.entries.len() {
            let first = batch.prev_index + 1 + n_known as Index;
            self.write(Write::Entries { first, entries: batch.entries[n_known..].to_vec() });
        }
    }

    /// Handles a follower's answer about how far its log is the leader's, or may be. Answers come late and twice, so
    /// the index never goes back behind what is certain.
    pub(super) fn handle_append_response(&mut self, from: &str, success: bool, index: Index) {
        let Role::Leader(lead) = &mut self.role else { return };
        let Some(progress) = lead.progress.get_mut(from) else { return };
        if success {
            progress.matched = progress.matched.max(index);
            progress.next = progress.next.max(index + 1);
        } else {
            progress.next = progress.next.min(index + 1).max(progress.matched + 1);
        }
    }

    /// The index up to which a leader may commit: a majority has it, and the last entry is of the leader's own term.
    pub(super) fn committable(&self, lead: &Lead) -> Option<Index> {
        let agreed = (self.stored.commit + 1..=self.stored.last_index())
            .rev()
            .find(|index| self.is_majority(lead.n_having(*index)))?;
        (self.stored.term_at(agreed) == Some(self.stored.term)).then_some(agreed)
    }

    pub(super) fn advance_commit_index(&mut self) {
        let Role::Leader(lead) = &self.role else { return };
        if let Some(index) = self.committable(lead) {
            self.commit(index);
        }
    }
}
