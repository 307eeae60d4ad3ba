//! Compares two versions of a specification and its system: what changed, which steps that affects, and the tests for
//! them.
//!
//! - [`Side`]     one version: its specification, its graph, its sources
//! - `code`       changes of the system's code; `tree` finds the code
//! - `ran`        the lines that ran for each step, and the steps that run a change
//! - `record`     the steps that an earlier run has confirmed, if it was one of the old version
//! - [`run`]      everything that `kilter diff` does; [`round`] compares two versions and selects tests
//! - `since`      the same for a git revision and the present files
//! - `view`       the part of a specification that nodes see
//! - `words`      changes and patterns as sentences
//! - [`tell`]     the result for people and for scripts
//! - [`markdown`] the result as Markdown, for pull requests

mod code;
pub mod markdown;
mod ran;
pub mod record;
pub mod round;
mod side;
pub(crate) mod since;
pub mod tell;
pub(crate) mod tree;
mod view;
mod words;

use std::path::{Path, PathBuf};

use kilter_change::{Changes, Width};
use kilter_suite::Algorithm;

use self::record::{Doubt, Known};
use self::round::{Making, Request, Round};
pub use self::side::{Side, SideInput};
use crate::error::{Context as _, Error, Tried};
use crate::graphs::Cache;
use crate::host::Host;
use crate::reports::RECORD;

/// The versions to compare, and the tests to make.
#[derive(Clone, Debug)]
pub struct DiffOptions {
    /// The old version.
    pub old: SideInput,
    /// The new version.
    pub new: SideInput,
    /// Actions that can now follow each other, such as `Request,Respond`.
    pub allow: Vec<String>,
    /// Actions that can no longer follow each other.
    pub forbid: Vec<String>,
    /// How many of the steps that a pattern matches are tested.
    pub width: Width,
    /// How tests are made.
    pub making: Making,
    /// Whether to make only one pass, for graphs that are too large.
    pub is_greedy: bool,
    /// The seed. Another seed makes other tests for the same steps.
    pub seed: Option<u64>,
    /// The most steps in a test.
    pub max_steps: Option<u32>,
    /// The record of a run of the old version, or the folder with the record.
    pub record: Option<PathBuf>,
    /// Whether to compute how many tests all edges would take.
    pub is_full_asked: bool,
}

/// The result of a comparison.
pub struct Compared {
    /// What changed, and what has to be tested.
    pub round: Round,
    /// The new version.
    pub new: Side,
    /// The request that was answered.
    pub request: Request,
}

/// Compares two versions. Their specifications are checked, unless their graphs are in the cache.
pub fn run(options: &DiffOptions, cache: Cache<'_>, host: &mut Host) -> Result<Compared, Error> {
    let old = Side::read(&options.old, cache, host).context("--old")?;
    let new = Side::read(&options.new, cache, host).context("--new")?;
    let request = request(options, &old, &new)?;
    let changes = known_changes(options, &old, &new)?;
    let round = round::compare(&old, &new, changes, &request)?;
    Ok(Compared { round, new, request })
}

fn request(args: &DiffOptions, old: &Side, new: &Side) -> Tried<Request> {
    let mut suite = crate::suite::Request::of_section(&new.suite, args.seed)?;
    suite.max_steps = args.max_steps.or(suite.max_steps);
    if args.is_greedy {
        suite.algorithm = Algorithm::Greedy;
    }
    let known = args.record.as_ref().map_or(Ok(Known::Unasked), |path| known(path, old))?;
    Ok(Request { width: args.width, making: args.making, suite, is_full_asked: args.is_full_asked, known })
}

/// What the record of a run tells that somebody names as one of the old version. What it does not say itself is taken from there.
fn known(path: &Path, old: &Side) -> Tried<Known> {
    let file = if path.is_dir() { path.join(RECORD) } else { path.to_owned() };
    match record::read(&file, old) {
        None | Some((_, Some(Doubt::Unreadable | Doubt::Graph))) => {
            Err(format!("{} is no record of a run over the old graph", file.display()).into())
        }
        Some((_, Some(doubt @ Doubt::Code))) => Ok(Known::Doubtful(doubt)),
        Some((passed, None | Some(Doubt::Mapping | Doubt::Unsaid))) => Ok(Known::Passed(passed)),
    }
}

/// The changes that specifications and graphs do not show.
fn known_changes(args: &DiffOptions, old: &Side, new: &Side) -> Tried<Changes> {
    let typed = |sequences: &[String]| -> Vec<Vec<String>> {
        sequences.iter().map(|names| names.split(',').map(|name| name.trim().to_owned()).collect()).collect()
    };
    let mut changes = Changes {
        allowed: round::pairs(
            typed(&args.allow).iter().chain(round::fresh(&old.diff.allow, &new.diff.allow)),
        )?,
        forbidden: round::pairs(
            typed(&args.forbid).iter().chain(round::fresh(&old.diff.forbid, &new.diff.forbid)),
        )?,
        ..Changes::default()
    };
    if new.source.is_some() && new.mapping.is_none() {
        return Err("source code can be compared only with a mapping: name a kilter.toml for --new".into());
    }
    let found = code::between(old, new)?;
    found.into_changes(&mut changes);
    Ok(changes)
}
