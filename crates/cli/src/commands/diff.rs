//! `kilter diff`: finds the steps that have to be tested again after a change.

use std::path::PathBuf;

use clap::ValueEnum;
use kilter::Worlds;
use kilter::diff::round::Making;
use kilter::diff::{Compared, DiffOptions, SideInput, markdown, tell};
use kilter::graphs::Cache;
use kilter::program::{AnswerArgs, host, refuse, rim};
use kilter::signals::Signals;
use kilter::suite;
use kilter_change::Width;
use kilter_run::files;

use super::answer::within_memory;
use super::ours;
use super::shared::IoArgs;

/// The exit code of `--exit-code` if something has to be tested.
const TO_TEST: u8 = 1;

/// `kilter diff`
#[derive(clap::Args, Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct DiffArgs {
    /// The old version: SPEC.tla (with a .cfg), kilter.toml or a state graph; folders with source code
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub old: Vec<PathBuf>,
    /// The new version, in the same way
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub new: Vec<PathBuf>,
    /// Actions that can now follow each other, such as Request,Respond; may be repeated
    #[arg(long, value_name = "ACTIONS", value_delimiter = ' ')]
    pub allow: Vec<String>,
    /// Actions that can no longer follow each other; may be repeated
    #[arg(long, value_name = "ACTIONS", value_delimiter = ' ')]
    pub forbid: Vec<String>,
    /// Test all that the paper's Table 1 says, also steps that are in the old graph just so
    #[arg(long)]
    pub wide: bool,
    /// How the tests are made
    #[arg(long, value_enum, default_value_t = MakingArg::Optimal)]
    pub algorithm: MakingArg,
    /// Another seed, other tests for the same steps
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// No test has more steps than this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_steps: Option<u32>,
    /// The record of a run over the old graph, or its folder: what it does not confirm is tested too
    #[arg(long, value_name = "RECORD")]
    pub record: Option<PathBuf>,
    /// Do not find out how many tests all steps would take
    #[arg(long)]
    pub no_full: bool,
    /// Write the tests to this file, for `kilter test --suite`
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a summary for a pull request to this file
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// End with exit code 1 if something has to be tested
    #[arg(long)]
    pub exit_code: bool,
    /// Where graphs are kept, so that the same specification is not checked again
    #[arg(long, value_name = "DIR", default_value = ".kilter")]
    pub cache: PathBuf,
    /// Number of threads that check a specification
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: u16,
    /// What the specifications may do with files and programs.
    #[command(flatten)]
    pub io: IoArgs,
    /// How the answer is given.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// How tests are made.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum MakingArg {
    /// The least restart cost × tests + steps, proven; where that is too hard, the best found
    Optimal,
    /// One pass, for graphs that are too large
    Greedy,
    /// Grown around the affected steps, as in the paper
    Growth,
}

/// Compares two versions. Errors are the input's fault.
pub fn run(args: &DiffArgs, signals: &Signals) -> anyhow::Result<u8> {
    let mut code = 0;
    let result = within_memory(|| {
        code = diff(args, signals)?;
        Ok(())
    });
    match result {
        Ok(()) => Ok(code),
        Err(error) => Ok(refuse(ours(error), args.answer.json)?),
    }
}

fn diff(args: &DiffArgs, signals: &Signals) -> anyhow::Result<u8> {
    let access = args.io.access();
    let options = DiffOptions {
        old: SideInput { access, ..SideInput::of(&args.old, "--old")? },
        new: SideInput { access, ..SideInput::of(&args.new, "--new")? },
        allow: args.allow.clone(),
        forbid: args.forbid.clone(),
        width: if args.wide { Width::Table } else { Width::Difference },
        making: if args.algorithm == MakingArg::Growth { Making::Growth } else { Making::Cover },
        is_greedy: args.algorithm == MakingArg::Greedy,
        seed: args.seed,
        max_steps: args.max_steps,
        record: args.record.clone(),
        is_full_asked: !args.no_full,
    };
    let cache = Cache { folder: &args.cache, workers: usize::from(args.workers), time_max: None };
    let compared = kilter::diff::run(&options, cache, &mut host(Worlds::default(), signals, args.answer))?;
    give(args, &compared)?;
    Ok(if args.exit_code && compared.round.n_tests() > 0 { TO_TEST } else { 0 })
}

/// Prints and writes the result in the forms that the user asked for.
fn give(args: &DiffArgs, Compared { round, new, request }: &Compared) -> anyhow::Result<()> {
    if let Some(path) = &args.out {
        let nothing = kilter_suite::Suite::from_walks(
            kilter_suite::tests::Tests::default(),
            0,
            0,
            kilter_suite::Bound::default(),
            request.suite.restart_cost,
        );
        let suite = round.suite.as_ref().unwrap_or(&nothing);
        let header = request.suite.for_certain_edges().header(&new.graph, suite, &[]);
        suite::save(&new.graph, suite, &header, path)?;
    }
    if let Some(path) = &args.markdown {
        files::replace(path, markdown::summary(round, new))?;
    }
    rim::print(&if args.answer.json {
        format!("{}\n", tell::to_json(round, new))
    } else {
        tell::to_text(round, new)
    })?;
    Ok(())
}
