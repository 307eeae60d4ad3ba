//! The files of a campaign: found where it is started, and unpacked where a worker is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use kilter_campaign::manifest::{Mismatch, hash};
use kilter_campaign::{Broker, Packed};
use kilter_run::files;
use kilter_system::System;

use super::content_of;
use crate::error::{Context as _, Tried};

/// The most files of a system. More are a sign that somebody's whole disk would be packed.
const FILES_MAX: usize = 10_000;

/// The largest file that is sent only because it lies beside the configuration.
const BESIDE_BYTES_MAX: u64 = 1 << 20;

/// The files of a campaign.
pub(super) struct Found {
    /// The path of the configuration below the common folder.
    pub config: String,
    /// Files below the folder that all of them have in common, with their contents.
    pub files: BTreeMap<Packed, PathBuf>,
    /// Files with a fixed place.
    pub fixed: Vec<Packed>,
}

/// What a run is made of, as far as it lies in files.
pub(super) struct Parts {
    /// The configuration.
    pub config: PathBuf,
    /// What else it is read with: modules, configurations of models, a state graph. What is no file is none of a worker's business.
    pub read: Vec<PathBuf>,
    /// The system.
    pub system: System,
}

/// Finds the files of a run. `more` are those that nothing names.
pub(super) fn find(parts: &Parts, more: &[PathBuf]) -> Tried<Found> {
    let config = plain(&parts.config)?;
    let folder = config.parent().unwrap_or(Path::new("/")).to_path_buf();
    let mut moving = BTreeSet::from([config.clone()]);
    for path in parts.read.iter().filter(|path| path.is_file()) {
        moving.insert(plain(path)?);
    }
    moving.extend(beside(&folder)?);
    let mut fixed = BTreeSet::new();
    // A program may be named from where Kilter was started. A worker finds it from the configuration.
    let mut from_here = None;
    for word in words(&parts.system) {
        if let Some(path) = word.strip_prefix("{dir}/") {
            moving.insert(plain(&folder.join(path))?);
        } else if Path::new(word).is_absolute() {
            fixed.insert(PathBuf::from(word));
        } else if !folder.join(word).exists() && Path::new(word).is_file() {
            from_here = Some((plain(&folder.join(word))?, PathBuf::from(word)));
        } else {
            moving.insert(plain(&folder.join(word))?);
        }
    }
    for path in more {
        if path.is_absolute() {
            fixed.insert(path.clone())
        } else {
            moving.insert(plain(path)?)
        };
    }
    let (moving, fixed) = (all_files(moving)?, all_files(fixed)?);
    let program = parts.system.command().first().filter(|program| !program.contains('/'));
    let program = program.and_then(|program| Some((program.clone(), in_search_path(program)?)));
    let common = common_folder(&moving);
    let below = |path: &Path| -> String { path.strip_prefix(&common).unwrap_or(path).display().to_string() };
    let mut files = BTreeMap::new();
    for path in &moving {
        files.insert(packed(path, below(path))?, path.clone());
    }
    if let Some((place, path)) = from_here {
        files.insert(packed(&path, below(&place))?, path);
    }
    let fixed = fixed.iter().map(|path| (path.display().to_string(), path.clone())).chain(program);
    let fixed = fixed.map(|(name, path)| packed(&path, name)).collect::<Tried<_>>()?;
    Ok(Found { config: below(&config), files, fixed })
}

