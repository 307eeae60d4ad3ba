//! What nodes leave behind when something is wrong, for somebody to look at.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::world::{Trouble, World};

/// The most bytes of a log that are kept.
pub const LOG_BYTES_MAX: u64 = 1 << 20;

/// What stands in a log in place of so many bytes.
pub(crate) fn left_out(n_bytes: u64) -> String {
    format!("[kilter: {n_bytes} bytes before this are left out]")
}

/// Reads a log from this byte on, but only its end if it is long. Its beginning says so then.
pub fn read_tail(path: &Path, begin: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    // A log that has become shorter was emptied, and says so.
    let begin = if begin > length { 0 } else { begin };
    let skipped = (length - begin).saturating_sub(LOG_BYTES_MAX);
    let mut bytes = Vec::new();
    if skipped > 0 {
        bytes.extend_from_slice(left_out(skipped).as_bytes());
        bytes.push(b'\n');
    }
    file.seek(SeekFrom::Start(begin + skipped))?;
    file.take(LOG_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Copies a directory with everything in it.
pub fn copy_dir(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_dir(&entry.path(), &target)?;
        } else if kind.is_file() {
            // Sockets and pipes are nothing to look at later.
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Keeps what the nodes of a world leave behind, in a new directory of this name in `folder`.
pub fn keep(world: &(impl World + ?Sized), folder: &Path, name: &str) -> Result<(), Trouble> {
    let kept = new_dir(folder, name).and_then(|dir| world.keep(&dir));
    let why = |error| format!("what nodes leave behind can't be kept in {}: {error}", folder.display());
    kept.map_err(|error| Trouble::Impossible(why(error)))
}

/// Makes a directory that nobody has: `name-1`, `name-2`, and so on. Several jobs may look for one at once.
pub fn new_dir(folder: &Path, name: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    for number in 1u64.. {
        let dir = folder.join(format!("{name}-{number}"));
        match fs::create_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| dir),
        }
    }
    Err(io::Error::other("no number is left"))
}
