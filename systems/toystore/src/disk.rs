//! The files of a node: a snapshot, and for each epoch a log file with the writes after it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};

use crate::Bug;

/// The moment of a write: the epoch of its leader, and its number among all writes.
pub type Moment = (u32, u32);

/// A write.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The moment at which it was made.
    pub at: Moment,
    /// The key and the value, separated by a space.
    pub pair: String,
}

impl Entry {
    /// The line in which it is stored and sent.
    pub fn line(&self) -> String {
        format!("{} {} {}", self.at.0, self.at.1, self.pair)
    }

    /// Parses such a line.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(3, ' ');
        let at = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Self { at, pair: words.next()?.to_owned() })
    }
}

/// The data of a node. `old` is in the snapshot, `new` in the log.
#[derive(Debug, Default)]
pub struct Disk {
    old: Vec<Entry>,
    new: Vec<Entry>,
}

const SNAPSHOT: &str = "snapshot";
const EPOCH: &str = "epoch";
const TRUNCATIONS: &str = "truncations";

/// The last epoch in which the node took part. It must not begin again with other writes.
pub fn epoch() -> u32 {
    fs::read_to_string(EPOCH).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Stores the epoch, so that it survives a crash.
pub fn keep_epoch(epoch: u32) -> io::Result<()> {
    fs::write("part", epoch.to_string())?;
    fs::rename("part", EPOCH)
}

/// Counts how often the log was truncated since the node was new. Returns that number.
pub fn count_truncation() -> io::Result<u32> {
    let before = fs::read_to_string(TRUNCATIONS).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    fs::write("part", (before + 1).to_string())?;
    fs::rename("part", TRUNCATIONS)?;
    Ok(before + 1)
}

fn log_files() -> io::Result<Vec<(u32, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(".")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(epoch) = name.strip_prefix("log.").and_then(|epoch| epoch.parse().ok()) {
            files.push((epoch, name));
        }
    }
    files.sort();
    Ok(files)
}

fn entries(file: &str) -> Vec<Entry> {
    fs::read_to_string(file).unwrap_or_default().lines().filter_map(Entry::parse).collect()
}

/// The lines in which entries are stored and sent.
pub fn lines(entries: &[Entry]) -> String {
    entries.iter().flat_map(|entry| [entry.line(), "\n".to_owned()]).collect()
}

fn store(file: &str, entries: &[Entry]) -> io::Result<()> {
    fs::write("part", lines(entries))?;
    fs::rename("part", file)
}

impl Disk {
    /// Reads the files in the current directory.
    pub fn open() -> io::Result<Self> {
        let new = log_files()?.iter().flat_map(|(_, file)| entries(file)).collect();
        Ok(Self { old: entries(SNAPSHOT), new })
    }

    /// All writes, in order.
    pub fn all(&self) -> impl Iterator<Item = &Entry> {
        self.old.iter().chain(&self.new)
    }

    /// The moment of the last write.
    pub fn last(&self) -> Moment {
        self.all().last().map_or((0, 0), |entry| entry.at)
    }

    /// The moment of the last write in the snapshot.
    pub fn base(&self) -> Moment {
        self.old.last().map_or((0, 0), |entry| entry.at)
    }

    /// The writes in the log after a moment.
    pub fn since(&self, at: Moment) -> Vec<Entry> {
        self.new.iter().filter(|entry| entry.at > at).cloned().collect()
    }

    /// Whether there is a write of this moment.
    pub fn has(&self, at: Moment) -> bool {
        at == (0, 0) || self.all().any(|entry| entry.at == at)
    }

    /// Appends a write to the log.
    pub fn push(&mut self, entry: Entry) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(format!("log.{}", entry.at.0))?;
        file.write_all(format!("{}\n", entry.line()).as_bytes())?;
        self.new.push(entry);
        Ok(())
    }

    /// Moves all writes into the snapshot.
    pub fn compact(&mut self) -> io::Result<()> {
        let all: Vec<Entry> = self.all().cloned().collect();
        self.replace(all)
    }

    /// Replaces all writes by those of a leader.
    pub fn replace(&mut self, all: Vec<Entry>) -> io::Result<()> {
        store(SNAPSHOT, &all)?;
        for (_, file) in log_files()? {
            fs::remove_file(file)?;
        }
        *self = Self { old: all, new: Vec::new() };
        Ok(())
    }

    /// Drops the writes after a moment.
    pub fn truncate(&mut self, at: Moment, bug: Option<Bug>) -> io::Result<()> {
        if at < self.base() {
            // A snapshot can't be cut, so everything has to come from the leader.
            return self.replace(Vec::new());
        }
        self.new.retain(|entry| entry.at <= at);
        if bug == Some(Bug::ForgottenTruncation) {
            return Ok(());
        }
        for (_, file) in log_files()? {
            let found = entries(&file);
            let kept: Vec<Entry> = found.iter().filter(|entry| entry.at <= at).cloned().collect();
            if kept.is_empty() {
                fs::remove_file(file)?;
            } else if bug != Some(Bug::WrongFile) {
                store(&file, &kept)?;
            }
        }
        Ok(())
    }
}
