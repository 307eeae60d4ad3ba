//! Calls to other nodes, as the library makes them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use async_raft::RaftNetwork;
use async_raft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, ConflictOpt, InstallSnapshotRequest,
    InstallSnapshotResponse, VoteRequest, VoteResponse,
};
use kilter_held::Kind;

use crate::store::Request;

/// What a call asks for.
pub enum Question {
    /// A vote.
    Vote(VoteRequest),
    /// Entries, or none.
    Append(AppendEntriesRequest<Request>),
    /// A part of a snapshot.
    Snapshot(InstallSnapshotRequest),
}

/// What a call is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To a request for a vote: the term, and whether it is granted.
    Vote(u64, bool),
    /// To an append: the term, whether it is accepted, and the term and index where logs differ.
    Append(u64, bool, Option<(u64, u64)>),
    /// To a part of a snapshot: the term.
    Snapshot(u64),
}

/// The calls of a node.
pub type Wires = kilter_held::Wires<u64, Question, Answer>;

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
        match self.wires.call(target, Kind::Append, request.term, Question::Append(request)).await {
            Answer::Append(term, success, conflict) => {
                let conflict_opt = conflict.map(|(term, index)| ConflictOpt { term, index });
                Ok(AppendEntriesResponse { term, success, conflict_opt })
            }
            _ => bail!("an answer to another question"),
        }
    }

    async fn install_snapshot(
        &self,
        target: u64,
        request: InstallSnapshotRequest,
    ) -> Result<InstallSnapshotResponse> {
        match self.wires.call(target, Kind::Snapshot, request.term, Question::Snapshot(request)).await {
            Answer::Snapshot(term) => Ok(InstallSnapshotResponse { term }),
            _ => bail!("an answer to another question"),
        }
    }

    async fn vote(&self, target: u64, request: VoteRequest) -> Result<VoteResponse> {
        match self.wires.call(target, Kind::Vote, request.term, Question::Vote(request)).await {
            Answer::Vote(term, vote_granted) => Ok(VoteResponse { term, vote_granted }),
            _ => bail!("an answer to another question"),
        }
    }
}
