//! What a node stores. The log, the vote and the last snapshot survive a crash; the state machine does not.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Cursor;
use std::ops::RangeBounds;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openraft::storage::{
    LogFlushed, LogState, RaftLogReader, RaftLogStorage, RaftSnapshotBuilder, RaftStateMachine, Snapshot,
};
use openraft::{EmptyNode, Entry, EntryPayload, OptionalSend, SnapshotMeta, StorageError, StoredMembership};

use crate::types::{Id, LogId, Types, Vote};

type Stored<T> = Result<T, StorageError<Id>>;

/// What a node stores. Clones are the same store.
#[derive(Clone, Default)]
pub struct Store(Arc<Mutex<Content>>);

/// What is in a store.
#[derive(Default)]
pub struct Content {
    /// The vote.
    pub vote: Option<Vote>,
    /// The log, by index.
    pub log: BTreeMap<u64, Entry<Types>>,
    /// The last entry that is in the snapshot and no longer in the log.
    pub purged: Option<LogId>,
    /// The last snapshot: what it is about, and the requests in it.
    pub snapshot: Option<(SnapshotMeta<Id, EmptyNode>, Vec<u64>)>,
}

impl Store {
    /// What is stored.
    pub fn content(&self) -> MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RaftLogReader<Types> for Store {
    async fn try_get_log_entries<R: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: R,
    ) -> Stored<Vec<Entry<Types>>> {
        Ok(self.content().log.range(range).map(|(_, entry)| entry.clone()).collect())
    }
}

impl RaftLogStorage<Types> for Store {
    type LogReader = Store;

    async fn get_log_state(&mut self) -> Stored<LogState<Types>> {
        let content = self.content();
        let last = content.log.values().next_back().map(|entry| entry.log_id);
        Ok(LogState { last_purged_log_id: content.purged, last_log_id: last.or(content.purged) })
    }

    async fn get_log_reader(&mut self) -> Store {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote) -> Stored<()> {
        self.content().vote = Some(*vote);
        Ok(())
    }

    async fn read_vote(&mut self) -> Stored<Option<Vote>> {
        Ok(self.content().vote)
    }

    async fn append<I>(&mut self, entries: I, callback: LogFlushed<Types>) -> Stored<()>
    where
        I: IntoIterator<Item = Entry<Types>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        self.content().log.extend(entries.into_iter().map(|entry| (entry.log_id.index, entry)));
        callback.log_io_completed(Ok(()));
        Ok(())
    }

    async fn truncate(&mut self, since: LogId) -> Stored<()> {
        self.content().log.split_off(&since.index);
        Ok(())
    }

    async fn purge(&mut self, upto: LogId) -> Stored<()> {
        let mut content = self.content();
        content.purged = Some(upto);
        content.log = content.log.split_off(&(upto.index + 1));
        Ok(())
    }
}

/// The state machine: the requests that were applied, in order.
#[derive(Clone, Default)]
pub struct Applied(Arc<Mutex<State>>, Store);

/// What the state machine holds.
#[derive(Clone, Default)]
pub struct State {
    /// The last entry that was applied.
    pub last: Option<LogId>,
    /// The last membership that was applied.
    pub members: StoredMembership<Id, EmptyNode>,
    /// The requests.
    pub requests: Vec<u64>,
}

impl Applied {
    /// A state machine as it is after a start: with what the last snapshot has.
    pub fn new(store: &Store) -> Applied {
        let state = match &store.content().snapshot {
            None => State::default(),
            Some((meta, requests)) => State {
                last: meta.last_log_id,
                members: meta.last_membership.clone(),
                requests: requests.clone(),
            },
        };
        Applied(Arc::new(Mutex::new(state)), store.clone())
    }

    /// What it holds.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The requests of a snapshot as bytes.
pub fn bytes(requests: &[u64]) -> Vec<u8> {
    requests.iter().flat_map(|request| request.to_be_bytes()).collect()
}

/// The requests of a snapshot from bytes.
pub fn requests(bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks_exact(8)
        .map(|chunk| chunk.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
        .collect()
}

impl RaftSnapshotBuilder<Types> for Applied {
    async fn build_snapshot(&mut self) -> Stored<Snapshot<Types>> {
        let state = self.state().clone();
        let name = state.last.map_or_else(String::new, |last| last.to_string());
        let meta =
            SnapshotMeta { last_log_id: state.last, last_membership: state.members, snapshot_id: name };
        self.1.content().snapshot = Some((meta.clone(), state.requests.clone()));
        Ok(Snapshot { meta, snapshot: Box::new(Cursor::new(bytes(&state.requests))) })
    }
}

impl RaftStateMachine<Types> for Applied {
    type SnapshotBuilder = Applied;

    async fn applied_state(&mut self) -> Stored<(Option<LogId>, StoredMembership<Id, EmptyNode>)> {
        let state = self.state();
        Ok((state.last, state.members.clone()))
    }

    async fn apply<I>(&mut self, entries: I) -> Stored<Vec<()>>
    where
        I: IntoIterator<Item = Entry<Types>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let mut state = self.state();
        let mut answers = Vec::new();
        for entry in entries {
            state.last = Some(entry.log_id);
            match entry.payload {
                EntryPayload::Blank => {}
                EntryPayload::Normal(request) => state.requests.push(request),
                EntryPayload::Membership(members) => {
                    state.members = StoredMembership::new(Some(entry.log_id), members);
                }
            }
            answers.push(());
        }
        Ok(answers)
    }

    async fn get_snapshot_builder(&mut self) -> Applied {
        self.clone()
    }

    async fn begin_receiving_snapshot(&mut self) -> Stored<Box<Cursor<Vec<u8>>>> {
        Ok(Box::new(Cursor::new(Vec::new())))
    }

    async fn install_snapshot(
        &mut self,
        meta: &SnapshotMeta<Id, EmptyNode>,
        snapshot: Box<Cursor<Vec<u8>>>,
    ) -> Stored<()> {
        let requests = requests(&snapshot.into_inner());
        *self.state() = State {
            last: meta.last_log_id,
            members: meta.last_membership.clone(),
            requests: requests.clone(),
        };
        self.1.content().snapshot = Some((meta.clone(), requests));
        Ok(())
    }

    async fn get_current_snapshot(&mut self) -> Stored<Option<Snapshot<Types>>> {
        let snapshot = self.1.content().snapshot.clone();
        Ok(snapshot
            .map(|(meta, requests)| Snapshot { meta, snapshot: Box::new(Cursor::new(bytes(&requests))) }))
    }
}