/// The small files that lie beside a configuration. Programs may read any of them, such as a module that they import.
fn beside(folder: &Path) -> Tried<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let entry = entry?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_small =
            entry.path().metadata().is_ok_and(|data| data.is_file() && data.len() <= BESIDE_BYTES_MAX);
        if is_small && !is_hidden {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// The words of a system's command that name files: the program if it is no name for the shell, and what begins with `{dir}` or the root.
fn words(system: &System) -> impl Iterator<Item = &str> {
    let command = system.command().iter().enumerate();
    let in_command = command.filter_map(|(at, word)| {
        let is_file = word.starts_with("{dir}/") || word.starts_with('/') || (at == 0 && word.contains('/'));
        is_file.then_some(word.as_str())
    });
    let in_env = system.env().map(|(_, value)| value).filter(|word| word.starts_with("{dir}/"));
    // A word may be a list of paths, such as a class path.
    in_command.chain(in_env).flat_map(|word| word.split(':')).filter(|word| !word.is_empty())
}

/// Where the search path has a program.
fn in_search_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// A path without `.` and `..`, from the root.
fn plain(path: &Path) -> Tried<PathBuf> {
    let absolute = std::path::absolute(path).with_context(|| path.display().to_string())?;
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Ok(plain)
}

/// These files, and those in these folders. What is not there may be made by the system itself.
fn all_files(paths: BTreeSet<PathBuf>) -> Tried<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut open: Vec<PathBuf> = paths.into_iter().collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path).with_context(|| format!("{} cannot be read", path.display()))? {
                open.push(entry?.path());
            }
        } else if path.is_file() {
            found.insert(path);
        }
        if found.len() > FILES_MAX {
            return Err(
                format!("the system has more than {FILES_MAX} files; name fewer in its command").into()
            );
        }
    }
    Ok(found)
}

fn common_folder(paths: &BTreeSet<PathBuf>) -> PathBuf {
    let mut folders = paths.iter().filter_map(|path| path.parent());
    let Some(first) = folders.next() else { return PathBuf::new() };
    folders.fold(first.to_path_buf(), |common, folder| {
        common
            .components()
            .zip(folder.components())
            .take_while(|(one, other)| one == other)
            .map(|(one, _)| one)
            .collect()
    })
}

fn packed(path: &Path, name: String) -> Tried<Packed> {
    let content = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let is_program = path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0);
    Ok(Packed { path: name, hash: hash(&content), is_program })
}

/// Puts files into the hands of the broker.
pub(super) fn send(files: &BTreeMap<Packed, PathBuf>, broker: &mut dyn Broker) -> Tried<()> {
    for (packed, path) in files {
        let content = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        broker.put(&packed.hash, &content)?;
    }
    Ok(())
}

/// Fetches what a folder lacks.
pub(super) fn unpack(files: &[Packed], folder: &Path, broker: &mut dyn Broker) -> Tried<()> {
    for file in files {
        let is_below = Path::new(&file.path).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_below {
            return Err(format!("the campaign has a file that would lie elsewhere: {}", file.path).into());
        }
        let path = folder.join(&file.path);
        if has(&path, file) {
            continue;
        }
        let content = content_of(broker, &file.hash)?;
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .with_context(|| format!("the folder {} cannot be made", parent.display()))?;
        files::replace(&path, &content)?;
        if file.is_program {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
                .with_context(|| format!("{} cannot be made a program", path.display()))?;
        }
    }
    Ok(())
}

fn has(path: &Path, file: &Packed) -> bool {
    fs::read(path).is_ok_and(|content| hash(&content) == file.hash)
}

/// Checks that files with a fixed place are what they were where the campaign was started.
pub(super) fn check_fixed(fixed: &[Packed]) -> Result<(), Mismatch> {
    for file in fixed {
        let here = if file.path.contains('/') {
            Some(PathBuf::from(&file.path)).filter(|path| path.exists())
        } else {
            in_search_path(&file.path)
        };
        let Some(here) = here else { return Err(Mismatch::NoSystem { path: file.path.clone() }) };
        if !has(&here, file) {
            return Err(Mismatch::System { path: file.path.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_a_common_folder() {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<BTreeSet<_>>();
        let common = |names: &[&str]| common_folder(&paths(names)).display().to_string();
        assert_eq!(common(&["/a/b/kilter.toml", "/a/c/Spec.tla", "/a/c/Spec.cfg"]), "/a");
        assert_eq!(common(&["/a/b/kilter.toml"]), "/a/b");
        assert_eq!(common(&["/a/b/x", "/ab/x"]), "/");
    }

    #[test]
    fn paths_are_plain() {
        assert_eq!(plain(Path::new("/a/b/../c/./d")).ok(), Some(PathBuf::from("/a/c/d")));
    }
}
