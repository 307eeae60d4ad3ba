//! The options that test, explore and converge share.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kilter_run::{Durations, Shard};
use kilter_system::System;

use crate::error::{Context as _, Tried};
use crate::host::Host;
use crate::reports;
#[cfg(feature = "clap")]
use crate::units;

/// How cases are run, and where their record goes.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "clap", derive(clap::Args), command(next_help_heading = "Running"))]
pub struct RunOptions {
    /// How many systems are run side by side; verdicts do not depend on it
    #[cfg_attr(feature = "clap", arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256)))]
    pub jobs: u16,
    /// Run part K of N, such as 2/4; `auto` and `auto/N` take the part that Slurm, Kubernetes or a CI system gives this machine
    #[cfg_attr(feature = "clap", arg(long, value_name = "K/N", value_parser = super::machine::shard))]
    pub shard: Option<Shard>,
    /// The record of an earlier run, or of a part of it: the parts of --shard take about the same time by it; may be given several times
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR", requires = "shard"))]
    pub durations: Vec<PathBuf>,
    /// Run only this case, as findings and --list name it
    #[cfg_attr(feature = "clap", arg(long, value_name = "ID", conflicts_with_all = ["shard", "resume"]))]
    pub case: Option<String>,
    /// Run only the cases of this action, or whose id begins so, or with this text in what --list says of them
    #[cfg_attr(feature = "clap", arg(long, value_name = "TEXT", conflicts_with = "case"))]
    pub only: Option<String>,
    /// List the cases instead of running them
    #[cfg_attr(feature = "clap", arg(long))]
    pub list: bool,
    /// Stop after so many findings
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..)))]
    pub max_findings: Option<u64>,
    /// Stop after this time, such as 30s, 5m or 1h
    #[cfg_attr(feature = "clap", arg(long, value_name = "TIME", value_parser = units::some_time))]
    pub time_max: Option<Duration>,
    /// Where the record and the report go [default: .kilter/NAME beside NAME.toml, .kilter beside kilter.toml]
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    pub report: Option<PathBuf>,
    /// Keep the nodes' files, and all that they printed, of every case that found something, each in a directory of its own in this one
    #[cfg_attr(feature = "clap", arg(long, value_name = "DIR"))]
    pub keep: Option<PathBuf>,
    /// Go on where an earlier run with the same report folder has ended
    #[cfg_attr(feature = "clap", arg(long))]
    pub resume: bool,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            jobs: 1,
            shard: None,
            durations: Vec::new(),
            case: None,
            only: None,
            list: false,
            max_findings: None,
            time_max: None,
            report: None,
            keep: None,
            resume: false,
        }
    }
}

/// Runs besides whole runs, whose record must not replace that of a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Besides {
    /// One case, or cases that the user gave.
    Case,
    /// The cases that a change affects.
    Since,
}

/// No case has the text that was asked for.
#[derive(Debug, thiserror::Error)]
#[error("no case has `{0}` in it; `--list` shows all cases")]
pub struct NoneOfThem(String);

impl RunOptions {
    /// Whether the user has chosen cases by hand. Their record must not take the place of a whole run's.
    pub(crate) fn is_choice(&self) -> bool {
        self.case.is_some() || self.only.is_some()
    }

    /// What the user has chosen, in words. `None` if these are all cases, or a shard of them.
    pub(crate) fn choice(&self) -> Option<String> {
        let case = self.case.as_ref().map(|id| format!("only the case {id} was wanted"));
        case.or_else(|| Some(format!("only cases with `{}` in them were wanted", self.only.as_ref()?)))
    }

    /// Makes the folder in which nodes' files are kept, so that nobody learns only after a finding that it can't be made. Warns where nothing
    /// can be kept.
    pub(crate) fn check_keep(&self, system: &System, host: &mut Host) -> Tried<()> {
        let Some(folder) = &self.keep else { return Ok(()) };
        if let Some(world) = system.world() {
            host.watch
                .say(&format!("note: --keep has no effect: `{world}` is linked in and leaves no files\n"));
            return Ok(());
        }
        fs::create_dir_all(folder)
            .and_then(|()| tempfile::tempfile_in(folder))
            .map(drop)
            .with_context(|| format!("--keep: nothing can be written to the folder {}", folder.display()))
    }

    /// The cases that the user wants, by the text that `--list` shows of each.
    pub(crate) fn wanted<C>(&self, cases: Vec<C>, text: impl Fn(&C) -> String) -> Result<Vec<C>, NoneOfThem> {
        let Some(only) = &self.only else { return Ok(cases) };
        let wanted: Vec<C> = cases.into_iter().filter(|case| self.wants(&text(case))).collect();
        if wanted.is_empty() { Err(NoneOfThem(only.clone())) } else { Ok(wanted) }
    }

    /// The cases of the shard that the user wants.
    pub(crate) fn of_shard<C>(&self, cases: Vec<C>, id: impl Fn(&C) -> &str) -> Tried<Vec<C>> {
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        if self.durations.is_empty() {
            return Ok(shard.every_nth(cases));
        }
        let mut played = Vec::new();
        for path in &self.durations {
            played.extend(reports::load(path)?.cases);
        }
        if cases.is_empty() {
            return Ok(cases);
        }
        let shared = Durations::of(&played).share(shard, cases, id);
        Ok(shared.ok_or(
            "--durations: none of these cases is in the records, so they are of another suite or search",
        )?)
    }

    /// Whether the user wants the case of which `--list` shows this text.
    pub(crate) fn wants(&self, text: &str) -> bool {
        self.only.as_ref().is_none_or(|only| text.contains(only))
    }

    /// The folder of the record. A folder that the user names is used as it is for the cases that a change affects.
    pub fn folder(&self, own: &Path, besides: Option<Besides>) -> PathBuf {
        let folder = self.report.as_deref().unwrap_or(own);
        match besides {
            Some(Besides::Case) => folder.join("case"),
            Some(Besides::Since) if self.report.is_none() => folder.join("since"),
            Some(Besides::Since) | None => folder.to_path_buf(),
        }
    }
}
