//! What a node has on its disk, and what it makes of it: a snapshot, and a log file for each epoch with what came after.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};

use crate::Bug;

/// When a write was made: by the leader of which epoch, and as which write of all.
pub type Moment = (u32, u32);

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// When it was made.
    pub at: Moment,
    /// The key and the value, apart by a space.
    pub pair: String,
}

impl Entry {
    /// As it is stored and sent.
    pub fn line(&self) -> String {
        format!("{} {} {}", self.at.0, self.at.1, self.pair)
    }

    /// From a line.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(3, ' ');
        let at = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Self { at, pair: words.next()?.to_owned() })
    }
}

/// A node's data. `old` is in the snapshot, `new` in the log.
#[derive(Debug, Default)]
pub struct Disk {
    old: Vec<Entry>,
    new: Vec<Entry>,
}

const SNAPSHOT: &str = "snapshot";
const EPOCH: &str = "epoch";

/// The last epoch that the node took part in: it must not begin again with other writes.
pub fn epoch() -> u32 {
    fs::read_to_string(EPOCH).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Keeps the epoch for after a crash.
pub fn keep_epoch(epoch: u32) -> io::Result<()> {
    fs::write("part", epoch.to_string())?;
    fs::rename("part", EPOCH)
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

/// Entries as they are stored and sent.
pub fn lines(entries: &[Entry]) -> String {
    entries.iter().flat_map(|entry| [entry.line(), "\n".to_owned()]).collect()
}

fn store(file: &str, entries: &[Entry]) -> io::Result<()> {
    fs::write("part", lines(entries))?;
    fs::rename("part", file)
}

impl Disk {
    /// What lies in the current directory.
    pub fn open() -> io::Result<Self> {
        let new = log_files()?.iter().flat_map(|(_, file)| entries(file)).collect();
        Ok(Self { old: entries(SNAPSHOT), new })
    }

    /// All writes.
    pub fn all(&self) -> impl Iterator<Item = &Entry> {
        self.old.iter().chain(&self.new)
    }

    /// When the last write was made.
    pub fn last(&self) -> Moment {
        self.all().last().map_or((0, 0), |entry| entry.at)
    }

    /// When the last write in the snapshot was made.
    pub fn base(&self) -> Moment {
        self.old.last().map_or((0, 0), |entry| entry.at)
    }

    /// What is in the log after a moment.
    pub fn since(&self, at: Moment) -> Vec<Entry> {
        self.new.iter().filter(|entry| entry.at > at).cloned().collect()
    }

    /// Whether a write of this moment is here.
    pub fn has(&self, at: Moment) -> bool {
        at == (0, 0) || self.all().any(|entry| entry.at == at)
    }

    /// Adds a write.
    pub fn push(&mut self, entry: Entry) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(format!("log.{}", entry.at.0))?;
        file.write_all(format!("{}\n", entry.line()).as_bytes())?;
        self.new.push(entry);
        Ok(())
    }

    /// Puts everything into the snapshot.
    pub fn compact(&mut self) -> io::Result<()> {
        let all: Vec<Entry> = self.all().cloned().collect();
        self.replace(all)
    }

    /// Takes over what a leader has.
    pub fn replace(&mut self, all: Vec<Entry>) -> io::Result<()> {
        store(SNAPSHOT, &all)?;
        for (_, file) in log_files()? {
            fs::remove_file(file)?;
        }
        *self = Self { old: all, new: Vec::new() };
        Ok(())
    }

    /// Gives up what came after a moment.
    pub fn truncate(&mut self, at: Moment, bug: Option<Bug>) -> io::Result<()> {
        if at < self.base() {
            // A snapshot can't be cut: everything comes from the leader.
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
