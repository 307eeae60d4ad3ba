//! Calls to other nodes, as the library makes them.

use std::future::Future;
use std::io::Cursor;
use std::sync::{Arc, Mutex, PoisonError};

use kilter_held::Kind;
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

/// Which task a call belongs to. This takes the place of the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// The vote of whoever calls.
    pub vote: Vote,
    /// How many other tasks have sent appends to the same node with this vote before. A change of members makes new ones,
    /// while the calls of the old ones may still be under way.
    pub turn: u64,
}

/// The calls of a node.
pub type Wires = kilter_held::Wires<Session, Question, Answer>;

/// Makes clients.
pub struct Factory {
    wires: Wires,
    /// To whom and with which vote tasks have sent appends, one entry a task.
    begun: Arc<Mutex<Vec<(Id, Vote)>>>,
}

impl Factory {
    /// Makes clients whose calls go through these wires.
    pub fn new(wires: &Wires) -> Factory {
        Factory { wires: wires.clone(), begun: Arc::default() }
    }
}

impl RaftNetworkFactory<Types> for Factory {
    type Network = Client;

    async fn new_client(&mut self, target: Id, _: &EmptyNode) -> Client {
        Client { to: target, wires: self.wires.clone(), begun: Arc::clone(&self.begun), turn: None }
    }
}

/// Calls one other node, for one task.
pub struct Client {
    to: Id,
    wires: Wires,
    begun: Arc<Mutex<Vec<(Id, Vote)>>>,
    turn: Option<u64>,
}

impl Client {
    /// The session of an append.
    fn session(&mut self, vote: Vote) -> Session {
        let turn = *self.turn.get_or_insert_with(|| {
            let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
            let before = begun.iter().filter(|task| **task == (self.to, vote)).count();
            begun.push((self.to, vote));
            before as u64
        });
        Session { vote, turn }
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
        let session = self.session(request.vote);
        match self.wires.call(self.to, Kind::Append, session, Question::Append(request)).await {
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
        let session = Session { vote: request.vote, turn: 0 };
        match self.wires.call(self.to, Kind::Vote, session, Question::Vote(request)).await {
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
        let question = Question::Snapshot(vote, snapshot.meta, bytes);
        let session = Session { vote, turn: 0 };
        match self.wires.call(self.to, Kind::Snapshot, session, question).await {
            Answer::Snapshot(vote) => Ok(SnapshotResponse { vote }),
            _ => Err(StreamingError::Network(mixed_up())),
        }
    }
}
