//! The files of a version, from a directory or a git revision.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads source trees, and asks git for those of old revisions"
)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{fs, thread};

use thiserror::Error;

/// Why a version can't be read.
#[derive(Debug, Error)]
pub enum TreeError {
    /// A file or directory can't be read.
    #[error("can't read {path}: {error}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// Git can't be run.
    #[error("can't run git: {0}")]
    NoGit(io::Error),
    /// Git does not have the revision or its files.
    #[error("git does not give revision `{revision}` of {directory}: {reason}")]
    Git {
        /// The revision that was asked for.
        revision: String,
        /// The directory that was asked about.
        directory: PathBuf,
        /// What git said.
        reason: String,
    },
}

/// The files of a version. Their paths are relative to its root, with `/` between the parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// Each file's content.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Directories that hold build results.
const MADE: [&str; 4] = ["target", "node_modules", "__pycache__", "venv"];

/// The record in the folder of a run, what its beginning says, and how long that beginning is at most.
const RECORD: &str = "record.jsonl";
const RECORD_FORMAT: &str = "\"kilter-run\"";
const RECORD_HEAD_BYTES: usize = 64;

impl Tree {
    /// Makes a tree from paths and texts.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Tree {
        Tree {
            files: files
                .into_iter()
                .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
                .collect(),
        }
    }

    /// Reads the files of a directory, without hidden files and build results.
    pub fn from_directory(root: &Path) -> Result<Tree, TreeError> {
        let mut tree = Tree::default();
        let mut folders = vec![(root.to_owned(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            let failed = |error| TreeError::Io { path: folder.clone(), error };
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let kind = entry.file_type().map_err(failed)?;
                if name.starts_with('.') {
                    continue;
                }
                if kind.is_dir() {
                    if !MADE.contains(&name.as_str()) {
                        folders.push((entry.path(), format!("{prefix}{name}/")));
                    }
                    continue;
                }
                let content = read(&entry.path(), kind.is_symlink())?;
                tree.files.extend(content.map(|content| (format!("{prefix}{name}"), content)));
            }
        }
        Ok(tree.without_runs())
    }

    /// Reads the files below a directory of a git repository at a revision.
    pub fn from_revision(directory: &Path, revision: &str) -> Result<Tree, TreeError> {
        let failed = |reason: &str| TreeError::Git {
            revision: revision.to_owned(),
            directory: directory.to_owned(),
            reason: reason.trim().to_owned(),
        };
        // `--end-of-options` and `^{commit}` make sure that git reads the text as a commit, and not as an option or a
        // file.
        let commit = format!("{revision}^{{commit}}");
        let checked = git(directory, ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit], b"")?;
        if !checked.status.success() {
            return Err(failed("there is no such commit"));
        }
        let commit = String::from_utf8_lossy(&checked.stdout).trim().to_owned();
        let list = git(directory, ["ls-tree", "-r", "-z", &commit, "--", "."], b"")?;
        if !list.status.success() {
            return Err(failed(&String::from_utf8_lossy(&list.stderr)));
        }
        let listed: Vec<(String, String)> = list
            .stdout
            .split(|byte| *byte == 0)
            .filter_map(listed_blob)
            .filter(|(_, path)| is_kept(path))
            .collect();
        let ids: Vec<&str> = listed.iter().map(|(id, _)| id.as_str()).collect();
        let wanted = ids.join("\n") + "\n";
        let blobs = git(directory, ["cat-file", "--batch"], wanted.as_bytes())?;
        let contents = split_batch(&blobs.stdout).filter(|contents| contents.len() == listed.len());
        let contents = contents.ok_or_else(|| failed("its files can't be read"))?;
        let paths = listed.into_iter().map(|(_, path)| path);
        Ok(Tree { files: paths.zip(contents).collect() }.without_runs())
    }

    /// Leaves out what runs of Kilter have written, which is no code of the system.
    fn without_runs(mut self) -> Tree {
        let folder = |(path, content): (&String, &Vec<u8>)| {
            let folder = path.strip_suffix(RECORD).filter(|folder| folder.ends_with('/'))?;
            let head = &content[..content.len().min(RECORD_HEAD_BYTES)];
            String::from_utf8_lossy(head).contains(RECORD_FORMAT).then(|| folder.to_owned())
        };
        let folders: Vec<String> = self.files.iter().filter_map(folder).collect();
        self.files.retain(|path, _| !folders.iter().any(|folder| path.starts_with(folder.as_str())));
        self
    }
}

/// The content of a file, or the target of a link. `None` for anything else.
fn read(path: &Path, is_link: bool) -> Result<Option<Vec<u8>>, TreeError> {
    let failed = |error| TreeError::Io { path: path.to_owned(), error };
    if is_link {
        let target = fs::read_link(path).map_err(failed)?;
        return Ok(Some(target.to_string_lossy().into_owned().into_bytes()));
    }
    if !path.is_file() {
        return Ok(None);
    }
    fs::read(path).map(Some).map_err(failed)
}

/// The id and path of a blob in the output of `git ls-tree -z`.
fn listed_blob(line: &[u8]) -> Option<(String, String)> {
    let line = String::from_utf8_lossy(line);
    let (about, path) = line.split_once('\t')?;
    let mut about = about.split(' ').skip(1);
    (about.next()? == "blob").then(|| Some((about.next()?.to_owned(), path.to_owned())))?
}

/// True if [`Tree::from_directory`] would also read this file.
fn is_kept(path: &str) -> bool {
    path.split('/').all(|part| !part.starts_with('.') && !MADE.contains(&part))
}

/// The contents in the output of `git cat-file --batch`.
fn split_batch(mut output: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut contents = Vec::new();
    while !output.is_empty() {
        let end = output.iter().position(|byte| *byte == b'\n')?;
        let head = std::str::from_utf8(&output[..end]).ok()?;
        let n_bytes: usize = head.rsplit(' ').next()?.parse().ok()?;
        let rest = &output[end + 1..];
        contents.push(rest.get(..n_bytes)?.to_vec());
        output = rest.get(n_bytes + 1..)?;
    }
    Some(contents)
}

fn git<'a>(
    directory: &Path,
    arguments: impl IntoIterator<Item = &'a str>,
    input: &[u8],
) -> Result<Output, TreeError> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(arguments.into_iter().map(OsStr::new));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(TreeError::NoGit)?;
    let stdin = child.stdin.take();
    // Another thread writes the input, because git answers before it has read everything.
    thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        child.wait_with_output().map_err(TreeError::NoGit)
    })
}
