//! What nodes leave behind when something is wrong, for somebody to look at: their files, and all that they printed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Wrong;
use crate::nodes::{Nodes, copy_dir};
use crate::step::{self, Replica, Step};

/// The file that says what was run and what was wrong.
const ABOUT: &str = "about.txt";

/// Copies everything into a new directory in `folder`. Each node goes by the name of the replica that it plays.
pub(super) fn keep(
    folder: &Path,
    schedule: &[Step],
    wrong: &Wrong,
    nodes: &Nodes,
    casts: &[usize],
) -> io::Result<PathBuf> {
    let dir = new_dir(folder, wrong.kind().name())?;
    fs::write(dir.join(ABOUT), format!("{}\n{}: {wrong}\n", step::text(schedule), wrong.kind().name()))?;
    for (name, node) in (0u8..).map(Replica).zip(casts) {
        let seat = &nodes.seats()[*node];
        copy_dir(&seat.dir, &dir.join(name.to_string()))?;
        if seat.output().exists() {
            fs::copy(seat.output(), dir.join(format!("{name}.output")))?;
        }
    }
    Ok(dir)
}

/// `differ-1`, `differ-2`, ...: the first that nobody has. Several workers may look for one at once.
fn new_dir(folder: &Path, kind: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    for number in 1u64.. {
        let dir = folder.join(format!("{kind}-{number}"));
        match fs::create_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| dir),
        }
    }
    Err(io::Error::other("no number is left"))
}
