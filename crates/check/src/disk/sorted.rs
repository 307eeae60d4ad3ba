//! A run: a file with entries in order. An entry is a hash in its upper half and the number of a state in its lower half,
//! as in the table in memory.

use std::io;

use super::bloom::Bloom;
use super::folder::{Folder, Piece};

const ENTRY_BYTES: usize = 8;
/// The entries that are read to find one.
const PAGE_ENTRIES: usize = 512;
/// The entries that are written, or read in order, at a time.
const BUFFER_ENTRIES: usize = 1 << 15;

/// A sorted file, with what is needed in memory to find an entry with one access.
pub(crate) struct Run {
    piece: Box<dyn Piece>,
    n_entries: usize,
    /// The hash with which each page begins.
    fences: Vec<u32>,
    bloom: Bloom,
}

/// The page that was read last.
#[derive(Default)]
pub(crate) struct Page {
    bytes: Vec<u8>,
    number: Option<usize>,
}

impl Page {
    /// Forgets the page, because the next one is of another run.
    pub(crate) fn clear(&mut self) {
        self.number = None;
    }

    fn n_entries(&self) -> usize {
        self.bytes.len() / ENTRY_BYTES
    }

    fn entry(&self, at: usize) -> u64 {
        entry(&self.bytes, at)
    }

    /// The first entry that is not below `wanted`.
    fn lower_bound(&self, wanted: u64) -> usize {
        let (mut low, mut high) = (0, self.n_entries());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.entry(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        low
    }
}

fn entry(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; ENTRY_BYTES];
    word.copy_from_slice(&bytes[at * ENTRY_BYTES..(at + 1) * ENTRY_BYTES]);
    u64::from_le_bytes(word)
}

impl Run {
    /// Writes a run. `n_entries` entries come in order.
    pub(crate) fn write(
        folder: &dyn Folder,
        n_entries: usize,
        entries: impl Iterator<Item = io::Result<u64>>,
    ) -> io::Result<Run> {
        let mut run = Run {
            piece: folder.scratch()?,
            n_entries: 0,
            fences: Vec::with_capacity(n_entries.div_ceil(PAGE_ENTRIES)),
            bloom: Bloom::new(n_entries)?,
        };
        let mut bytes = Vec::with_capacity(BUFFER_ENTRIES * ENTRY_BYTES);
        let mut written = 0;
        for entry in entries {
            let entry = entry?;
            let hash = (entry >> 32) as u32;
            if run.n_entries.is_multiple_of(PAGE_ENTRIES) {
                run.fences.push(hash);
            }
            run.bloom.add(hash);
            run.n_entries += 1;
            bytes.extend_from_slice(&entry.to_le_bytes());
            if bytes.len() == BUFFER_ENTRIES * ENTRY_BYTES {
                run.piece.write_at(&bytes, written)?;
                written += bytes.len() as u64;
                bytes.clear();
            }
        }
        run.piece.write_at(&bytes, written)?;
        Ok(run)
    }

    pub(crate) fn n_entries(&self) -> usize {
        self.n_entries
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.bloom.memory_bytes() + 4 * self.fences.capacity() as u64
    }

    pub(crate) fn disk_bytes(&self) -> u64 {
        (self.n_entries * ENTRY_BYTES) as u64
    }

    /// Whether there may be an entry with this hash.
    #[inline]
    pub(crate) fn may_have(&self, hash: u32) -> bool {
        self.bloom.may_have(hash)
    }

    /// Calls `found` with the lower half of each entry with this hash. Looking for hashes in order reads each page once.
    pub(crate) fn find(&self, hash: u32, page: &mut Page, mut found: impl FnMut(u32)) -> io::Result<()> {
        // Entries with this hash may begin in the page before the first one that begins with it.
        let first = self.fences.partition_point(|fence| *fence < hash).saturating_sub(1);
        for number in first..self.fences.len() {
            if self.fences[number] > hash {
                break;
            }
            self.read(number, page)?;
            for at in page.lower_bound(u64::from(hash) << 32)..page.n_entries() {
                let entry = page.entry(at);
                if (entry >> 32) as u32 != hash {
                    return Ok(());
                }
                found(entry as u32);
            }
        }
        Ok(())
    }

    fn read(&self, number: usize, page: &mut Page) -> io::Result<()> {
        if page.number == Some(number) {
            return Ok(());
        }
        let start = number * PAGE_ENTRIES;
        let n_entries = PAGE_ENTRIES.min(self.n_entries - start);
        page.number = None;
        page.bytes.resize(n_entries * ENTRY_BYTES, 0);
        self.piece.read_at(&mut page.bytes, (start * ENTRY_BYTES) as u64)?;
        page.number = Some(number);
        Ok(())
    }

    /// Frees the memory of a run that nobody looks into any more. It can only be read in order.
    pub(crate) fn into_entries(self) -> Entries {
        Entries { piece: self.piece, n_left: self.n_entries, at: 0, bytes: Vec::new(), next: 0 }
    }
}

/// The entries of a run, in order.
pub(crate) struct Entries {
    piece: Box<dyn Piece>,
    n_left: usize,
    /// The place in the file from which the buffer is filled next.
    at: u64,
    bytes: Vec<u8>,
    next: usize,
}

impl Iterator for Entries {
    type Item = io::Result<u64>;

    fn next(&mut self) -> Option<io::Result<u64>> {
        if self.next * ENTRY_BYTES == self.bytes.len() {
            let n_entries = BUFFER_ENTRIES.min(self.n_left);
            if n_entries == 0 {
                return None;
            }
            self.bytes.resize(n_entries * ENTRY_BYTES, 0);
            if let Err(error) = self.piece.read_at(&mut self.bytes, self.at) {
                self.n_left = 0;
                self.bytes.clear();
                self.next = 0;
                return Some(Err(error));
            }
            self.at += self.bytes.len() as u64;
            self.n_left -= n_entries;
            self.next = 0;
        }
        self.next += 1;
        Some(Ok(entry(&self.bytes, self.next - 1)))
    }
}
