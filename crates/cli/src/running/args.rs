//! The options that `kilter test`, `explore` and `converge` share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kilter_run::Shard;

use crate::units;

/// How cases are run, and where their record goes.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// How many systems are run side by side; verdicts do not depend on it
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// Run part K of N, such as 2/4
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Run only this case, as findings and --list name it
    #[arg(long, value_name = "ID", conflicts_with_all = ["shard", "resume"])]
    pub case: Option<String>,
    /// List the cases instead of running them
    #[arg(long)]
    pub list: bool,
    /// Stop after so many findings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_findings: Option<u64>,
    /// Stop after this time, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub time_max: Option<Duration>,
    /// Where the record and the report go [default: .kilter beside the configuration]
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Go on where an earlier run with the same report folder has ended
    #[arg(long)]
    pub resume: bool,
    /// Write one JSON object to standard output
    #[arg(long)]
    pub json: bool,
}

impl Default for RunArgs {
    fn default() -> RunArgs {
        RunArgs {
            jobs: 1,
            shard: None,
            case: None,
            list: false,
            max_findings: None,
            time_max: None,
            report: None,
            resume: false,
            json: false,
        }
    }
}

impl RunArgs {
    /// Where the record goes. What is run besides, such as one case, must not take the place of a whole run.
    pub fn folder(&self, own: &Path, besides: Option<&str>) -> PathBuf {
        match (&self.report, besides) {
            (Some(report), Some("case")) => report.join("case"),
            (Some(report), _) => report.clone(),
            (None, Some(name)) => own.join(name),
            (None, None) => own.to_path_buf(),
        }
    }
}
