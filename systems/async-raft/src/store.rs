//! What a node stores. The log, the term and the vote survive a crash; the state machine does not. Snapshots are left out.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use async_raft::raft::{Entry, MembershipConfig};
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
    /// What the state machine was told to apply: index and request. A crash loses it.
    pub applied: Vec<(u64, u64)>,
}

impl Store {
    /// A store in which nothing is but who the members are.
    pub fn new(members: impl IntoIterator<Item = u64>) -> Store {
        let content = Content {
            state: HardState { current_term: 0, voted_for: None },
            log: BTreeMap::new(),
            applied: Vec::new(),
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
        Ok(self.members.clone())
    }

    async fn get_initial_state(&self) -> Result<InitialState> {
        let content = self.content();
        let last = content.log.values().next_back();
        Ok(InitialState {
            last_log_index: last.map_or(0, |entry| entry.index),
            last_log_term: last.map_or(0, |entry| entry.term),
            last_applied_log: 0,
            hard_state: content.state.clone(),
            membership: self.members.clone(),
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
        bail!("there are no snapshots")
    }

    async fn create_snapshot(&self) -> Result<(String, Box<Cursor<Vec<u8>>>)> {
        bail!("there are no snapshots")
    }

    async fn finalize_snapshot_installation(
        &self,
        _: u64,
        _: u64,
        _: Option<u64>,
        _: String,
        _: Box<Cursor<Vec<u8>>>,
    ) -> Result<()> {
        bail!("there are no snapshots")
    }

    async fn get_current_snapshot(&self) -> Result<Option<CurrentSnapshotData<Cursor<Vec<u8>>>>> {
        Ok(None)
    }
}
