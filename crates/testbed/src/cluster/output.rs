//! The output of nodes. It is kept in files of limited size, and quoted when a node fails.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::remains::left_out;

/// A file that has grown beyond this is emptied.
const FILE_BYTES_MAX: u64 = 16 << 20;
const TAIL_BYTES_MAX: u64 = 4 << 10;
const TAIL_LINES_MAX: usize = 20;

/// The last lines of a file. Empty if the file can't be read.
pub(super) fn tail(path: &Path) -> String {
    let Ok(mut file) = File::open(path) else { return String::new() };
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = Vec::new();
    let found = file
        .seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES_MAX)))
        .and_then(|_| file.take(TAIL_BYTES_MAX).read_to_end(&mut bytes));
    if found.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES_MAX)..].join("\n")
}

/// Empties a file that is too long, and says so in it. Its writer appends, so it continues after that.
pub(super) fn curb(path: &Path) {
    let length = path.metadata().map_or(0, |metadata| metadata.len());
    if length > FILE_BYTES_MAX
        && let Ok(mut file) = File::options().append(true).open(path)
    {
        // If it can't be emptied, it stays as it is.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", left_out(length)));
    }
}
