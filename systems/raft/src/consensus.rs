//! Raft as a pure state machine: [`Raft::enabled`] lists what a node can do by itself, and [`Raft::take`] takes a step
//! and returns its outcome.
//!
//! - [`message`] the messages between nodes
//! - [`stored`]  the state that must survive a crash
//! - [`role`]    follower, candidate, leader, and the state of each
//! - `election`, `replication`, `compaction` the steps
//!
//! A step is one action of the specification (`specs/Raft/Raft.tla`). A message of a newer term is not a step of its
//! own: its handler first takes over the term.

mod compaction;
mod election;
pub mod message;
mod replication;
pub mod role;
pub mod stored;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::NodeId;
use crate::bug::Bug;
use crate::machine::{Command, Machine, RequestId};
use message::Message;
use role::Role;
use stored::{Entry, Snapshot, Stored, Write};

/// A term. The first is 1.
pub type Term = u64;
/// The index of an entry in the log. The first is 1.
pub type Index = u64;

/// A step of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Stand for election.
    Timeout,
    /// Ask a node for its vote.
    RequestVote(NodeId),
    /// Begin to lead.
    BecomeLeader,
    /// Send entries to a node.
    AppendEntries(NodeId),
    /// Send the snapshot to a node.
    InstallSnapshot(NodeId),
    /// Commit what a majority has.
    AdvanceCommitIndex,
    /// Replace what is committed by a snapshot.
    TakeSnapshot,
    /// Append a client's command to the log. Does nothing unless this node leads.
    Propose {
        /// The number of the request.
        request: RequestId,
        /// What is asked for.
        command: Command,
    },
    /// Take in a message.
    Receive {
        /// The name of the sender.
        from: NodeId,
        /// The content of the message.
        message: Message,
    },
}

/// The handlers of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// A candidate asks for a vote.
    RequestVoteRequest,
    /// A voter answers.
    RequestVoteResponse,
    /// A leader sends entries.
    AppendEntriesRequest,
    /// A follower answers to entries or a snapshot.
    AppendEntriesResponse,
    /// A leader sends a snapshot.
    InstallSnapshotRequest,
    /// An answer of an earlier term.
    StaleResponse,
}

/// What comes of a step. Writes must be stored before anything is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The changes to store.
    pub writes: Vec<Write>,
    /// The messages to send, with their receivers.
    pub messages: Vec<(NodeId, Message)>,
    /// The entries that have been applied: index, term, answer.
    pub applied: Vec<(Index, Term, Option<String>)>,
    /// Whether the election timer starts again.
    pub patience: bool,
}

/// A node's part in Raft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raft {
    id: NodeId,
    members: BTreeSet<NodeId>,
    stored: Stored,
    role: Role,
    leader: Option<NodeId>,
    machine: Machine,
    bug: Option<Bug>,
    outcome: Outcome,
}

impl Raft {
    /// A node that starts with what it has stored, as a follower. `members` are all nodes, this one included.
    pub fn new(id: NodeId, members: BTreeSet<NodeId>, mut stored: Stored, bug: Option<Bug>) -> Raft {
        if bug == Some(Bug::SnapshotCommit) {
            stored.commit = stored.snapshot.index;
            stored.entries.truncate((stored.commit - stored.snapshot.index) as usize);
        }
        let machine = stored.machine();
        Raft {
            id,
            members,
            stored,
            role: Role::Follower,
            leader: None,
            machine,
            bug,
            outcome: Outcome::default(),
        }
    }

    /// The name of the node.
    pub fn id(&self) -> &NodeId {
        &self.id
    }

    /// The state that it has stored.
    pub fn stored(&self) -> &Stored {
        &self.stored
    }

    /// The present role.
    pub fn role(&self) -> &Role {
        &self.role
    }

    /// The names of all nodes.
    pub fn members(&self) -> &BTreeSet<NodeId> {
        &self.members
    }

    /// The leader of this term, if the node knows it.
    pub fn leader(&self) -> Option<&NodeId> {
        self.leader.as_ref()
    }

    /// The steps that the node can take by itself now.
    pub fn enabled(&self) -> Vec<Step> {
        let peers = || self.members.iter().filter(|peer| **peer != self.id).cloned();
        let mut steps = Vec::new();
        match &self.role {
            Role::Follower => steps.push(Step::Timeout),
            Role::Candidate(campaign) => {
                steps.push(Step::Timeout);
                steps.extend(peers().filter(|peer| !campaign.asked.contains(peer)).map(Step::RequestVote));
                if self.is_majority(campaign.votes.len()) {
                    steps.push(Step::BecomeLeader);
                }
            }
            Role::Leader(lead) => {
                steps.extend(peers().map(|peer| {
                    let has_entries = lead.next(&peer) > self.stored.snapshot.index;
                    if has_entries { Step::AppendEntries(peer) } else { Step::InstallSnapshot(peer) }
                }));
                if self.committable(lead).is_some() {
                    steps.push(Step::AdvanceCommitIndex);
                }
            }
        }
        if self.stored.commit > self.stored.snapshot.index {
            steps.push(Step::TakeSnapshot);
        }
        steps
    }

