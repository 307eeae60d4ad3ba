//! Calls to other nodes, as the library makes them.

use std::future::Future;
use std::io::Cursor;

use openraft::error::{
    InstallSnapshotError, NetworkError, RPCError, RaftError, ReplicationClosed, StreamingError,
};
use openraft::network::{RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{
    AppendEntriesRequest, AppendEntriesResponse, InstallSnapshotRequest, InstallSnapshotResponse,
    SnapshotResponse, VoteRequest, VoteResponse,
};
use openraft::storage::Snapshot;
use openraft::{EmptyNode, OptionalSend, SnapshotMeta};

use crate::types::{Id, Types, Vote};

/// What a call asks for.
#[derive(Clone)]
pub enum Question {
    /// A vote.
    Vote(VoteRequest<Id>),
    /// Entries, or none.
    Append(AppendEntriesRequest<Types>),
    /// A whole snapshot.
    Snapshot(Vote, SnapshotMeta<Id, EmptyNode>, Vec<u8>),
}

impl Question {
    /// The vote of whoever asks.
    pub fn vote(&self) -> Vote {
        match self {
            Question::Vote(request) => request.vote,
            Question::Append(request) => request.vote,
            Question::Snapshot(vote, ..) => *vote,
        }
    }

    /// What kind of question it is.
    pub fn kind(&self) -> Kind {
        match self {
            Question::Vote(_) => Kind::Vote,
            Question::Append(_) => Kind::Append,
            Question::Snapshot(..) => Kind::Snapshot,
        }
    }
}

/// A kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// For a vote.
    Vote,
    /// With entries, or none.
    Append,
    /// With a snapshot.
    Snapshot,
}

/// What a call is answered.
#[derive(Clone)]
pub enum Answer {
    /// To a request for a vote.
    Vote(VoteResponse<Id>),
    /// To an append.
    Append(Appended),
    /// To a snapshot: the vote of whoever answers.
    Snapshot(Vote),
}

/// An answer to an append. The library's own type can't be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Appended {
    /// All entries are there.
    Success,
    /// What comes before the entries is not there.
    Conflict,
    /// There is a greater vote.
    Higher(Vote),
}

/// Which call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Whom it asks.
    pub to: Id,
    /// What it asks for.
    pub kind: Kind,
    /// The vote of whoever asks.
    pub vote: Vote,
    /// How many calls the node had given up, and how often it had crashed, when it made this one.
    pub era: u64,
}

/// The calls of a node.
pub type Wires = kilter_held::Wires<Key, Question, Answer>;

/// Makes clients.
pub struct Factory(pub Wires);

impl RaftNetworkFactory<Types> for Factory {
    type Network = Client;

    async fn new_client(&mut self, target: Id, _: &EmptyNode) -> Client {
        Client { to: target, wires: self.0.clone() }
    }
}

/// Calls one other node.
pub struct Client {
    to: Id,
    wires: Wires,
}

impl Client {
    async fn call(&self, question: Question) -> Answer {
        let key = Key { to: self.to, kind: question.kind(), vote: question.vote(), era: self.wires.era() };
        self.wires.call(key, question).await
    }
}

type Called<T, E = openraft::error::Infallible> = Result<T, RPCError<Id, EmptyNode, RaftError<Id, E>>>;

/// The testbed answers questions of one kind with answers of that kind.
fn mixed_up() -> NetworkError {
    NetworkError::new(&std::io::Error::other("an answer to another question"))
}

impl RaftNetwork<Types> for Client {
    async fn append_entries(
        &mut self,
        request: AppendEntriesRequest<Types>,
        _: RPCOption,
    ) -> Called<AppendEntriesResponse<Id>> {
        match self.call(Question::Append(request)).await {
            Answer::Append(Appended::Success) => Ok(AppendEntriesResponse::Success),
            Answer::Append(Appended::Conflict) => Ok(AppendEntriesResponse::Conflict),
            Answer::Append(Appended::Higher(vote)) => Ok(AppendEntriesResponse::HigherVote(vote)),
            _ => Err(mixed_up().into()),
        }
    }

    async fn install_snapshot(
        &mut self,
        _: InstallSnapshotRequest<Types>,
        _: RPCOption,
    ) -> Called<InstallSnapshotResponse<Id>, InstallSnapshotError> {
        // `full_snapshot` sends snapshots in one piece.
        Err(mixed_up().into())
    }

    async fn vote(&mut self, request: VoteRequest<Id>, _: RPCOption) -> Called<VoteResponse<Id>> {
        match self.call(Question::Vote(request)).await {
            Answer::Vote(response) => Ok(response),
            _ => Err(mixed_up().into()),
        }
    }

    async fn full_snapshot(
        &mut self,
        vote: Vote,
        snapshot: Snapshot<Types>,
        _: impl Future<Output = ReplicationClosed> + OptionalSend + 'static,
        _: RPCOption,
    ) -> Result<SnapshotResponse<Id>, StreamingError<Types, openraft::error::Fatal<Id>>> {
        let bytes = Cursor::into_inner(*snapshot.snapshot);
        match self.call(Question::Snapshot(vote, snapshot.meta, bytes)).await {
            Answer::Snapshot(vote) => Ok(SnapshotResponse { vote }),
            _ => Err(StreamingError::Network(mixed_up())),
        }
    }
}
