//! What ARCHITECTURE.md promises to be absent.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates by name, with their folders.
fn crates() -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(common::root().join("crates")).expect("the crates are readable");
    entries
        .map(|entry| entry.expect("the crates are readable"))
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect()
}

/// The lines of a crate's sources, without comments and tests, each with its place.
fn lines(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("sources are readable") {
            let path = entry.expect("sources are readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("sources are text");
                for (index, line) in text.lines().take_while(|line| *line != "#[cfg(test)]").enumerate() {
                    let code = line.split("//").next().unwrap_or_default();
                    found.push((format!("{}:{}", path.display(), index + 1), code.to_owned()));
                }
            }
        }
    }
    found
}

/// Fails with all places where a crate other than those named says one of the words.
#[track_caller]
fn nobody_says(words: &[&str], except: &[&str]) {
    let mut report = Vec::new();
    for (name, folder) in crates() {
        if except.contains(&name.as_str()) {
            continue;
        }
        for (place, line) in lines(&folder) {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                report.push(format!("{place}: {word}"));
            }
        }
    }
    assert!(report.is_empty(), "ARCHITECTURE.md says that this is absent:\n{}", report.join("\n"));
}

#[test]
fn nothing_but_programs_prints_or_ends_the_process() {
    let words = ["println!", "print!(", "io::stdout", "io::stderr", "process::exit", "env::args"];
    nobody_says(&words, &["cli", "kilter"]);
    // A build's output goes where ours does.
    let allowed = ["kilter/src/program.rs", "kilter/src/program/", "kilter/src/test/build.rs"];
    for (place, line) in lines(&crates()["kilter"]) {
        let fine = allowed.iter().any(|file| place.contains(file));
        assert!(fine || !words.iter().any(|word| line.contains(word)), "{place} is not for a library");
    }
}

#[test]
fn nothing_depends_on_the_rim_or_on_systems() {
    let systems = fs::read_dir(common::root().join("systems")).expect("systems are readable");
    let systems: Vec<PathBuf> = systems.map(|entry| entry.expect("systems are readable").path()).collect();
    let folders: Vec<PathBuf> = crates().into_values().collect();
    let names: Vec<String> = systems.iter().filter_map(|folder| package(folder)).collect();
    assert!(names.len() > 3, "{names:?}");
    for folder in systems.iter().chain(&folders) {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let uses = |name: &str| manifest.lines().any(|line| line.split(['.', ' ']).next() == Some(name));
        assert!(!uses("kilter-cli"), "{} uses the rim", folder.display());
        let is_ours = folders.contains(folder);
        assert!(!is_ours || !names.iter().any(|name| uses(name)), "{} uses a system", folder.display());
    }
}

/// The name of the package in a folder.
fn package(folder: &Path) -> Option<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let line = manifest.lines().find(|line| line.starts_with("name = "))?;
    Some(line.split('"').nth(1)?.to_owned())
}

#[test]
fn main_alone_decides_how_the_process_ends() {
    nobody_says(&["process::exit", "process::abort"], &[]);
}

#[test]
fn nothing_but_the_rim_reads_files() {
    nobody_says(&["std::fs", "File::open"], &["cli", "kilter", "source", "testbed", "converge", "run"]);
    for (place, line) in lines(&crates()["source"]) {
        let fine = place.contains("tree.rs");
        assert!(fine || !(line.contains("fs::") || line.contains("Command::new")), "{place} uses files");
    }
}

#[test]
fn nothing_but_the_testbed_starts_processes_or_opens_sockets() {
    nobody_says(&["TcpListener", "TcpStream", "UnixStream"], &["testbed", "converge"]);
    nobody_says(&["Command::new"], &["testbed", "converge", "source", "kilter", "cli"]);
    let allowed = [
        "kilter/src/outside.rs",
        "kilter/src/outside/process.rs",
        "kilter/src/test/build.rs",
        "kilter/src/program/rim.rs",
    ];
    for (place, line) in ["kilter", "cli"].iter().flat_map(|name| lines(&crates()[*name])) {
        let fine = allowed.iter().any(|file| place.contains(file));
        assert!(fine || !line.contains("Command::new"), "{place} starts processes");
    }
}

#[test]
fn no_randomness_and_no_global_state() {
    nobody_says(&["static mut ", "thread_local!", "RandomState::new", " rand::", "(rand::"], &[]);
}

/// The names in the last column of the table of crates, by the first column.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(common::root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| crate"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, uses] = cells[..] else { panic!("a row of three cells: {row}") };
        let uses =
            uses.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        (name.trim_matches('`').to_owned(), uses)
    })
    .collect()
}

/// What each crate's manifest says that it uses, tests aside.
fn actual() -> BTreeMap<String, BTreeSet<String>> {
    crates()
        .into_iter()
        .map(|(name, folder)| {
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a crate has a manifest");
            let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
            let section = section.split("\n[").next().unwrap_or_default();
            let keys = section.lines().filter_map(|line| line.split(['.', ' ']).next());
            let uses =
                keys.filter_map(|key| if key == "kilter" { Some(key) } else { key.strip_prefix("kilter-") });
            (name, uses.map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn the_table_of_crates_is_true() {
    assert_eq!(documented(), actual(), "left: ARCHITECTURE.md, right: the manifests");
}

#[test]
fn the_readme_is_short() {
    let text = fs::read_to_string(common::root().join("README.md")).expect("README.md is there");
    assert!(text.lines().count() < 100, "the README should fit on a screen or two");
}
