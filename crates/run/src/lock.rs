//! Makes sure that one run at a time writes to a report folder.
//!
//! The lock is the kernel's, so it is gone when its process is gone, however that ended. The file stays, and says who
//! has the lock or had it last.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::files::NotWritten;
use crate::when::{now, utc};

/// The name of the lock file in a report folder.
pub const LOCK: &str = "lock";

/// A lock, which is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why a lock could not be taken.
#[derive(Debug, Error)]
pub enum LockError {
    /// The folder does not exist and can't be made.
    #[error("the folder {} cannot be made", .0.display())]
    NoFolder(PathBuf, #[source] io::Error),
    /// Another process has the lock.
    #[error("{what} is in use by {holder}; wait for its end, or name another one with {option}")]
    Held {
        /// The folder or file that is locked.
        what: String,
        /// The process that has the lock, in words.
        holder: String,
        /// The option by which the user can name another folder or file.
        option: String,
    },
    /// The lock file can't be written.
    #[error(transparent)]
    NotWritten(#[from] NotWritten),
    /// The lock file can't be locked.
    #[error("{} cannot be locked", .0.display())]
    NotLocked(PathBuf, #[source] io::Error),
}

/// The process that has a lock.
#[derive(Serialize, Deserialize)]
struct Holder {
    process: u32,
    host: String,
    /// The start in seconds since 1970, only for people.
    since_s: u64,
}

impl Lock {
    /// Locks a folder, and makes it if necessary. `option` is the option by which the user can name another one.
    pub fn folder(folder: &Path, option: &str) -> Result<Lock, LockError> {
        fs::create_dir_all(folder).map_err(|error| LockError::NoFolder(folder.to_path_buf(), error))?;
        Lock::take(&folder.join(LOCK), &folder.display().to_string(), option)
    }

    /// Locks a file, by a lock file beside it.
    pub fn file(path: &Path, option: &str) -> Result<Lock, LockError> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".lock");
        Lock::take(&PathBuf::from(beside), &path.display().to_string(), option)
    }

    fn take(path: &Path, what: &str, option: &str) -> Result<Lock, LockError> {
        let opened = File::options().create(true).truncate(false).read(true).write(true).open(path);
        let mut file = opened.map_err(NotWritten::of(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let (what, holder, option) = (what.to_owned(), holder(&mut file), option.to_owned());
                return Err(LockError::Held { what, holder, option });
            }
            // Some file systems have no locks, such as some network file systems. Then there is no protection.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(LockError::NotLocked(path.to_path_buf(), error)),
        }
        let text = serde_json::to_string(&Holder::me()).map_err(NotWritten::of(path))? + "\n";
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(NotWritten::of(path))?;
        Ok(Lock { _file: file })
    }
}

impl Holder {
    fn me() -> Holder {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Holder { process: std::process::id(), host, since_s: now() }
    }
}

/// The process that has the lock, in words.
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
}
