//! What a node stores: the library's [`MemStorage`], and a snapshot of what the node has applied.

use std::sync::{Arc, PoisonError, RwLock};

use protobuf::Message as _;
use raft::eraftpb::{Entry, Message, Snapshot};
use raft::storage::{MemStorage, RaftState};
use raft::{GetEntriesContext, Result, Storage as _};

/// The storage of a node. Clones share what is stored.
///
/// The content of a snapshot is the entries that it stands for, from the first one on, so that states and messages show them.
#[derive(Clone)]
pub struct Storage {
    /// Hard state and entries.
    pub memory: MemStorage,
    snapshot: Arc<RwLock<Vec<Entry>>>,
}

impl Storage {
    /// A storage without a snapshot.
    pub fn new(memory: MemStorage) -> Storage {
        Storage { memory, snapshot: Arc::default() }
    }

    /// The entries that the snapshot stands for.
    pub fn compacted(&self) -> Vec<Entry> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes a snapshot of these entries, the first of the log, and drops them.
    pub fn compact(&self, applied: &[Entry]) -> Result<()> {
        let Some(last) = applied.last() else { return Ok(()) };
        let rest = self.memory.entries(
            last.index + 1,
            self.memory.last_index()? + 1,
            None,
            GetEntriesContext::empty(false),
        )?;
        let state = self.memory.rl().hard_state().clone();
        self.set(applied.to_vec());
        let snapshot = self.snapshot(0, 0)?;
        let mut stored = self.memory.wl();
        // This removes all entries, and sets what is committed.
        stored.apply_snapshot(snapshot)?;
        stored.set_hardstate(state);
        stored.append(&rest)
    }

    /// Puts a leader's snapshot in the place of everything that is stored.
    pub fn install(&self, snapshot: &Snapshot) -> Result<()> {
        self.set(content(snapshot)?);
        self.memory.wl().apply_snapshot(snapshot.clone())
    }

    fn set(&self, entries: Vec<Entry>) {
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = entries;
    }
}

/// The entries that a snapshot stands for.
pub fn content(snapshot: &Snapshot) -> Result<Vec<Entry>> {
    Ok(Message::parse_from_bytes(snapshot.get_data())?.take_entries().into_vec())
}

impl raft::Storage for Storage {
    fn initial_state(&self) -> Result<RaftState> {
        self.memory.initial_state()
    }

    fn entries(
        &self,
        low: u64,
        high: u64,
        max_size: impl Into<Option<u64>>,
        context: GetEntriesContext,
    ) -> Result<Vec<Entry>> {
        self.memory.entries(low, high, max_size, context)
    }

    fn term(&self, index: u64) -> Result<u64> {
        self.memory.term(index)
    }

    fn first_index(&self) -> Result<u64> {
        self.memory.first_index()
    }

    fn last_index(&self) -> Result<u64> {
        self.memory.last_index()
    }

    fn snapshot(&self, _: u64, _: u64) -> Result<Snapshot> {
        let entries = self.compacted();
        let mut snapshot = Snapshot::default();
        if let Some(last) = entries.last() {
            let metadata = snapshot.mut_metadata();
            metadata.index = last.index;
            metadata.term = last.term;
            metadata.set_conf_state(self.memory.initial_state()?.conf_state);
        }
        let record = Message { entries: entries.into(), ..Message::default() };
        snapshot.set_data(record.write_to_bytes()?.into());
        Ok(snapshot)
    }
}
