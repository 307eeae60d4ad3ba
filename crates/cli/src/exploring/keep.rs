//! What `kilter explore` keeps on disk: its findings, and where it was when it was ended early.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use kilter::read;
use kilter_explore::jobs::Rest;
use kilter_explore::outcome::{Outcome, Told};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::files;
use crate::lock::Lock;

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

/// The record of findings: one a line, written as they come.
pub struct Found {
    file: File,
    path: PathBuf,
    error: Option<io::Error>,
    _lock: Lock,
}

impl Found {
    /// Writes a finding down; false if that can't be done.
    pub fn add(&mut self, finding: &Json) -> bool {
        if self.error.is_none()
            && let Err(error) = self.file.write_all(format!("{finding}\n").as_bytes())
        {
            self.error = Some(error);
        }
        self.error.is_none()
    }

    /// An error if something could not be written.
    pub fn check(&mut self) -> anyhow::Result<()> {
        self.error.take().map_or(Ok(()), |error| Err(error).with_context(|| files::refusal(&self.path)))
    }
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

    /// Where findings are as they came, each with its whole sequence.
    fn found(&self) -> PathBuf {
        self.folder.join(format!("{}.found.jsonl", self.name))
    }

    /// Begins to write down what is found, before anything is started: after that, nothing that is found can be lost. A search that
    /// goes on adds to what is there.
    pub fn begin(&self, goes_on: bool) -> anyhow::Result<Found> {
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("the folder {} cannot be made", self.folder.display()))?;
        let path = self.found();
        let lock = Lock::file(&path, "--report")?;
        let file = if goes_on && path.exists() {
            let file = File::options().append(true).open(&path);
            file.and_then(|file| end_line(file, &path)).with_context(|| files::refusal(&path))?
        } else {
            let header = json!({ "format": "kilter-explore", "version": 1, "search": self.search });
            files::replace_and_keep(&path, &format!("{header}\n"))?
        };
        Ok(Found { file, path, error: None, _lock: lock })
    }

    fn rest(&self) -> PathBuf {
        self.folder.join(format!("{}.rest.json", self.name))
    }

    /// What an earlier search has left to do, and has found.
    pub fn resume(&self) -> anyhow::Result<(Rest, Vec<Told>)> {
        let path = self.rest();
        let shown = path.display();
        let text = read::whole(&path).with_context(|| {
            format!("there is no search to go on with: {shown} cannot be read{}", self.found_hint())
        })?;
        let saved: Saved =
            serde_json::from_slice(&text).with_context(|| format!("{shown} is not understood"))?;
        if saved.search != self.search {
            bail!("{shown} is of a search with other options, or of another system");
        }
        Ok((saved.rest, saved.findings))
    }

    /// What a search that was killed has left, in words.
    fn found_hint(&self) -> String {
        let found = self.found();
        let n_found = read::whole_utf8(&found).map_or(0, |text| text.lines().skip(1).count());
        if n_found == 0 {
            return String::new();
        }
        format!("; what a search that was killed has found is in {}", found.display())
    }

    /// Writes down findings, and what is left to do.
    pub fn save(&self, outcome: &Outcome, findings: &[Json]) -> anyhow::Result<()> {
        if findings.is_empty() {
            remove(&self.findings());
        } else {
            files::replace(&self.findings(), serde_json::to_vec_pretty(findings)?)?;
        }
        match &outcome.rest {
            None => remove(&self.rest()),
            Some(rest) => {
                let findings = outcome.findings.clone();
                let saved = Saved { search: self.search.clone(), rest: rest.clone(), findings };
                files::replace(&self.rest(), serde_json::to_vec(&saved)?)?;
            }
        }
        Ok(())
    }
}

/// The last line may be half a one, of a search that was killed.
fn end_line(mut file: File, path: &Path) -> io::Result<File> {
    if !read::whole(path)?.ends_with(b"\n") {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

/// What is not true any more. Most often it is not there.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}
