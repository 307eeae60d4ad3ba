//! Election of a leader.

use std::collections::BTreeSet;

use super::message::Message;
use super::role::{Campaign, Lead, Progress, Role};
use super::stored::Write;
use super::{Handler, Index, Raft, Term};
use crate::NodeId;
use crate::bug::Bug;
use crate::machine::{Command, RequestId};

impl Raft {
    /// No leader has been heard of, or not enough voters, for too long.
    pub(super) fn timeout(&mut self) {
        if matches!(self.role, Role::Leader(_)) {
            return;
        }
        self.write(Write::Term { term: self.stored.term + 1, vote: Some(self.id.clone()) });
        self.role = Role::Candidate(Campaign {
            asked: BTreeSet::from([self.id.clone()]),
            votes: vec![self.id.clone()],
        });
        self.leader = None;
        self.outcome.patience = true;
    }

    /// Asks a node for its vote, once in each campaign.
    pub(super) fn request_vote(&mut self, peer: NodeId) {
        if let Role::Candidate(campaign) = &mut self.role
            && campaign.asked.insert(peer.clone())
        {
            let (last_term, last_index) = (self.stored.last_term(), self.stored.last_index());
            self.send(peer, Message::RequestVoteRequest { term: self.stored.term, last_term, last_index });
        }
    }

    /// Handles a request for a vote. The first candidate gets it, if its log is as up to date as the one here.
    pub(super) fn handle_vote_request(&mut self, from: NodeId, term: Term, last: (Term, Index)) {
        let free = self.stored.vote.as_ref().is_none_or(|vote| *vote == from);
        let up_to_date = last >= (self.stored.last_term(), self.stored.last_index());
        let granted = term == self.stored.term && free && up_to_date;
        if granted {
            self.write(Write::Term { term, vote: Some(from.clone()) });
            self.outcome.patience = true;
        }
        self.send(from, Message::RequestVoteResponse { term: self.stored.term, granted });
    }

    /// What is to be done with an answer of a voter in a term.
    pub(super) fn vote_handler(&self, term: Term) -> Option<Handler> {
        let newest = match self.bug {
            Some(Bug::NoopFreshness) => self.stored.last_term(),
            _ => self.stored.term,
        };
        if term < newest {
            return Some(Handler::StaleResponse);
        }
        if term != self.stored.term && self.bug == Some(Bug::ResponseTerm) {
            return None;
        }
        Some(Handler::RequestVoteResponse)
    }

    /// Counts a vote. It only counts for a candidate; for other roles it comes too late.
    pub(super) fn handle_vote_response(&mut self, from: NodeId, granted: bool) {
        if let Role::Candidate(Campaign { votes, .. }) = &mut self.role
            && granted
            && (!votes.contains(&from) || self.bug == Some(Bug::VoteCount))
        {
            votes.push(from);
            votes.sort_unstable();
        }
    }

    /// Begins to lead with an entry of its own term, because only such an entry lets a leader know what is committed.
    pub(super) fn become_leader(&mut self) {
        match &self.role {
            Role::Candidate(campaign) if self.is_majority(campaign.votes.len()) => {}
            _ => return,
        }
        let next = self.stored.last_index() + 1;
        self.append_to_log(RequestId::default(), Command::Noop);
        let progress = |node: &NodeId| Progress { next, matched: if *node == self.id { next } else { 0 } };
        let progress = self.members.iter().map(|node| (node.clone(), progress(node))).collect();
        self.role = Role::Leader(Lead { progress });
        self.leader = Some(self.id.clone());
    }
}
