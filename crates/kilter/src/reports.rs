//! The folder of a run: its record, and the page and the XML that are made from it.

use std::io::BufReader;
use std::path::Path;

use kilter_report::{Building, Record, junit, page, read, read_on, summarize};
use kilter_run::files::{self, NotWritten};
pub use kilter_run::journal::RECORD;

use crate::error::{Error, InFile as _, Tried};
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
