//! The journal of what must survive a crash. Data is on disk before anybody hears of it.
//!
//! The journal is a file of lines. Each line is a checksum and a [`Write`] as JSON. A crash may leave half a line at
//! the end, which is cut off. With each snapshot, a new file is written beside the old one, and replaces it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::consensus::stored::{Stored, Write};

/// Why a journal can't be used.
#[derive(Debug, Error)]
pub enum StorageError {
    /// The file can't be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The content is not valid.
    #[error("{path}, line {line}: {reason}; the journal is damaged")]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// The journal of a node.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The state that the file contains.
    stored: Stored,
    /// Whether to wait until data is on the disk.
    sync: bool,
}

impl Journal {
    /// Opens the journal in a directory, or begins one. Without `sync` it survives a crash of the process, but not of
    /// the machine.
    pub fn open(directory: &Path, sync: bool) -> Result<Journal, StorageError> {
        let path = directory.join("journal");
        let failed = |error| StorageError::Io { path: path.clone(), error };
        fs::create_dir_all(directory).map_err(failed)?;
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        let (stored, n_bytes) = recover(&path, &fs::read(&path).map_err(failed)?)?;
        file.set_len(n_bytes as u64).map_err(failed)?;
        Ok(Journal { path, file, stored, sync })
    }

    /// The state that the journal contains.
    pub fn stored(&self) -> &Stored {
        &self.stored
    }

    /// Appends writes. When this returns, they are on disk.
    pub fn save(&mut self, writes: &[Write]) -> Result<(), StorageError> {
        let anew = writes.iter().any(|write| matches!(write, Write::Snapshot(_)));
        for write in writes {
            self.stored.apply(write).map_err(|unfit| self.damaged(&unfit.to_string()))?;
        }
        let done = match (writes.is_empty(), anew) {
            (true, _) => Ok(()),
            (false, false) => put(&mut self.file, writes, self.sync),
            (false, true) => self.begin_anew(),
        };
        done.map_err(|error| StorageError::Io { path: self.path.clone(), error })
    }

    fn begin_anew(&mut self) -> io::Result<()> {
        let beside = self.path.with_extension("new");
        let mut file = File::create(&beside)?;
        put(&mut file, &self.stored.as_writes(), self.sync)?;
        fs::rename(&beside, &self.path)?;
        if let (true, Some(directory)) = (self.sync, self.path.parent()) {
            File::open(directory)?.sync_all()?;
        }
        self.file = file;
        Ok(())
    }

    fn damaged(&self, reason: &str) -> StorageError {
        StorageError::Damaged { path: self.path.clone(), line: 0, reason: reason.to_owned() }
    }
}

fn put(file: &mut File, writes: &[Write], sync: bool) -> io::Result<()> {
    let mut lines = Vec::new();
    for write in writes {
        let json = serde_json::to_vec(write)?;
        write!(lines, "{:016x} ", xxh3_64(&json))?;
        lines.extend_from_slice(&json);
        lines.push(b'\n');
    }
    file.write_all(&lines)?;
    if sync { file.sync_data() } else { Ok(()) }
}

/// Reads a journal. Returns its state, and the number of bytes in complete lines.
fn recover(path: &Path, bytes: &[u8]) -> Result<(Stored, usize), StorageError> {
    let mut stored = Stored::default();
    let mut n_whole = 0;
    for (line, text) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if !text.ends_with(b"\n") {
            break; // written when the node crashed; nobody has heard of it
        }
        let damaged =
            |reason: String| StorageError::Damaged { path: path.to_owned(), line: line + 1, reason };
        let write = read_line(text).map_err(damaged)?;
        stored.apply(&write).map_err(|unfit| damaged(unfit.to_string()))?;
        n_whole += text.len();
    }
    Ok((stored, n_whole))
}

fn read_line(line: &[u8]) -> Result<Write, String> {
    let (sum, json) = line.trim_ascii_end().split_at_checked(16).ok_or("too short")?;
    let json = json.trim_ascii_start();
    if format!("{:016x}", xxh3_64(json)).as_bytes() != sum {
        return Err("the checksum is wrong".to_owned());
    }
    serde_json::from_slice(json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consensus::stored::{Entry, Snapshot};
    use crate::machine::{Command, Machine, RequestId};

    fn entry(term: u64) -> Entry {
        Entry { term, request: RequestId(0), command: Command::Noop }
    }

    fn some_writes() -> Vec<Write> {
        vec![
            Write::Term { term: 2, vote: Some("n1".into()) },
            Write::Entries { first: 1, entries: vec![entry(1), entry(1), entry(2)] },
            Write::Commit { index: 2 },
        ]
    }

    fn reopened(directory: &Path) -> Result<Stored, StorageError> {
        Journal::open(directory, true).map(|journal| journal.stored().clone())
    }

    #[test]
    fn what_was_saved_is_there_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut journal = Journal::open(directory.path(), true).expect("an empty journal");
        journal.save(&some_writes()).expect("saved");
        assert_eq!(reopened(directory.path()).expect("readable"), *journal.stored());
        assert_eq!(journal.stored().last_index(), 3);
    }

    #[test]
    fn a_snapshot_begins_the_file_anew_and_keeps_the_rest() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut journal = Journal::open(directory.path(), true).expect("an empty journal");
        journal.save(&some_writes()).expect("saved");
        let snapshot = Snapshot { index: 2, term: 1, machine: Machine::default() };
        journal.save(&[Write::Snapshot(snapshot)]).expect("saved");
        journal.save(&[Write::Commit { index: 3 }]).expect("saved");
        let stored = reopened(directory.path()).expect("readable");
        assert_eq!(stored, *journal.stored());
        assert_eq!((stored.snapshot.index, stored.entries.len(), stored.commit), (2, 1, 3));
        assert_eq!(stored.vote, Some("n1".into()));
    }

    #[test]
    fn half_a_line_at_the_end_is_cut_off() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut journal = Journal::open(directory.path(), true).expect("an empty journal");
        journal.save(&some_writes()).expect("saved");
        journal.file.write_all(b"0123456789abcdef {\"com").expect("written");
        let mut again = Journal::open(directory.path(), true).expect("readable");
        assert_eq!(again.stored(), journal.stored());
        again.save(&[Write::Commit { index: 3 }]).expect("saved");
        assert_eq!(reopened(directory.path()).expect("readable").commit, 3);
    }

    #[test]
    fn a_line_that_was_changed_is_noticed() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut journal = Journal::open(directory.path(), true).expect("an empty journal");
        journal.save(&some_writes()).expect("saved");
        let path = directory.path().join("journal");
        let text = fs::read_to_string(&path).expect("readable").replace("\"n1\"", "\"n3\"");
        fs::write(&path, text).expect("written");
        let error = reopened(directory.path()).expect_err("damaged");
        assert!(error.to_string().contains("line 1: the checksum is wrong"), "{error}");
    }
}
