//! Selects the tests for what has changed since a git revision.

use std::fs;
use std::path::{Path, PathBuf};

use kilter_change::{Changes, Width};
use kilter_conform::{Case, cases};
use kilter_source::Tree;
use kilter_value::Store;
use tempfile::TempDir;

use super::code;
use super::record::{self, Known};
use super::round::{self, Making, Request, Round};
use super::side::{Side, SideInput};
use crate::error::{Context as _, Tried};
use crate::graphs::Cache;
use crate::host::Host;
use crate::reports::RECORD;

/// The tests that are needed after a change.
pub struct Selected {
    /// The cases to run.
    pub cases: Vec<Case>,
    /// The comparison by which they were selected.
    pub round: Round,
    /// The new version.
    pub new: Side,
}

/// The files of a revision. The folder is removed when this is dropped.
struct Old {
    /// Keeps the folder.
    _folder: TempDir,
    /// The mapping in the folder.
    config: PathBuf,
}

/// Checks both versions of the mapping, and selects tests. `report` has the record of the last run.
pub fn select(
    wanted: &SideInput,
    revision: &str,
    seed: Option<u64>,
    cache: Cache<'_>,
    host: &mut Host,
) -> Tried<Selected> {
    let config = wanted.mapping.clone().unwrap_or_default();
    let config = if config.is_dir() { config.join("kilter.toml") } else { config };
    let mapping = |path: &Path| SideInput { mapping: Some(path.to_path_buf()), ..wanted.clone() };
    let new = Side::read(&mapping(&config), cache, host)?;
    let old = old_side(&config, revision, cache, host)?;
    let request = Request {
        width: Width::Difference,
        making: Making::Cover,
        suite: crate::suite::Request::of_section(&new.suite, seed)?,
        is_full_asked: false,
        known: match record::read(&cache.folder.join(RECORD), &old) {
            None => Known::Nothing,
            Some((_, Some(doubt))) => Known::Doubtful(doubt),
            Some((passed, None)) => Known::Passed(passed),
        },
    };
    let changes = known_changes(&old, &new)?;
    let round = round::compare(&old, &new, changes, &request)?;
    let cases = match &round.suite {
        Some(suite) => cases::of_suite(&new.graph, suite, &Store::new())?,
        None => Vec::new(),
    };
    Ok(Selected { cases, round, new })
}

/// Reads the version at a revision. Its files exist only meanwhile.
fn old_side(config: &Path, revision: &str, cache: Cache<'_>, host: &mut Host) -> Tried<Side> {
    let signals = host.signals.clone();
    // An interrupt must not end the process before the folder is removed.
    let _patience = signals.patience();
    let before = revision_of(config, revision)?;
    let input = SideInput { mapping: Some(before.config.clone()), ..SideInput::default() };
    let side = Side::read(&input, cache, host).with_context(|| format!("at {revision}"))?;
    signals.check()?;
    Ok(side)
}

/// The changes that specifications and graphs do not show.
fn known_changes(old: &Side, new: &Side) -> Tried<Changes> {
    let mut changes = Changes {
        allowed: round::pairs(round::fresh(&old.diff.allow, &new.diff.allow))?,
        forbidden: round::pairs(round::fresh(&old.diff.forbid, &new.diff.forbid))?,
        ..Changes::default()
    };
    let found = code::between(old, new)?;
    found.into_changes(&mut changes);
    if old.source.is_none() || new.source.is_none() {
        let why = "the system's source code is not known; name its folders in `[diff] source`";
        changes.unattributed.push(why.to_owned());
    }
    Ok(changes)
}

/// Writes the files of a revision into a new folder.
fn revision_of(config: &Path, revision: &str) -> Tried<Old> {
    let config = std::path::absolute(config)?;
    let config = fs::canonicalize(&config).with_context(|| format!("{} cannot be read", config.display()))?;
    let root = config.ancestors().skip(1).find(|folder| folder.join(".git").exists());
    let root = root.with_context(|| format!("{} is in no git repository", config.display()))?;
    let within = config.strip_prefix(root)?;
    let folder = tempfile::tempdir().context("no folder for the old version can be made")?;
    for (path, content) in Tree::from_revision(root, revision)?.files {
        let path = folder.path().join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, content).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    let config = folder.path().join(within);
    if !config.is_file() {
        return Err(format!("there is no {} at {revision}; run without --since", within.display()).into());
    }
    Ok(Old { _folder: folder, config })
}
