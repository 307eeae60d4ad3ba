//! What nodes leave behind when something is wrong, for somebody to look at.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::world::{Trouble, World};

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
