//! Calls to other nodes, as the library makes them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use async_raft::RaftNetwork;
use async_raft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, ConflictOpt, InstallSnapshotRequest,
    InstallSnapshotResponse, VoteRequest, VoteResponse,
};

use crate::store::Request;

/// What a call asks for. The library's own types can't be copied.
#[derive(Clone)]
pub enum Question {
    /// A vote.
    Vote(Arc<VoteRequest>),
    /// Entries, or none.
    Append(Arc<AppendEntriesRequest<Request>>),
}

/// What a call is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To a request for a vote: the term, and whether it is granted.
    Vote(u64, bool),
    /// To an append: the term, whether it is accepted, and the term and index where logs differ.
    Append(u64, bool, Option<(u64, u64)>),
}

/// Which call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Whom it asks.
    pub to: u64,
    /// Whether it asks for a vote.
    pub is_vote: bool,
    /// The term of whoever asks.
    pub term: u64,
    /// How many calls the node had given up, and how often it had crashed, when it made this one.
    pub era: u64,
}

/// The calls of a node.
pub type Wires = kilter_held::Wires<Key, Question, Answer>;

/// The other node to which each task of a leader sends.
pub type Streams = Arc<Mutex<BTreeMap<u64, u64>>>;

/// The calls of a node as the library makes them.
pub struct Network {
    /// The calls.
    pub wires: Wires,
    /// Who makes them.
    pub streams: Streams,
}

#[async_trait::async_trait]
impl RaftNetwork<Request> for Network {
    async fn append_entries(
        &self,
        target: u64,
        request: AppendEntriesRequest<Request>,
    ) -> Result<AppendEntriesResponse> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner).insert(kilter_held::task(), target);
        let key = Key { to: target, is_vote: false, term: request.term, era: self.wires.era() };
        match self.wires.call(key, Question::Append(Arc::new(request))).await {
            Answer::Append(term, success, conflict) => {
                let conflict_opt = conflict.map(|(term, index)| ConflictOpt { term, index });
                Ok(AppendEntriesResponse { term, success, conflict_opt })
            }
            Answer::Vote(..) => bail!("an answer to another question"),
        }
    }

    async fn install_snapshot(&self, _: u64, _: InstallSnapshotRequest) -> Result<InstallSnapshotResponse> {
        bail!("there are no snapshots")
    }

    async fn vote(&self, target: u64, request: VoteRequest) -> Result<VoteResponse> {
        let key = Key { to: target, is_vote: true, term: request.term, era: self.wires.era() };
        match self.wires.call(key, Question::Vote(Arc::new(request))).await {
            Answer::Vote(term, vote_granted) => Ok(VoteResponse { term, vote_granted }),
            Answer::Append(..) => bail!("an answer to another question"),
        }
    }
}
