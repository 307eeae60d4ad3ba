//! What `kilter explore` keeps on disk: its findings, and where it was when it was ended early.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use kilter_explore::jobs::Rest;
use kilter_explore::outcome::{Outcome, Told};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The files of one configuration.
pub struct Keep {
    folder: PathBuf,
    name: String,
    /// What tells one search from another: all that decides about its sequences.
    search: String,
}

/// A search that was ended early.
#[derive(Serialize, Deserialize)]
struct Saved {
    search: String,
    rest: Rest,
    findings: Vec<Told>,
}

impl Keep {
    /// In this folder, or in `.kilter` beside the configuration.
    pub fn new(folder: Option<&Path>, config: &Path, search: String) -> Keep {
        let beside = || config.parent().unwrap_or(Path::new("")).join(".kilter");
        let name = config.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Keep { folder: folder.map_or_else(beside, Path::to_path_buf), name, search }
    }

    /// Where findings are.
    pub fn findings(&self) -> PathBuf {
        self.folder.join(format!("{}.findings.json", self.name))
    }

    fn rest(&self) -> PathBuf {
        self.folder.join(format!("{}.rest.json", self.name))
    }

    /// What an earlier search has left to do, and has found.
    pub fn resume(&self) -> anyhow::Result<(Rest, Vec<Told>)> {
        let path = self.rest();
        let shown = path.display();
        let text = fs::read(&path)
            .with_context(|| format!("there is no search to go on with: {shown} cannot be read"))?;
        let saved: Saved =
            serde_json::from_slice(&text).with_context(|| format!("{shown} is not understood"))?;
        if saved.search != self.search {
            bail!("{shown} is of a search with other options, or of another system");
        }
        Ok((saved.rest, saved.findings))
    }

    /// Writes down findings, and what is left to do.
    pub fn save(&self, outcome: &Outcome, findings: &[Json]) -> anyhow::Result<()> {
        let write = |path: &Path, text: &[u8]| {
            fs::create_dir_all(&self.folder)
                .and_then(|()| fs::write(path, text))
                .with_context(|| format!("{} cannot be written", path.display()))
        };
        if findings.is_empty() {
            remove(&self.findings());
        } else {
            write(&self.findings(), &serde_json::to_vec_pretty(findings)?)?;
        }
        match &outcome.rest {
            None => remove(&self.rest()),
            Some(rest) => {
                let findings = outcome.findings.clone();
                let saved = Saved { search: self.search.clone(), rest: rest.clone(), findings };
                write(&self.rest(), &serde_json::to_vec(&saved)?)?;
            }
        }
        Ok(())
    }
}

/// What is not true any more. Most often it is not there.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}
