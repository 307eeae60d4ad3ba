//! The states that are no longer in memory: their rows in a file, and an index to look them up.
//!
//! A state is a record of words: its parent, its row, and what identifies it if the row does not.

use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use kilter_value::Value;

use super::bloom::Bloom;
use super::folder::Folder;
use super::index::{Index, Wanted};
use super::log::Log;
use super::sorted::Page;

const WORD_BYTES: usize = 4;
/// The bytes of an entry while entries are sorted.
const ENTRY_BYTES: u64 = 8;
/// The number of bytes that are written at a time.
const WRITE_BYTES: usize = 1 << 20;

/// States on disk, from the first on.
pub(crate) struct Cold {
    folder: Arc<dyn Folder>,
    pub(crate) log: Log,
    /// The number of states in the log.
    n_written: u32,
    index: Index,
    n_vars: usize,
    key_width: Option<usize>,
    /// The rows of some neighbouring states, for a block that is not in memory.
    held: (u32, Vec<Value>),
    /// The first error. Results after it mean nothing, and the search ends.
    trouble: OnceLock<io::Error>,
}

/// One state, as it is written.
pub(crate) struct Record<'r> {
    pub(crate) parent: u32,
    pub(crate) row: &'r [Value],
    pub(crate) key: Option<&'r [Value]>,
}

/// The buffers of one worker.
#[derive(Default)]
pub(crate) struct Recall {
    pub(crate) hashes: Vec<u32>,
    open: Vec<Wanted>,
    page: Page,
    /// Numbers of states, each with the index of the candidate that it may be.
    matches: Vec<(u32, u32)>,
    bytes: Vec<u8>,
}

impl Cold {
    pub(crate) fn new(
        folder: Arc<dyn Folder>,
        log: Log,
        n_vars: usize,
        key_width: Option<usize>,
        n_written: u32,
    ) -> Self {
        let index = Index::default();
        let held = (0, Vec::new());
        Cold { folder, log, n_written, index, n_vars, key_width, held, trouble: OnceLock::new() }
    }

    /// The number of states in the log.
    pub(crate) fn n_written(&self) -> u32 {
        self.n_written
    }

    pub(crate) fn record_bytes(n_vars: usize, key_width: Option<usize>) -> usize {
        WORD_BYTES * (1 + n_vars + key_width.unwrap_or(0))
    }

    /// The memory that is needed while so many states leave the memory, and afterwards to find them.
    pub(crate) fn bytes_to_leave(n_states: u32) -> u64 {
        ENTRY_BYTES * u64::from(n_states) + Bloom::bytes_for(n_states.into())
    }

    fn bytes_of_record(&self) -> usize {
        Self::record_bytes(self.n_vars, self.key_width)
    }

    /// Writes the next states to the log.
    pub(crate) fn write<'r>(&mut self, records: impl Iterator<Item = Record<'r>>) -> io::Result<()> {
        let (mut bytes, mut n_records) = (Vec::with_capacity(WRITE_BYTES), 0);
        for record in records {
            bytes.extend_from_slice(&record.parent.to_le_bytes());
            for value in record.row.iter().chain(record.key.unwrap_or_default()) {
                bytes.extend_from_slice(&value.bits().to_le_bytes());
            }
            n_records += 1;
            if bytes.len() >= WRITE_BYTES {
                self.log.append(&bytes)?;
                self.n_written += n_records;
                (n_records, bytes) = (0, Vec::with_capacity(WRITE_BYTES));
            }
        }
        self.log.append(&bytes)?;
        self.n_written += n_records;
        Ok(())
    }

    /// Makes states findable that leave the memory. Entries are those of the table in memory, in order.
    pub(crate) fn add(&mut self, entries: &[u64]) -> io::Result<()> {
        self.index.add(&*self.folder, entries)
    }

    /// Keeps the rows of some states at hand, for [`Cold::held_row`].
    pub(crate) fn hold(&mut self, states: Range<u32>) -> io::Result<()> {
        let record_bytes = self.bytes_of_record();
        let mut bytes = vec![0; states.len() * record_bytes];
        self.log.read_at(&mut bytes, u64::from(states.start) * record_bytes as u64)?;
        self.held.0 = states.start;
        self.held.1.clear();
        for record in bytes.chunks_exact(record_bytes) {
            self.held.1.extend(values(&record[WORD_BYTES..][..self.n_vars * WORD_BYTES]));
        }
        Ok(())
    }

    /// The row of a state that is at hand.
    pub(crate) fn held_row(&self, id: u32) -> &[Value] {
        let start = (id - self.held.0) as usize * self.n_vars;
        &self.held.1[start..start + self.n_vars]
    }

    /// The parent and the row of a state.
    pub(crate) fn read(&self, id: u32) -> Option<(u32, Vec<Value>)> {
        let mut bytes = vec![0; (1 + self.n_vars) * WORD_BYTES];
        let at = u64::from(id) * self.bytes_of_record() as u64;
        self.noted(self.log.read_at(&mut bytes, at))?;
        Some((word(&bytes), values(&bytes[WORD_BYTES..]).collect()))
    }

    /// Looks up candidates, whose hashes are in `recall`. Returns those that are known: their indices, in order, and the
    /// numbers of the states.
    pub(crate) fn recall<'k>(
        &self,
        recall: &mut Recall,
        key: impl Fn(usize) -> &'k [Value],
    ) -> Vec<(u32, u32)> {
        let Recall { hashes, open, page, matches, bytes } = recall;
        matches.clear();
        let looked = self.index.find(hashes, open, page, |at, low| matches.push((low - 1, at)));
        let mut known = Vec::new();
        if self.noted(looked).is_none() {
            return known;
        }
        // In the order of the file.
        matches.sort_unstable();
        let skipped = if self.key_width.is_some() { 1 + self.n_vars } else { 1 };
        bytes.resize(self.key_width.unwrap_or(self.n_vars) * WORD_BYTES, 0);
        let mut last = None;
        for (id, at) in &*matches {
            if last != Some(*id) {
                let place = u64::from(*id) * self.bytes_of_record() as u64 + (skipped * WORD_BYTES) as u64;
                if self.noted(self.log.read_at(bytes, place)).is_none() {
                    return known;
                }
                last = Some(*id);
            }
            let words = bytes.chunks_exact(WORD_BYTES).map(word);
            if words.eq(key(*at as usize).iter().map(|value| value.bits())) {
                known.push((*at, *id));
            }
        }
        known.sort_unstable();
        known
    }

    /// Keeps the first error.
    pub(crate) fn noted<T>(&self, result: io::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                // An earlier error says more.
                let _ = self.trouble.set(error);
                None
            }
        }
    }

    pub(crate) fn trouble(&self) -> Option<&io::Error> {
        self.trouble.get()
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.index.memory_bytes() + (self.held.1.capacity() * WORD_BYTES) as u64
    }

    pub(crate) fn disk_bytes(&self) -> u64 {
        self.log.n_bytes() + self.index.disk_bytes()
    }
}

/// The first word.
pub(crate) fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Words as values. A damaged file may have anything in it, and 0 is no value.
pub(crate) fn values(bytes: &[u8]) -> impl Iterator<Item = Value> {
    bytes.chunks_exact(WORD_BYTES).map(|bytes| Value::from_bits(word(bytes).max(1)))
}
