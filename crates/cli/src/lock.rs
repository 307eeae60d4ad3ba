//! One run at a time writes to a report folder.
//!
//! The lock is the kernel's: it is gone when its process is, however that ended. The file stays, and says who has it or had it last.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use crate::files;

/// The lock of a report folder, in it.
pub const LOCK: &str = "lock";

/// Held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Who has a lock.
#[derive(Serialize, Deserialize)]
struct Holder {
    process: u32,
    host: String,
    /// In seconds since 1970, for people alone.
    since_s: u64,
}

impl Lock {
    /// Locks a folder, which is made if need be; `option` is how another one is named.
    pub fn folder(folder: &Path, option: &str) -> anyhow::Result<Lock> {
        fs::create_dir_all(folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        Lock::take(&folder.join(LOCK), &folder.display().to_string(), option)
    }

    /// Locks one file, by another one beside it.
    pub fn file(path: &Path, option: &str) -> anyhow::Result<Lock> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".lock");
        Lock::take(&PathBuf::from(beside), &path.display().to_string(), option)
    }

    fn take(path: &Path, what: &str, option: &str) -> anyhow::Result<Lock> {
        let opened = File::options().create(true).truncate(false).read(true).write(true).open(path);
        let mut file = opened.with_context(|| files::refusal(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!(
                    "{what} is in use by {}; wait for its end, or name another one with {option}",
                    holder(&mut file)
                )
            }
            // A file system without locks, such as some that are reached over a network.
            Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("{} cannot be locked", path.display()));
            }
        }
        let text = serde_json::to_string(&Holder::me())? + "\n";
        file.set_len(0)
            .and_then(|()| file.write_all(text.as_bytes()))
            .with_context(|| files::refusal(path))?;
        Ok(Lock { _file: file })
    }
}

impl Holder {
    fn me() -> Holder {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let since_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Holder { process: std::process::id(), host, since_s }
    }
}

/// Who has the lock, in words.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
    match read.ok().and_then(|_| serde_json::from_str::<Holder>(&text).ok()) {
        Some(Holder { process, host, since_s }) => {
            format!("process {process} on {host}, since {}", utc(since_s))
        }
        None => "another process".to_owned(),
    }
}

/// A date and time, for people.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days are counted from 0000-03-01, in eras of 400 years, so that leap days come last.
    let day = days + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_taken_once_and_says_who_has_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::folder(folder.path(), "--report").expect("it is free");
        let error = Lock::folder(folder.path(), "--report").expect_err("it is taken").to_string();
        let me = format!("is in use by process {} on ", std::process::id());
        assert!(error.contains(&me) && error.contains(" UTC; wait") && error.contains("--report"), "{error}");
        drop(lock);
        Lock::folder(folder.path(), "--report").expect("it is free again");
    }

    #[test]
    fn times_are_told_as_people_write_them() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_782_399), "2000-02-28 23:59:59 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(1_735_689_599), "2024-12-31 23:59:59 UTC");
        assert_eq!(utc(1_794_823_200), "2026-11-16 10:00:00 UTC");
    }
}
