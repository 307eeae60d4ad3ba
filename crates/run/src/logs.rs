//! The folder with the logs of cases, in the folder of a run: what nodes printed, and what was said to them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

/// The folder of all logs in the folder of a run. It has a name that nobody else gives a folder, because a new run
/// removes it.
pub const LOGS: &str = "kilter-logs";
/// The longest name of a case's folder.
const NAME_CHARS_MAX: usize = 80;

/// Makes an empty folder for the logs of a case. Returns its path, and its name relative to the folder of the run.
pub fn make(run: &Path, case: &str) -> io::Result<(PathBuf, String)> {
    let name = format!("{LOGS}/{}", folder_name(case));
    let dir = run.join(&name);
    if dir.exists() {
        // The case was run before, and the last result counts.
        fs::remove_dir_all(&dir)?;
    }
    fs::create_dir_all(&dir)?;
    Ok((dir, name))
}

/// Removes the logs of an earlier run.
pub fn clear(run: &Path) -> io::Result<()> {
    match fs::remove_dir_all(run.join(LOGS)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The name of a case's folder. Ids may be long, and may contain anything.
fn folder_name(case: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let plain: String = case.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    if plain == case && case.len() <= NAME_CHARS_MAX && !case.starts_with('.') && !case.is_empty() {
        return plain;
    }
    let begin: String = plain.trim_start_matches('.').chars().take(NAME_CHARS_MAX / 2).collect();
    format!("{begin}-{:016x}", xxh3_64(case.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_are_short_plain_and_different() {
        assert_eq!(folder_name("p1.4.7"), "p1.4.7");
        assert_eq!(folder_name("12-stop"), "12-stop");
        let odd = ["../../etc", "a/b", "a_b", "", ".", "..", &"1.".repeat(500), &"1.".repeat(501)];
        let mut names: Vec<String> = odd.iter().map(|case| folder_name(case)).collect();
        assert!(names.iter().all(|name| name.len() <= NAME_CHARS_MAX && !name.starts_with('.')), "{names:?}");
        assert!(names.iter().all(|name| !name.contains('/') && !name.is_empty()), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), odd.len());
    }

    #[test]
    fn a_case_that_is_run_again_has_only_its_last_logs() {
        let run = tempfile::tempdir().expect("a folder");
        let (dir, name) = make(run.path(), "e9").expect("a folder for logs");
        assert_eq!(name, "kilter-logs/e9");
        fs::write(dir.join("old"), "").expect("ours");
        let (dir, _) = make(run.path(), "e9").expect("a folder for logs");
        assert!(dir.exists() && !dir.join("old").exists());
        clear(run.path()).expect("it can be removed");
        assert!(!dir.exists());
        clear(run.path()).expect("there is nothing to remove");
    }
}
