//! Two versions of a specification and its system: what changed, which steps that touches, and the tests for them.
//!
//! - [`Side`]     one version: its specification, its graph, its sources
//! - `code`       what changed in the system's code
//! - `record`     what an earlier run has confirmed
//! - [`run`]      the whole way, as `kilter diff` goes it; [`round`] two versions to what changed, which steps that touches, and the tests for them
//! - `since`      the same for a git revision and what there is now
//! - `view`       what nodes see of a specification
//! - `words`      changes and patterns as sentences
//! - [`tell`]     all of it for people, for scripts, and as Markdown for pull requests
//! - [`markdown`] the last of these

mod code;
pub mod markdown;
mod record;
pub mod round;
mod side;
pub(crate) mod since;
pub mod tell;
mod view;
mod words;

use std::path::PathBuf;

use anyhow::{Context, bail};
use kilter_change::{Changes, Width};
use kilter_suite::Algorithm;

use self::round::{Making, Request, Round};
pub use self::side::{Side, SideInput};
use crate::graphs::Cache;
use crate::host::Host;
use crate::reports::RECORD;

/// Which versions are compared, and which tests are made.
#[derive(Clone, Debug)]
pub struct DiffOptions {
    /// The old version.
    pub old: SideInput,
    /// The new one.
    pub new: SideInput,
    /// Actions that can now follow each other, such as `Request,Respond`.
    pub allow: Vec<String>,
    /// Actions that can no longer follow each other.
    pub forbid: Vec<String>,
    /// How much of what a pattern matches is tested.
    pub width: Width,
    /// How tests are made.
    pub making: Making,
    /// Whether one pass has to do, for graphs that are too large.
    pub is_greedy: bool,
    /// Another seed, other tests for the same steps.
    pub seed: Option<u64>,
    /// No test has more steps than this.
    pub max_steps: Option<u32>,
    /// The record of a run over the old version, or its folder.
    pub record: Option<PathBuf>,
    /// Whether to find out how many tests all edges would take.
    pub is_full_asked: bool,
}

/// What a comparison comes to.
pub struct Compared {
    /// All that was found out.
    pub round: Round,
    /// The new version.
    pub new: Side,
    /// What was asked for.
    pub request: Request,
}

/// Compares two versions; their specifications are checked unless their graphs are known from an earlier time.
pub fn run(options: &DiffOptions, cache: Cache<'_>, host: &mut Host) -> anyhow::Result<Compared> {
    let old = Side::read(&options.old, cache, host).context("--old")?;
    let new = Side::read(&options.new, cache, host).context("--new")?;
    let request = request(options, &old, &new)?;
    let changes = known_changes(options, &old, &new)?;
    let round = round::compare(&old, &new, changes, &request)?;
    Ok(Compared { round, new, request })
}

fn request(args: &DiffOptions, old: &Side, new: &Side) -> anyhow::Result<Request> {
    let mut suite = crate::suite::Request::of_section(&new.suite, args.seed)?;
    suite.max_steps = args.max_steps.or(suite.max_steps);
    if args.is_greedy {
        suite.algorithm = Algorithm::Greedy;
    }
    let passed =
        match &args.record {
            Some(path) => {
                let file = if path.is_dir() { path.join(RECORD) } else { path.clone() };
                let passed = record::passed(&file, &old.graph);
                Some(passed.with_context(|| {
                    format!("{} is no record of a run over the old graph", file.display())
                })?)
            }
            None => None,
        };
    Ok(Request { width: args.width, making: args.making, suite, is_full_asked: args.is_full_asked, passed })
}

/// What cannot be seen in specifications and graphs.
fn known_changes(args: &DiffOptions, old: &Side, new: &Side) -> anyhow::Result<Changes> {
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
        bail!("source code can be compared only with a mapping: name a kilter.toml for --new");
    }
    let found = code::between(old, new);
    (changes.code, changes.compared, changes.unattributed) =
        (found.actions, found.compared, found.unattributed);
    Ok(changes)
}
