//! What a node stores. The log, the term, the vote and the snapshot survive a crash; the state machine does not. Where the
//! library leaves something open, the store does what the library's own store for tests does.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use async_raft::raft::{Entry, EntryPayload, MembershipConfig};
use async_raft::storage::{CurrentSnapshotData, HardState, InitialState};
use async_raft::{AppData, AppDataResponse, RaftStorage};
use serde::{Deserialize, Serialize};

/// A client's request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request(pub u64);

impl AppData for Request {}

/// The answer to a client's request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered;

impl AppDataResponse for Answered {}

/// A snapshot: the requests that its state machine was told, with their indexes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The index of the last entry in it.
    pub index: u64,
    /// The term of that entry.
    pub term: u64,
    /// The members up to there.
    pub members: MembershipConfig,
    /// The requests.
    pub requests: Vec<(u64, u64)>,
}

/// What a node stores. Clones are the same store.
#[derive(Clone)]
pub struct Store {
    members: MembershipConfig,
    content: Arc<Mutex<Content>>,
}

/// What is in a store.
pub struct Content {
    /// The term and the vote.
    pub state: HardState,
    /// The log, by index.
    pub log: BTreeMap<u64, Entry<Request>>,
    /// What the state machine was told to apply: index and request. A crash loses what is in no snapshot.
    pub applied: Vec<(u64, u64)>,
    /// The last snapshot.
    pub snapshot: Option<Snapshot>,
}

impl Content {
    /// The last members in the log up to an index, if there are any.
    fn members_upto(&self, index: u64) -> Option<MembershipConfig> {
        self.log.range(..=index).rev().find_map(|(_, entry)| match &entry.payload {
            EntryPayload::ConfigChange(change) => Some(change.membership.clone()),
            EntryPayload::SnapshotPointer(pointer) => Some(pointer.membership.clone()),
            EntryPayload::Blank | EntryPayload::Normal(_) => None,
        })
    }

    /// Makes a snapshot the last one. `log` is what stays of the log.
    fn install(&mut self, snapshot: Snapshot, log: BTreeMap<u64, Entry<Request>>) {
        let Snapshot { index, term, members, .. } = snapshot.clone();
        self.log = log;
        self.log.insert(index, Entry::new_snapshot_pointer(index, term, index.to_string(), members));
        self.snapshot = Some(snapshot);
    }

    /// What a state machine has after a crash.
    pub fn crash(&mut self) {
        self.applied = self.snapshot.iter().flat_map(|snapshot| snapshot.requests.clone()).collect();
    }
}

/// A snapshot as the library sends it.
fn readable(snapshot: &Snapshot) -> Result<CurrentSnapshotData<Cursor<Vec<u8>>>> {
    Ok(CurrentSnapshotData {
        term: snapshot.term,
        index: snapshot.index,
        membership: snapshot.members.clone(),
        snapshot: Box::new(Cursor::new(serde_json::to_vec(snapshot)?)),
    })
}

impl Store {
    /// A store in which nothing is but who the members are.
    pub fn new(members: impl IntoIterator<Item = u64>) -> Store {
        let content = Content {
            state: HardState { current_term: 0, voted_for: None },
            log: BTreeMap::new(),
            applied: Vec::new(),
            snapshot: None,
        };
        let members =
            MembershipConfig { members: members.into_iter().collect(), members_after_consensus: None };
        Store { members, content: Arc::new(Mutex::new(content)) }
    }

    /// What is stored.
    pub fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error after which a state machine can't go on. Ours always can.
#[derive(Debug)]
pub struct Never;

impl std::fmt::Display for Never {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("never")
    }
}

impl std::error::Error for Never {}

#[async_trait::async_trait]
impl RaftStorage<Request, Answered> for Store {
    type Snapshot = Cursor<Vec<u8>>;
    type ShutdownError = Never;

    async fn get_membership_config(&self) -> Result<MembershipConfig> {
        Ok(self.content().members_upto(u64::MAX).unwrap_or_else(|| self.members.clone()))
    }

    async fn get_initial_state(&self) -> Result<InitialState> {
        let content = self.content();
        let last = content.log.values().next_back();
        Ok(InitialState {
            last_log_index: last.map_or(0, |entry| entry.index),
            last_log_term: last.map_or(0, |entry| entry.term),
            last_applied_log: content.snapshot.as_ref().map_or(0, |snapshot| snapshot.index),
            hard_state: content.state.clone(),
            membership: content.members_upto(u64::MAX).unwrap_or_else(|| self.members.clone()),
        })
    }

    async fn save_hard_state(&self, state: &HardState) -> Result<()> {
        self.content().state = state.clone();
        Ok(())
    }

    async fn get_log_entries(&self, start: u64, stop: u64) -> Result<Vec<Entry<Request>>> {
        // The library asks for such ranges, and its own store for tests answers like this.
        if start > stop {
            return Ok(Vec::new());
        }
        Ok(self.content().log.range(start..stop).map(|(_, entry)| entry.clone()).collect())
    }

    async fn delete_logs_from(&self, start: u64, stop: Option<u64>) -> Result<()> {
        self.content().log.retain(|index, _| *index < start || stop.is_some_and(|stop| *index >= stop));
        Ok(())
    }

    async fn append_entry_to_log(&self, entry: &Entry<Request>) -> Result<()> {
        self.content().log.insert(entry.index, entry.clone());
        Ok(())
    }

    async fn replicate_to_log(&self, entries: &[Entry<Request>]) -> Result<()> {
        self.content().log.extend(entries.iter().map(|entry| (entry.index, entry.clone())));
        Ok(())
    }

    async fn apply_entry_to_state_machine(&self, index: &u64, data: &Request) -> Result<Answered> {
        self.content().applied.push((*index, data.0));
        Ok(Answered)
    }

    async fn replicate_to_state_machine(&self, entries: &[(&u64, &Request)]) -> Result<()> {
        self.content().applied.extend(entries.iter().map(|(index, data)| (**index, data.0)));
        Ok(())
    }

    async fn do_log_compaction(&self) -> Result<CurrentSnapshotData<Cursor<Vec<u8>>>> {
        let mut content = self.content();
        // The state machine is told of requests only, so the snapshot ends with the last of them.
        let index = content.applied.last().context("nothing has been applied")?.0;
        let term = content.log.get(&index).context("what was applied is not in the log")?.term;
        let members = content.members_upto(index).unwrap_or_else(|| self.members.clone());
        let snapshot = Snapshot { index, term, members, requests: content.applied.clone() };
        let log = content.log.split_off(&index);
        content.install(snapshot.clone(), log);
        readable(&snapshot)
    }

    async fn create_snapshot(&self) -> Result<(String, Box<Cursor<Vec<u8>>>)> {
        Ok(("new".to_owned(), Box::new(Cursor::new(Vec::new()))))
    }

    async fn finalize_snapshot_installation(
        &self,
        index: u64,
        term: u64,
        delete_through: Option<u64>,
        _: String,
        snapshot: Box<Cursor<Vec<u8>>>,
    ) -> Result<()> {
        let sent: Snapshot = serde_json::from_slice(snapshot.get_ref()).context("this is no snapshot")?;
        let mut content = self.content();
        let log = delete_through.map(|last| content.log.split_off(&(last + 1))).unwrap_or_default();
        content.applied.clone_from(&sent.requests);
        content.install(Snapshot { index, term, ..sent }, log);
        Ok(())
    }

    async fn get_current_snapshot(&self) -> Result<Option<CurrentSnapshotData<Cursor<Vec<u8>>>>> {
        self.content().snapshot.as_ref().map(readable).transpose()
    }
}
