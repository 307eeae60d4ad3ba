//! `kilter report`: shows what a run has found, from its record, or several runs from theirs.

use std::path::PathBuf;

use anyhow::Context as _;
use kilter::error::{FINDINGS, FINE, NOT_RUNNABLE};
use kilter::program::{refuse, rim};
use kilter::reports::load;
use kilter_report::{Record, json, junit, merge, page, summarize, text};
use kilter_run::files;

use super::ours;

/// `kilter report`
#[derive(clap::Args, Clone, Debug)]
pub struct ReportArgs {
    /// The record of a run, or the folder that `kilter test --report` has made; several are merged
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
        Ok(record) if record.cases.iter().any(|case| case.not_run.is_some()) => Ok(NOT_RUNNABLE),
        Ok(record) if record.cases.iter().any(|case| !case.passed) => Ok(FINDINGS),
        Ok(_) => Ok(FINE),
        Err(error) => Ok(refuse(ours(error), args.json)?),
    }
}

fn report(args: &ReportArgs) -> anyhow::Result<Record> {
    let load_named = |path: &PathBuf| Ok((path.display().to_string(), load(path)?));
    let records = args.records.iter().map(load_named).collect::<anyhow::Result<Vec<_>>>()?;
    let record = merge(records)?.context("no record is named")?;
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
