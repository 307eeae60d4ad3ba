//! `kilter report`: what a test run has found, from its record.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::Context;
use kilter_report::{Building, Record, json, junit, page, read, read_on, summarize, text};
pub use kilter_run::journal::RECORD;

use crate::rim;
use kilter_run::files;

/// The page's name in the folder of a run.
pub const PAGE: &str = "report.html";
/// The name of the XML in the folder of a run.
pub const JUNIT: &str = "junit.xml";

const FINDINGS: u8 = 1;
const BAD_INPUT: u8 = 2;

/// `kilter report`
#[derive(clap::Args, Clone, Debug)]
pub struct ReportArgs {
    /// The record of a run, or the folder that `kilter test --report` has made
    #[arg(value_name = "RECORD")]
    pub record: PathBuf,
    /// Write a page for a browser to this file; it needs no other file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

/// Reports; whatever is wrong is the record's fault.
pub fn run(args: &ReportArgs) -> anyhow::Result<u8> {
    match report(args) {
        Ok(record) if record.findings.is_empty() && record.cases.iter().all(|case| case.passed) => Ok(0),
        Ok(_) => Ok(FINDINGS),
        Err(error) => rim::blame(error, BAD_INPUT),
    }
}

fn report(args: &ReportArgs) -> anyhow::Result<Record> {
    let record = load(&args.record)?;
    let summary = summarize(&record);
    if let Some(path) = &args.html {
        files::replace(path, page::page(&record, &summary))?;
    }
    if let Some(path) = &args.junit {
        files::replace(path, junit::junit(&record, &summary))?;
    }
    if args.json {
        rim::print(&format!("{}\n", json::json(&record, &summary)))?;
    } else {
        rim::print(&text::text(&record, &summary))?;
    }
    Ok(record)
}

/// Reads a record, or the record in a folder.
pub fn load(path: &Path) -> anyhow::Result<Record> {
    let path = if path.is_dir() { path.join(RECORD) } else { path.to_owned() };
    let file = kilter::read::open(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    read(BufReader::new(file)).with_context(|| path.display().to_string())
}

/// Reads the record in a folder, of a run that goes on.
pub fn load_on(folder: &Path) -> anyhow::Result<Building> {
    let path = folder.join(RECORD);
    let file = kilter::read::open(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    read_on(BufReader::new(file)).with_context(|| path.display().to_string())
}

/// Writes the page and the XML of a record into a folder.
pub fn write(record: &Record, folder: &Path) -> anyhow::Result<()> {
    let summary = summarize(record);
    files::replace(&folder.join(PAGE), page::page(record, &summary))?;
    files::replace(&folder.join(JUNIT), junit::junit(record, &summary))?;
    Ok(())
}
