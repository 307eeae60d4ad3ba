//! Keeps the files of nodes and everything that they printed when something is wrong, for the user to look at.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kilter_testbed::remains::{copy_dir, new_dir};

use super::Wrong;
use crate::nodes::Nodes;
use crate::step::{self, Replica, Step};

/// The file that says what was played and what was wrong.
const ABOUT: &str = "about.txt";

/// Copies everything into a new directory in `folder`. Each node is named after the replica that it plays.
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
