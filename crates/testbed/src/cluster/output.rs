//! The output of nodes. It is kept in files of limited size, and quoted when a node fails.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::remains::left_out;

/// A file that has grown beyond this is emptied.
const FILE_BYTES_MAX: u64 = 16 << 20;
const TAIL_BYTES_MAX: u64 = 4 << 10;
const TAIL_LINES_MAX: usize = 20;
/// The JVM warns so of every agent, which is right and harmless, and never what somebody looks for.
const OF_JVM: &str = "warning: Sharing is only supported for boot loader classes";

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
    let lines: Vec<&str> = text.trim_end().lines().filter(|line| !line.contains(OF_JVM)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_jvm_says_of_agents_is_left_out() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let warning = "OpenJDK 64-Bit Server VM warning: Sharing is only supported for boot loader classes because bootstrap classpath has been appended";
        std::fs::write(file.path(), format!("ready\n{warning}\nout of luck\n")).expect("ours");
        assert_eq!(tail(file.path()), "ready\nout of luck");
        std::fs::write(file.path(), format!("{warning}\n")).expect("ours");
        assert_eq!(tail(file.path()), "");
    }
}