    /// The handler of a message. `None` if nothing has to be done with it.
    pub fn handler(&self, message: &Message) -> Option<Handler> {
        let stale = message.term() < self.stored.term;
        match message {
            Message::RequestVoteRequest { .. } => Some(Handler::RequestVoteRequest),
            Message::AppendEntriesRequest { .. } => Some(Handler::AppendEntriesRequest),
            Message::InstallSnapshotRequest { .. } => Some(Handler::InstallSnapshotRequest),
            Message::AppendEntriesResponse { .. } if stale => Some(Handler::StaleResponse),
            Message::AppendEntriesResponse { .. } => Some(Handler::AppendEntriesResponse),
            Message::RequestVoteResponse { term, .. } => self.vote_handler(*term),
        }
    }

    /// Takes a step. One that is not possible now has no effect.
    pub fn take(&mut self, step: Step) -> Outcome {
        match step {
            Step::Timeout => self.timeout(),
            Step::RequestVote(peer) => self.request_vote(peer),
            Step::BecomeLeader => self.become_leader(),
            Step::AppendEntries(peer) => self.append_entries(peer),
            Step::InstallSnapshot(peer) => self.install_snapshot(peer),
            Step::AdvanceCommitIndex => self.advance_commit_index(),
            Step::TakeSnapshot => self.take_snapshot(),
            Step::Propose { request, command } => self.propose(request, command),
            Step::Receive { from, message } => self.receive(from, message),
        }
        std::mem::take(&mut self.outcome)
    }

    fn receive(&mut self, from: NodeId, message: Message) {
        let Some(handler) = self.handler(&message) else { return };
        if handler == Handler::StaleResponse {
            return;
        }
        self.take_over_term(message.term());
        match message {
            Message::RequestVoteRequest { term, last_term, last_index } => {
                self.handle_vote_request(from, term, (last_term, last_index));
            }
            Message::RequestVoteResponse { granted, .. } => self.handle_vote_response(from, granted),
            Message::AppendEntriesRequest { term, prev_index, prev_term, entries, commit } => {
                let batch = replication::Batch { prev_index, prev_term, entries, commit };
                self.handle_append_request(from, term, &batch);
            }
            Message::AppendEntriesResponse { success, index, .. } => {
                self.handle_append_response(&from, success, index);
            }
            Message::InstallSnapshotRequest { term, last_index, last_term, machine } => {
                self.handle_snapshot(from, term, Snapshot { index: last_index, term: last_term, machine });
            }
        }
    }

    /// Takes over a newer term. The node becomes a follower that has not voted.
    fn take_over_term(&mut self, term: Term) {
        if term > self.stored.term {
            self.write(Write::Term { term, vote: None });
            self.follow(None);
        }
    }

    fn follow(&mut self, leader: Option<NodeId>) {
        self.role = Role::Follower;
        self.leader = leader;
    }

    fn is_majority(&self, n_nodes: usize) -> bool {
        2 * n_nodes > self.members.len()
    }

    fn send(&mut self, to: NodeId, message: Message) {
        self.outcome.messages.push((to, message));
    }

    /// Changes the stored state. It is changed on disk when the outcome is carried out.
    fn write(&mut self, write: Write) {
        self.stored.apply(&write).expect("steps write what follows from what is there");
        let write = match write {
            Write::Term { term, .. } if self.bug == Some(Bug::VoteNotPersisted) => {
                Write::Term { term, vote: None }
            }
            write => write,
        };
        self.outcome.writes.push(write);
    }

    fn append_to_log(&mut self, request: RequestId, command: Command) {
        let entry = Entry { term: self.stored.term, request, command };
        self.write(Write::Entries { first: self.stored.last_index() + 1, entries: vec![entry] });
    }

    fn commit(&mut self, index: Index) {
        for index in self.stored.commit + 1..=index {
            if let Some(Entry { term, request, command }) = self.stored.entry(index) {
                let answer = self.machine.apply(*request, command);
                self.outcome.applied.push((index, *term, answer));
            }
        }
        if index > self.stored.commit {
            self.write(Write::Commit { index });
        }
    }
}
