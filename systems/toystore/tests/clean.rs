//! Nothing is left behind: no process, no directory.

use crate::common;

use std::fs;
use std::path::PathBuf;

/// What all directories of this process's clusters begin with.
fn ours() -> String {
    format!("kilter-{}-", std::process::id())
}

fn folders_of_processes() -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let folders = processes.filter_map(|process| fs::read_link(process.path().join("cwd")).ok());
    folders.filter(|folder| folder.to_string_lossy().contains(&ours())).collect()
}

fn folders() -> Vec<PathBuf> {
    let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains(&ours())).collect()
}

#[test]
fn nothing_is_left_behind() {
    common::play(2, None, None);
    assert_eq!(folders_of_processes(), Vec::<PathBuf>::new());
    assert_eq!(folders(), Vec::<PathBuf>::new());
}
