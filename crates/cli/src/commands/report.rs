//! `kilter report`: shows what a run has found, from its record, or several runs from theirs.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kilter::error::{BAD_INPUT, FINDINGS, FINE, NOT_RUNNABLE};
use kilter::program::{refuse, rim};
use kilter::reports::{between, load, load_part};
use kilter_report::{Record, json, junit, merge, page, summarize, text};
use kilter_run::files;

use super::ours;

/// `kilter report`
#[derive(clap::Args, Clone, Debug)]
pub struct ReportArgs {
    /// The record of a run, or the folder that `kilter test --report` has made; those of all parts of --shard are merged, and those of several logs
    #[arg(value_name = "RECORD", required = true)]
    pub records: Vec<PathBuf>,
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

/// Shows a record. Errors are the record's fault.
pub fn run(args: &ReportArgs) -> anyhow::Result<u8> {
    match report(args) {
        Ok(record) if !record.findings.is_empty() => Ok(FINDINGS),
        Ok(record) if record.is_error => Ok(NOT_RUNNABLE),
        Ok(record) if !record.missing.is_empty() => Ok(BAD_INPUT),
        Ok(record) if record.cases.iter().any(|case| case.not_run.is_some()) => Ok(NOT_RUNNABLE),
        Ok(record) if record.cases.iter().any(|case| !case.passed) => Ok(FINDINGS),
        Ok(_) => Ok(FINE),
        Err(error) => Ok(refuse(ours(error), args.json)?),
    }
}

fn report(args: &ReportArgs) -> anyhow::Result<Record> {
    let mut records = Vec::with_capacity(args.records.len());
    let mut absent = Vec::new();
    for path in &args.records {
        match load_part(path)? {
            Some(record) => records.push((path, record)),
            None => absent.push(path),
        }
    }
    // Without any record there is nothing to report.
    if let (true, Some(path)) = (records.is_empty(), absent.first()) {
        load(path)?;
    }
    // In what is read here, a path of one of several records begins with that record's folder.
    let way = |folder: &Path| if records.len() > 1 { Some(folder.display().to_string()) } else { None };
    let record = whole(&records, &absent, way)?;
    let summary = summarize(&record);
    if let Some(path) = &args.html {
        let page_folder = folder_of(path);
        let record = whole(&records, &absent, |folder| between(page_folder, folder))?;
        files::replace(path, page::page(&record, &summarize(&record)))?;
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

/// All records as one, in which paths begin at the place from which `way` leads to each record's folder. Parts without a record are named in
/// [`Record::missing`].
fn whole(
    records: &[(&PathBuf, Record)],
    absent: &[&PathBuf],
    way: impl Fn(&Path) -> Option<String>,
) -> anyhow::Result<Record> {
    let moved = |(path, record): &(&PathBuf, Record)| {
        let mut record = record.clone();
        let folder = if path.is_dir() { path.as_path() } else { folder_of(path) };
        if let Some(way) = way(folder) {
            record.move_away(&way);
        }
        (path.display().to_string(), record)
    };
    let mut whole = merge(records.iter().map(moved).collect())?.context("no record is named")?;
    let why = "so its run ended before it began, or has not begun";
    whole.missing.extend(absent.iter().map(|path| format!("{} has no record, {why}", path.display())));
    Ok(whole)
}

/// The folder of a file.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
