//! The folder of a run: its record, and the page and the XML that are made from it.

use std::fs;
use std::io::BufReader;
use std::path::{Component, Path, PathBuf};

use kilter_report::{Building, Record, RecordError, junit, page, read, read_on, summarize};
use kilter_run::files::{self, NotWritten};
pub use kilter_run::journal::RECORD;

use crate::error::{Error, InFile as _, Tried, find};
use crate::read::open;

/// The name of the page in the folder of a run.
pub const PAGE: &str = "report.html";
/// The name of the XML in the folder of a run.
pub const JUNIT: &str = "junit.xml";

/// Reads a record. `path` is the record or its folder.
pub fn load(path: &Path) -> Result<Record, Error> {
    let path = if path.is_dir() { path.join(RECORD) } else { path.to_owned() };
    let file = open(&path).unread(&path)?;
    Ok(read(BufReader::new(file)).in_file(&path)?)
}

/// Reads the record of one of several parts. `None` if there is none, because its machine was lost before it wrote a whole line.
pub fn load_part(path: &Path) -> Result<Option<Record>, Error> {
    if path.is_dir() && path.join(RECORD).try_exists().is_ok_and(|is_there| !is_there) {
        return Ok(None);
    }
    match load(path) {
        Err(Error::Input(cause)) if matches!(find(&*cause), Some(RecordError::Empty)) => Ok(None),
        loaded => loaded.map(Some),
    }
}

/// Reads the record in a folder, to continue its run.
pub(crate) fn load_on(folder: &Path) -> Tried<Building> {
    let path = folder.join(RECORD);
    let file = open(&path).unread(&path)?;
    read_on(BufReader::new(file)).in_file(&path)
}

/// Writes the page and the XML of a record into a folder.
pub fn write(record: &Record, folder: &Path) -> Result<(), NotWritten> {
    let summary = summarize(record);
    files::replace(&folder.join(PAGE), page::page(record, &summary))?;
    files::replace(&folder.join(JUNIT), junit::junit(record, &summary))?;
    Ok(())
}

/// The relative path from a folder to a file. `None` if one of them is not there.
pub fn between(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (fs::canonicalize(folder).ok()?, fs::canonicalize(file).ok()?);
    let n_shared = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(n_shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(file.components().skip(n_shared)).collect();
    Some(path.to_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_up_and_down_again() {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(root.path().join("a/b")).expect("ours");
        fs::write(root.path().join("Spec.tla"), "").expect("ours");
        let file = root.path().join("Spec.tla");
        assert_eq!(between(&root.path().join("a/b"), &file).as_deref(), Some("../../Spec.tla"));
        assert_eq!(between(root.path(), &file).as_deref(), Some("Spec.tla"));
        assert_eq!(between(root.path(), &root.path().join("nowhere")), None);
    }
}
